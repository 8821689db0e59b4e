"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const cards = new Map(all("article.point").map((card) => [card.id, card]));
  const rows = all("table.points tbody tr");
  const texts = new Map();
  rows.forEach((row, place) => { row.dataset.rank = place; });

  const words = (row) => {
    if (!texts.has(row)) {
      const card = cards.get(row.dataset.for);
      texts.set(row, `${row.textContent} ${row.dataset.words || ""} ${card ? card.textContent : ""}`.toLowerCase());
    }
    return texts.get(row);
  };

  // Reading all words takes a moment: it is done before anybody types.
  (window.requestIdleCallback || setTimeout)(() => rows.forEach(words));

  const form = document.querySelector("form.controls");
  if (form) {
    form.hidden = false;
    const fields = all("[data-filter]", form);
    const shown = form.querySelector(".shown");
    const filter = () => {
      let count = 0;
      for (const row of rows) {
        const fits = fields.every((field) => {
          const wanted = field.value.trim();
          if (!wanted) return true;
          if (field.dataset.filter === "words") {
            return wanted.toLowerCase().split(/\s+/).every((word) => words(row).includes(word));
          }
          return row.dataset[field.dataset.filter] === wanted;
        });
        row.hidden = !fits;
        const card = cards.get(row.dataset.for);
        if (card) card.hidden = !fits;
        count += fits ? 1 : 0;
      }
      for (const part of all("section.review, section.paper")) {
        part.hidden = !part.querySelector("article.point:not([hidden])");
      }
      shown.textContent = count === rows.length ? `${count} points` : `${count} of ${rows.length} points`;
    };
    let waiting = 0;
    form.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(filter, 120);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter, 0));
    // A browser may bring back what was chosen before a reload.
    filter();
  }

  const collator = new Intl.Collator("en", { numeric: true });
  const value = (row, name) => {
    if (name === "order") return row.dataset.order;
    if (name === "place") return row.cells[2].textContent;
    if (name === "text") return row.cells[4].textContent;
    return row.dataset[name];
  };
  for (const button of all("button[data-sort]")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of all("th[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const name = button.dataset.sort;
      const sign = down ? -1 : 1;
      const sorted = [...rows].sort((a, b) =>
        sign * collator.compare(value(a, name), value(b, name)) || a.dataset.rank - b.dataset.rank);
      document.querySelector("table.points tbody").append(...sorted);
    });
  }

  for (const button of all("button[data-copy], button[data-copy-next]")) {
    if (!navigator.clipboard) continue;
    const named = button.dataset.copy;
    const source = named ? document.getElementById(named) : button.nextElementSibling;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    });
  }

  const pane = document.getElementById("pane");
  const papers = new Map();
  const unpack = async (id) => {
    if (!papers.has(id)) {
      const holder = all(".packed").find((one) => one.dataset.paper === id);
      const bytes = Uint8Array.from(atob(holder.dataset.text), (char) => char.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      // Offsets count characters, not the halves of which JavaScript makes some of them.
      papers.set(id, [...await new Response(stream).text()]);
    }
    return papers.get(id);
  };
  let asker = null;
  const close = () => {
    pane.hidden = true;
    document.body.classList.remove("beside");
    if (asker) asker.focus();
  };
  const show = async (button) => {
    const chars = await unpack(button.dataset.paper);
    const start = Number(button.dataset.start);
    const end = Number(button.dataset.end);
    const mark = document.createElement("mark");
    mark.className = "quote";
    mark.textContent = chars.slice(start, end).join("");
    pane.querySelector(".pane-text")
      .replaceChildren(chars.slice(0, start).join(""), mark, chars.slice(end).join(""));
    pane.querySelector(".pane-title").textContent = button.dataset.paper;
    asker = button;
    pane.hidden = false;
    document.body.classList.add("beside");
    pane.focus();
    button.scrollIntoView({ block: "center" });
    mark.scrollIntoView({ block: "center" });
  };
  if (pane && "DecompressionStream" in window) {
    for (const button of all("button.jump[data-start]")) {
      button.hidden = false;
      button.addEventListener("click", () => show(button));
    }
    pane.querySelector(".close").addEventListener("click", close);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !pane.hidden) close();
    });
  }

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open], .further)");
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
  });
})();
