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
      texts.set(row, `${row.textContent} ${card ? card.textContent : ""}`.toLowerCase());
    }
    return texts.get(row);
  };

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

  for (const button of all("button[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
  });
})();
