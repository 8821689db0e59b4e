"use strict";
(() => {
  const tell = (words) => { document.getElementById("told").textContent = words; };
  const cardOf = (panel) => panel.previousElementSibling;
  const panelOf = (card) => {
    const next = card && card.nextElementSibling;
    return next && next.matches(".judge") ? next : null;
  };

  const fail = (panel, words) => {
    const place = panel.querySelector(".failure");
    place.hidden = false;
    place.textContent = words + " Your note is still in the field; try again.";
  };

  const save = async (form, button) => {
    const panel = form.closest(".judge");
    if (panel.getAttribute("aria-busy") === "true") return;
    const body = new URLSearchParams(new FormData(form));
    body.set("verdict", button.value);
    body.set("fragment", "1");
    const field = form.querySelector("textarea");
    const sent = field.value;
    const focused = panel.contains(document.activeElement);
    panel.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(form.getAttribute("action"), { method: "POST", body, redirect: "error" });
      const text = await response.text();
      const parsed = new DOMParser().parseFromString(text, "text/html").querySelector(".judge");
      if (!response.ok || !parsed) {
        const plain = (response.headers.get("content-type") || "").startsWith("text/plain");
        fail(panel, plain ? text : `Not saved: the app refuses it (${response.status}); load the page anew.`);
        return;
      }
      if (field.value !== sent) parsed.querySelector("textarea").value = field.value;
      panel.replaceWith(parsed);
      if (focused) (parsed.querySelector('[aria-pressed="true"]') || parsed.querySelector("[data-judge]")).focus();
      tell(button.value === "retracted" ? "Taken back." : `Saved: ${button.value}.`);
    } catch {
      fail(panel, "Not saved: the app does not answer.");
    } finally {
      panel.removeAttribute("aria-busy");
    }
  };

  document.addEventListener("submit", (event) => {
    if (!event.target.closest(".judge") || !event.submitter) return;
    event.preventDefault();
    save(event.target, event.submitter);
  });
  document.addEventListener("focusin", (event) => {
    const panel = event.target.closest && event.target.closest(".judge");
    if (panel && panelOf(cardOf(panel)) === panel) cardOf(panel).dispatchEvent(new Event("focusin"));
  });

  const current = () => panelOf(document.querySelector("article.point.current"));
  for (const key of ["a", "d", "u"]) {
    window.reviewscoreKeys[key] = () => {
      const panel = current();
      if (panel) save(panel.querySelector("form"), panel.querySelector(`[data-judge="${key}"]`));
      else tell("Choose a point first, with j or k.");
    };
  }
  window.reviewscoreKeys.w = () => {
    const panel = current();
    if (panel) panel.querySelector("textarea").focus();
    else tell("Choose a point first, with j or k.");
  };
  // Out of the note, so that keys mean answers again; what was typed stays.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || !event.target.matches(".judge textarea")) return;
    event.preventDefault();
    cardOf(event.target.closest(".judge")).focus();
  });
  window.addEventListener("beforeunload", (event) => {
    const dirty = [...document.querySelectorAll(".judge textarea")].some((field) => field.value !== field.defaultValue);
    if (dirty) event.preventDefault();
  });
})();
