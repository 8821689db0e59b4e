"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const keys = window.reviewscoreKeys || {};
  const told = document.getElementById("told");
  let view = document.getElementById("pane-view");
  if (!view) return;
  let asker = null;
  let zoom = 1;

  const scroller = () => view.querySelector(".pane-scroll");
  const within = (element) => element.getBoundingClientRect().top - scroller().getBoundingClientRect().top;
  const scrollTo = (element, share) => {
    const area = scroller();
    const left = element.getBoundingClientRect().left - area.getBoundingClientRect().left;
    area.scrollTop += within(element) - share * area.clientHeight;
    if (area.scrollWidth > area.clientWidth) area.scrollLeft += left - area.clientWidth / 4;
  };
  const place = (id) => all(`[data-mark="${CSS.escape(id)}"]`, view);

  // Frames a mark and scrolls to it; says whether there is one.
  const frame = (id) => {
    const found = place(id);
    for (const old of all(".current", view)) old.classList.remove("current");
    for (const one of found) one.classList.add("current");
    for (const one of all("mark[data-marks]", view)) {
      if (one.dataset.marks.split(" ").includes(id)) one.classList.add("current");
    }
    if (found.length) scrollTo(found[0], 0.3);
    return found.length > 0;
  };

  const swap = async (query) => {
    const answer = await fetch(view.dataset.link + query, { credentials: "same-origin" });
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("pane-view");
    if (!fresh) return false;
    const looking = query.includes("look=");
    if (looking && !fresh.querySelector(".on-page.hidden")) {
      const link = view.querySelector(".pane-look");
      if (link) link.remove();
      return true;
    }
    const top = looking ? scroller().scrollTop : 0;
    const current = view.querySelector(".current[data-mark]");
    view.replaceWith(document.adoptNode(fresh));
    view = document.getElementById("pane-view");
    prepare();
    if (current) frame(current.dataset.mark);
    if (top) scroller().scrollTop = top;
    return true;
  };

  window.showPlace = async (id, from = null) => {
    asker = from || document.activeElement;
    let shown = frame(id);
    const text = view.querySelector('a[data-as="text"]');
    if (!shown && text && (await swap("?as=text"))) shown = frame(id);  // not found on the pages
    if (!shown) {
      if (told) told.textContent = "This place is not in the paper at hand.";
      return false;
    }
    const target = place(id)[0];
    target.focus({ preventScroll: true });
    if (view.getBoundingClientRect().bottom < 60 || view.getBoundingClientRect().top > innerHeight - 60) {
      view.scrollIntoView({ block: "nearest" });
    }
    view.querySelector(".pane-back").hidden = false;
    return true;
  };

  const back = () => {
    const mark = view.querySelector(".current[data-card]");
    const card = mark && document.getElementById(mark.dataset.card);
    const target = asker && asker.isConnected && asker !== document.body ? asker : card;
    if (!target) return;
    target.focus();
    target.scrollIntoView({ block: "nearest" });
    asker = null;
    view.querySelector(".pane-back").hidden = true;
  };

  const nameOf = (button) => `m-${button.dataset.start}-${button.dataset.end}`;
  const firstPlace = (card) => card && all(".jump[data-start]", card).map(nameOf).find((id) => place(id).length);
  const follow = (card) => { const id = firstPlace(card); if (id) frame(id); };

  const setZoom = (step) => {
    const area = scroller();
    const share = area.scrollTop / Math.max(1, area.scrollHeight);
    zoom = Math.min(4, Math.max(0.5, zoom * (step > 0 ? 1.25 : 0.8)));
    if (Math.abs(zoom - 1) < 0.05) zoom = 1;
    view.style.setProperty("--zoom", zoom);
    for (const image of all(".sheet-page img", view)) image.sizes = `${Math.round(48 * zoom)}vw`;
    area.scrollTop = share * area.scrollHeight;
  };

  const prepare = () => {
    view.style.setProperty("--zoom", zoom);
    for (const tools of all(".pane-tools", view)) tools.hidden = false;
    for (const button of all("[data-zoom]", view)) {
      button.addEventListener("click", () => setZoom(Number(button.dataset.zoom)));
    }
    const number = view.querySelector(".pane-number");
    if (number) {
      number.addEventListener("change", () => {
        const sheet = document.getElementById(`sheet-${number.value}`);
        if (sheet) scrollTo(sheet, 0);
      });
      scroller().addEventListener("scroll", () => {
        if (document.activeElement === number) return;
        const middle = scroller().clientHeight / 3;
        const seen = all(".sheet-page", view).filter((sheet) => within(sheet) <= middle).pop();
        if (seen) number.value = seen.id.slice(6);
      }, { passive: true });
    }
    for (const link of all("a[data-as]", view)) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        swap(link.dataset.as === "text" ? "?as=text" : "").then(() => scroller().focus());
      });
    }
    for (const link of all("a[data-card]", view)) {
      link.addEventListener("click", (event) => {
        const card = document.getElementById(link.dataset.card);
        if (!card) return;
        event.preventDefault();
        frame(link.dataset.mark);
        card.focus();
        card.scrollIntoView({ block: "nearest" });
      });
    }
    for (const link of all('a.badge[href^="#hidden"]', view)) {
      link.addEventListener("click", (event) => { event.preventDefault(); frame("hidden-1"); });
    }
    view.querySelector(".pane-back").addEventListener("click", back);
    if ("look" in view.dataset && view.querySelector(".sheet-page")) swap("?look=hidden");
  };

  for (const button of all("button.jump[data-start]")) {
    button.hidden = false;
    button.addEventListener("click", () => window.showPlace(nameOf(button), button));
  }
  keys.p = () => {
    if (view.contains(document.activeElement)) { back(); return; }
    const card = document.querySelector("article.point.current");
    const id = firstPlace(card) || (card && all(".jump[data-start]", card).map(nameOf)[0]);
    if (id) window.showPlace(id, card);
    else if (told) told.textContent = "This point rests on no place of the paper.";
  };
  keys["+"] = keys["="] = () => setZoom(1);
  keys["-"] = () => setZoom(-1);
  document.addEventListener("point", (event) => follow(event.detail));
  prepare();
  follow(document.querySelector("article.point.current"));
})();
