"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const home = document.body.dataset.home;
  const point = document.body.dataset.point;
  const keep = {
    get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window */ } },
    drop: (key) => { try { localStorage.removeItem(key); } catch { /* private window */ } },
  };
  const typing = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");

  // Time spent: only while the page is seen and something was done in the last minute.
  let seconds = 0;
  let lastTouch = Date.now();
  for (const name of ["keydown", "pointerdown", "pointermove", "scroll", "wheel"]) {
    addEventListener(name, () => { lastTouch = Date.now(); }, { passive: true, capture: true });
  }
  setInterval(() => {
    if (document.visibilityState === "visible" && Date.now() - lastTouch < 60000) seconds += 1;
  }, 1000);

  // Reasons that are typed but not saved outlive a closed page.
  const draftOf = (area) => `draft ${home} ${area.form.elements.unit?.value ?? point} ${area.id}`;
  const refill = () => {
    for (const area of all("#work textarea")) {
      const draft = keep.get(draftOf(area));
      if (draft === null) continue;
      if (draft === area.dataset.saved) keep.drop(draftOf(area));
      else {
        area.value = draft;
        for (let box = area.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
      }
    }
  };
  document.addEventListener("input", (event) => {
    if (event.target.matches("#work textarea")) keep.set(draftOf(event.target), event.target.value);
  });

  const work = one("#work");
  const pendingKey = `pending ${home} ${point}`;
  let busy = false;
  const tell = (words, tone) => {
    const place = one("#told", work);
    if (place.textContent.trim() === words) return;
    const note = document.createElement("p");
    note.className = `notice ${tone}`;
    note.textContent = words;
    place.replaceChildren(note);
  };
  const settle = (anchor) => {
    const wants = anchor ? document.getElementById(anchor) : null;
    if (wants?.hasAttribute("data-wants")) { one("textarea", wants).focus(); return; }
    if (wants?.hasAttribute("data-stay")) { wants.open = true; one("summary", wants).focus(); return; }
    const current = one("[data-current] .choice", work) ?? one("[data-go='r']", work);
    (current ?? one("[data-finished]", work))?.focus({ preventScroll: true });
    (one("[data-current]", work) ?? one("[data-finished]", work))?.scrollIntoView({ block: "nearest" });
  };
  const send = async (pending) => {
    busy = true;
    work.setAttribute("aria-busy", "true");
    keep.set(pendingKey, JSON.stringify(pending));
    try {
      const reply = await fetch(pending.action, {
        method: "POST", body: new URLSearchParams(pending.fields), headers: { "X-Part": "1" },
        redirect: "error",
      });
      const text = await reply.text();
      busy = false;
      keep.drop(pendingKey);
      work.removeAttribute("aria-busy");
      if (reply.status === 403 || reply.status === 404) {
        tell("Not saved: this page is out of date. Open your address again; what you typed is kept.", "bad");
        return;
      }
      if (reply.ok) {
        seconds = 0;
        (pending.drafts ?? []).forEach(keep.drop);
      }
      const page = new DOMParser().parseFromString(text, "text/html");
      work.replaceChildren(...page.body.childNodes);
      refill();
      if (reply.ok) settle(pending.anchor);
      else (one(".choice.tried", work) ?? one("[data-current] .choice", work))?.focus();
    } catch {
      tell("Not saved yet: the workspace does not answer. Your choice is kept here and tried again every few seconds.", "bad");
      setTimeout(() => send(pending), 2000);
    }
  };
  if (work) {
    work.addEventListener("submit", (event) => {
      const form = event.target;
      if (!form.hasAttribute("data-part")) return;
      event.preventDefault();
      if (busy) return;
      const fields = [...new FormData(form, event.submitter)].map(([name, value]) => [name, String(value)]);
      fields.push(["seconds", String(seconds)]);
      send({ action: form.action, fields, anchor: form.closest("details.field")?.id,
             drafts: all("textarea", form).map(draftOf) });
    });
    refill();
    const left = keep.get(pendingKey);
    if (left) send(JSON.parse(left)); else settle(null);
  }

  // The review beside the forms, at the point that is judged.
  const here = one("[data-review] .here-now");
  const around = here?.closest("[data-review]");
  if (around) around.scrollTop += here.getBoundingClientRect().top - around.getBoundingClientRect().top - 40;

  // A passage that is marked in the paper, kept while a button is reached for.
  let marked = "";
  document.addEventListener("selectionchange", () => {
    const chosen = getSelection();
    const words = chosen.toString().replace(/\s+/g, " ").trim();
    if (words && one("#paper .scrolls")?.contains(chosen.anchorNode)) marked = words;
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-take]")) return;
    const area = one("textarea[name='passages']", event.target.form);
    if (marked) {
      area.value = [area.value.trimEnd(), marked].filter(Boolean).join("\n");
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }
    area.focus();
  });

  // Search in the paper.
  const find = one("[data-find]");
  if (find) {
    const texts = all("[data-text]").map((place) => [place, place.textContent]);
    // A word of 100,000 characters takes a browser seconds to lay out unless it may be broken.
    const soft = (text) => text.split(/(\S{200})(?=\S)/u).flatMap((part, n) => n ? [document.createElement("wbr"), part] : [part]);
    const box = one("#find");
    const shown = one("[data-hits]");
    let hits = [];
    let at = -1;
    const go = (step) => {
      if (!hits.length) return;
      hits[at]?.classList.remove("here");
      at = (at + step + hits.length) % hits.length;
      hits[at].classList.add("here");
      hits[at].scrollIntoView({ block: "center" });
      shown.textContent = `${at + 1} of ${hits.length}`;
    };
    const search = () => {
      const wanted = box.value.trim();
      hits = []; at = -1;
      const pattern = wanted.length > 1
        ? new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu") : null;
      for (const [place, text] of texts) {
        const parts = [];
        let end = 0;
        for (const match of pattern ? text.matchAll(pattern) : []) {
          if (hits.length >= 2000) break;
          const mark = document.createElement("mark");
          mark.textContent = match[0];
          parts.push(...soft(text.slice(end, match.index)), mark);
          hits.push(mark);
          end = match.index + match[0].length;
        }
        if (parts.length || one("mark", place)) place.replaceChildren(...parts, ...soft(text.slice(end)));
      }
      shown.textContent = !pattern ? "" : hits.length ? "" : "not found";
      go(1);
    };
    let wait;
    box.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(search, 120); });
    find.addEventListener("submit", (event) => { event.preventDefault(); if (hits.length) go(1); else search(); });
    all("[data-hit]", find).forEach((button) => button.addEventListener("click", () => go(Number(button.dataset.hit))));
  }

  // Keys.
  const dialog = one("#keys");
  one("[data-help]")?.addEventListener("click", () => dialog.showModal());
  const onoff = one("[data-keys-on]");
  if (onoff) {
    onoff.checked = keep.get("keys") !== "off";
    onoff.addEventListener("change", () => keep.set("keys", onoff.checked ? "on" : "off"));
  }
  const frame = () =>
    document.activeElement?.closest("details.field, form[data-keys]") ?? one("[data-current]") ?? one("form[data-keys]");
  document.addEventListener("keydown", (event) => {
    if (event.target.matches?.("textarea")) {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        const form = event.target.form;
        const button = one("[data-reason], button.main", form);
        if (button) form.requestSubmit(button);
        else one(".choice", form).focus();
        event.preventDefault();
      } else if (event.key === "Escape") settle(null);
      return;
    }
    if (event.target.matches?.("#find") && event.key === "Escape") { settle(null); return; }
    if (typing() || event.ctrlKey || event.metaKey || event.altKey || dialog?.open) return;
    if (keep.get("keys") === "off") return;
    if (event.key === "?") { dialog?.showModal(); event.preventDefault(); return; }
    if (event.key === "/") { one("#find")?.focus(); event.preventDefault(); return; }
    if (event.key === "e") {
      const field = frame();
      if (field?.matches("details")) { field.open = true; one("textarea", field)?.focus(); event.preventDefault(); }
      return;
    }
    const target = /^[0-9]$/.test(event.key)
      ? one(`.choice[data-key="${event.key}"]:not(:disabled)`, frame() ?? document.createElement("i"))
      : /^[a-z]$/.test(event.key) ? one(`[data-go="${event.key}"]`) : null;
    if (target && !event.repeat) { target.click(); event.preventDefault(); }
  });

  // Live numbers of the coordinator.
  const live = one("[data-live]");
  if (live) {
    setInterval(async () => {
      if (document.visibilityState !== "visible" || live.contains(document.activeElement)) return;
      try {
        const reply = await fetch(live.dataset.live);
        if (!reply.ok) return;
        const page = new DOMParser().parseFromString(await reply.text(), "text/html");
        live.replaceChildren(...page.body.childNodes);
      } catch { /* the next round asks again */ }
    }, 5000);
  }
})();
