"use strict";
(() => {
  const panel = document.getElementById("live");
  if (!panel || !window.EventSource) return;
  const part = (name) => document.getElementById(`live-${name}`);
  const again = part("again"), told = document.getElementById("told");
  const SILENCE = 30000;
  let spoken = Date.now();

  const item = (words) => {
    const line = document.createElement("li");
    line.textContent = words;
    return line;
  };
  const pointItem = (point) => {
    const line = document.createElement("li"), link = document.createElement("a"), chip = document.createElement("span");
    link.href = point.link;
    link.textContent = point.text;
    chip.className = `chip ${point.tone}`;
    chip.textContent = point.short;
    line.append(link, " ", chip);
    return line;
  };
  const fill = (list, values, make) => {
    if (!list.contains(document.activeElement)) list.replaceChildren(...values.map(make));
  };
  const show = (state) => {
    if (state.share === null) part("share").removeAttribute("value");
    else part("share").value = state.share;
    fill(part("lines"), state.lines, item);
    fill(part("newest"), state.newest, pointItem);
    part("points").hidden = state.newest.length === 0;
    fill(part("errors"), state.errors, item);
    part("failed").hidden = state.errors.length === 0;
    if (told && Date.now() - spoken > SILENCE) {
      spoken = Date.now();
      told.textContent = state.lines[0];
    }
    if (state.state !== "being written") {
      again.textContent = `The run is ${state.state}. Load the page again for all of it.`;
      if (told) told.textContent = again.textContent;
    }
  };

  const source = new EventSource(panel.dataset.live);
  again.textContent = "What is written shows here by itself.";
  source.addEventListener("message", (event) => show(JSON.parse(event.data)));
  source.addEventListener("end", () => {
    source.close();
    if ("reload" in panel.dataset) setTimeout(() => location.reload(), 1000);
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) again.textContent = "The connection is gone; load the page again.";
  });
  window.addEventListener("pagehide", () => source.close());
})();
