"use strict";
(() => {
  const seconds = Number(document.body.dataset.refresh);
  if (seconds) setTimeout(() => location.reload(), 1000 * seconds);

  for (const area of document.querySelectorAll("[data-drop]")) {
    const field = area.querySelector("input[type=file]");
    const over = (event) => { event.preventDefault(); area.classList.toggle("over", event.type === "dragover"); };
    for (const name of ["dragover", "dragleave"]) area.addEventListener(name, over);
    area.addEventListener("drop", (event) => {
      over(event);
      if (!event.dataTransfer.files.length) return;
      const all = new DataTransfer();
      for (const file of [...field.files, ...event.dataTransfer.files]) all.items.add(file);
      field.files = all.files;
    });
  }

  const judge = document.querySelector("[data-judge]");
  if (judge) {
    const show = () => { for (const part of document.querySelectorAll("[data-other]")) part.hidden = judge.value !== "other"; };
    judge.addEventListener("change", show);
    show();
  }
})();
