"use strict";
(() => {
  const section = document.querySelector(".maps");
  if (!section) return;
  const form = section.querySelector(".map-controls");
  const chosen = form.querySelector("select");
  const search = form.querySelector("input");
  const told = form.querySelector("output");
  const maps = [...section.querySelectorAll(".map")];
  const current = () => maps.find((map) => map.id === chosen.value);
  const boxes = () => [...current().querySelectorAll(".graph .layer")];
  const textOf = (box) => box.querySelector("title").textContent;
  let place = -1;

  const show = (box) => {
    for (const each of boxes()) each.classList.toggle("at", each === box);
    current().querySelector(".figures").textContent = textOf(box);
  };
  const go = (box) => {
    const sheet = current().querySelector(".scroll");
    const [inner, outer] = [box.getBoundingClientRect(), sheet.getBoundingClientRect()];
    sheet.scrollTo(
      sheet.scrollLeft + inner.left - outer.left - (outer.width - inner.width) / 2,
      sheet.scrollTop + inner.top - outer.top - (outer.height - inner.height) / 2,
    );
    show(box);
  };
  const next = (list) => {
    if (list.length === 0) return;
    place = (place + 1) % list.length;
    go(list[place]);
    told.value = `${place + 1} of ${list.length}`;
  };
  const wrong = () => boxes().filter((box) => box.classList.contains("wrong"));
  const find = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const nameAndKind = (box) => textOf(box).split("\n", 2).join(" ").toLowerCase();
    const found = boxes().filter((box) => words.every((word) => nameAndKind(box).includes(word)));
    current().classList.toggle("searching", words.length > 0);
    const cells = [...current().querySelectorAll(".overview .layer")];
    boxes().forEach((box, index) => {
      for (const each of [box, cells[index]]) each.classList.toggle("match", found.includes(box));
    });
    return words.length > 0 ? found : [];
  };
  const choose = () => {
    for (const map of maps) { map.hidden = map !== current(); map.open = map === current(); }
    form.querySelector(".next").hidden = wrong().length === 0;
    place = -1;
    told.value = "";
    find();
    if (wrong().length > 0) go(wrong()[0]);
  };

  for (const map of maps) {
    const figures = (event) => { const box = event.target.closest(".graph .layer"); if (box) show(box); };
    map.addEventListener("pointerover", figures);
    map.addEventListener("focusin", figures);
    map.querySelector(".overview").addEventListener("click", (event) => {
      const cell = event.target.closest("a");
      if (!cell) return;
      event.preventDefault();
      go(document.getElementById(cell.getAttribute("href").slice(1)));
    });
  }
  chosen.addEventListener("input", choose);
  search.addEventListener("input", () => {
    place = -1;
    const found = find();
    next(found);
    if (search.value && found.length === 0) told.value = "none";
    if (!search.value) told.value = "";
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); next(find()); });
  form.querySelector(".next").addEventListener("click", () => next(wrong()));
  form.hidden = false;
  choose();
})();
