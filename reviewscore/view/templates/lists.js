"use strict";
(() => {
  const keys = window.reviewscoreKeys;
  const search = document.querySelector('[data-focus="/"]');
  if (search) keys["/"] = () => { search.focus(); search.select(); };

  const phone = matchMedia("(max-width: 40rem)").matches;
  for (const fold of document.querySelectorAll("details[data-fold=phone]")) fold.open = !phone;

  // A page that lacks what is still being made is loaded again once, when it is there.
  const ready = async () => {
    const text = await (await fetch(location.href)).text();
    if (text.includes("data-again") || document.activeElement.closest("form")) setTimeout(ready, 3000);
    else location.reload();
  };
  if (document.querySelector("[data-again]")) setTimeout(ready, 1500);

  const back = document.getElementById("back");
  if (!back) return;

  // Who came from the list, or from two runs side by side, finds it where it was left.
  const list = back.href.split("#")[0];
  const came = document.referrer === list || document.referrer.startsWith(location.origin + "/compare?");
  back.addEventListener("click", (event) => {
    if (came && history.length > 1) { event.preventDefault(); history.back(); }
  });
  keys.Escape = () => back.click();
  const current = () => document.querySelector("article.point.current");
  keys.r = () => {
    const review = (current() || document.querySelector("article.point"))?.closest(".review");
    const whole = review && review.querySelector("details.whole");
    if (!whole) return;
    whole.open = !whole.open;
    (whole.open ? whole : current() || whole).scrollIntoView({ block: "start" });
  };

  const onward = document.getElementById("onward");
  const follow = (card) => {
    const address = new URL(onward.href);
    address.searchParams.set("point", card.id);
    onward.href = address;
    if (back.href.includes("list=points")) back.hash = card.id;
    for (const link of document.querySelectorAll(".jumps a")) {
      if (link.hash === "#" + card.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  document.addEventListener("point", (event) => follow(event.detail));
  if (current()) follow(current());
})();
