"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const told = document.getElementById("told");
  const tell = (words) => { if (told) told.textContent = words; };

  const cards = all("article.point");
  const wanted = document.body.dataset.at;
  let at = -1;
  const show = (place, jump = true) => {
    if (place < 0 || place >= cards.length) return;
    if (at >= 0) cards[at].classList.remove("current");
    at = place;
    const card = cards[at];
    card.classList.add("current");
    if (jump) { card.scrollIntoView({ block: "start" }); card.focus({ preventScroll: true }); }
    const address = new URL(location.href);
    address.searchParams.set("point", card.id);
    address.hash = "";
    if (card.id !== wanted) address.searchParams.delete("from");
    history.replaceState(null, "", address);
    document.dispatchEvent(new CustomEvent("point", { detail: card }));
  };
  cards.forEach((card, place) => card.addEventListener("focusin", () => { if (place !== at) show(place, false); }));
  const first = cards.findIndex((card) => card.id === wanted);
  if (first >= 0) show(first);

  const help = document.getElementById("help");
  for (const button of all("[data-help]")) {
    if (!help) break;
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
  }
  for (const button of all("[data-copy]")) {
    if (!navigator.clipboard) break;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      tell("Copied.");
    });
  }

  const keys = {
    j: () => show(at + 1),
    k: () => show(at - 1),
    "?": () => { if (help) help.showModal(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); return; }
    const link = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (link) { event.preventDefault(); link.click(); }
  });
  window.reviewscoreKeys = keys;
})();
