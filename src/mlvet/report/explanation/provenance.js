"use strict";
(() => {
  const answers = [...document.querySelectorAll(".answer")];

  const chooser = document.querySelector(".chooser");
  if (chooser) {
    const select = chooser.querySelector("select");
    const choose = () => { for (const answer of answers) answer.hidden = answer.id !== select.value; };
    select.addEventListener("input", () => { choose(); for (const answer of answers) answer.dispatchEvent(new Event("shown")); });
    const wanted = location.hash.slice(1);
    const given = answers.find((answer) => wanted && (answer.id === wanted || wanted.startsWith(`${answer.id}-`)));
    if (given) select.value = given.id;
    chooser.hidden = false;
    choose();
  }

  for (const answer of answers) {
    const svg = answer.querySelector(".provenance");
    const form = answer.querySelector(".tools");
    const search = form.querySelector("input");
    const told = form.querySelector("output");
    const panel = answer.querySelector(".figures");
    const vertices = [...svg.querySelectorAll(".vertex")].reverse();
    const byPlace = new Map(vertices.map((vertex) => [vertex.dataset.place, vertex]));
    const arrows = [...svg.querySelectorAll("path")];
    const rows = [...answer.querySelectorAll(".influences tbody tr")];
    const rowOf = new Map(rows.map((row) => [row.dataset.vertex, row]));
    const whole = svg.getAttribute("viewBox").split(" ").map(Number);
    let box = [...whole];
    let pinned = null;
    let place = -1;

    const touching = new Map(vertices.map((vertex) => [vertex.dataset.place, []]));
    for (const arrow of arrows) {
      touching.get(arrow.dataset.from).push(arrow);
      touching.get(arrow.dataset.to).push(arrow);
      const sign = arrow.classList.contains("minus") ? "minus-end" : arrow.classList.contains("plus") ? "plus-end" : "";
      const source = byPlace.get(arrow.dataset.from);
      if (sign && source.classList.contains("input")) source.classList.add(sign);
    }

    const shape = vertices.map((vertex) => {
      const circle = vertex.querySelector("circle");
      const [x, y, r] = ["cx", "cy", "r"].map((name) => Number(circle.getAttribute(name)));
      return { vertex, x, y, r, text: vertex.querySelector("text"), letters: vertex.querySelector("text").textContent.length };
    });

    const perPixel = () => {
      const size = svg.getBoundingClientRect();
      return size.width && size.height ? Math.max(box[2] / size.width, box[3] / size.height) : 1;
    };
    const label = () => {
      const scale = perPixel();
      const taken = [];
      const most = 16 * Math.max(1, (whole[2] / box[2]) ** 2);
      svg.style.setProperty("--letter", scale);
      for (const { vertex, x, y, r, text, letters } of shape) {
        const half = (letters * 3.7 + 3) * scale;
        const clash = (top) => taken.some((other) => x - half < other[2] && other[0] < x + half && top < other[3] && other[1] < top + 16 * scale);
        const above = clash(y + r) && !clash(y - r - 17 * scale);
        const top = above ? y - r - 17 * scale : y + r;
        text.setAttribute("y", top + 12 * scale);
        const inside = x > box[0] && x < box[0] + box[2] && y > box[1] && y < box[1] + box[3];
        const free = inside && taken.length < most && !clash(top);
        vertex.classList.toggle("unlabelled", !free);
        if (free) taken.push([x - half, top, x + half, top + 16 * scale]);
      }
    };
    let asked = 0;
    const view = (next) => {
      box = next;
      svg.setAttribute("viewBox", box.map((number) => number.toFixed(2)).join(" "));
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(label);
    };
    const zoom = (factor, at) => {
      const wide = Math.min(whole[2] * 2, Math.max(whole[2] / 40, box[2] / factor));
      const part = wide / box[2];
      const [x, y] = at || [box[0] + box[2] / 2, box[1] + box[3] / 2];
      view([x - (x - box[0]) * part, y - (y - box[1]) * part, wide, box[3] * part]);
    };
    const pan = (dx, dy) => view([box[0] + dx, box[1] + dy, box[2], box[3]]);
    const under = (event) => {
      const matrix = svg.getScreenCTM();
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      return [point.x, point.y];
    };

    const light = (vertex) => {
      const found = [];
      const pending = vertex ? [vertex.dataset.place] : [];
      const seen = new Set(pending);
      while (pending.length > 0) {
        const at = pending.pop();
        for (const arrow of touching.get(at)) {
          const other = arrow.dataset.from === at ? arrow.dataset.to : null;
          if (arrow.dataset.to === at && at !== vertex.dataset.place) continue;
          if (other === null) { found.push(arrow); seen.add(arrow.dataset.from); continue; }
          found.push(arrow);
          if (!seen.has(other)) { seen.add(other); pending.push(other); }
        }
      }
      return [new Set(found), seen];
    };
    const show = (vertex, more = "") => {
      const [lit, seen] = vertex ? light(vertex) : [new Set(), new Set()];
      const whole = !vertex || vertex.classList.contains("output");
      svg.classList.toggle("asked", !whole);
      for (const arrow of arrows) arrow.classList.toggle("lit", lit.has(arrow));
      for (const each of vertices) {
        each.classList.toggle("lit", seen.has(each.dataset.place));
        each.classList.toggle("at", each === vertex);
      }
      for (const row of rows) row.classList.toggle("at", Boolean(vertex) && row.dataset.vertex === vertex.id);
      panel.hidden = !vertex;
      if (vertex) panel.textContent = vertex.querySelector("title").textContent + more;
    };
    const own = (vertex) => {
      const leaving = touching.get(vertex.dataset.place).filter((arrow) => arrow.dataset.from === vertex.dataset.place);
      const name = vertex.querySelector("title").textContent.split("\n", 1)[0];
      const lines = leaving.slice(-4).reverse().map((arrow) => arrow.querySelector("title").textContent.slice(name.length + 1));
      return lines.map((line) => `\n${line.replace("\n", ": ").replace(" of the influence", "")}`).join("");
    };
    const tell = (vertex) => show(vertex, vertex && !vertex.classList.contains("rest") ? own(vertex) : "");
    const rest = () => tell(pinned);
    const go = (vertex) => {
      const { x, y } = shape.find((each) => each.vertex === vertex);
      view([x - box[2] / 2, y - box[3] / 2, box[2], box[3]]);
      pinned = vertex;
      tell(vertex);
    };

    svg.addEventListener("pointerover", (event) => {
      const vertex = event.target.closest(".vertex");
      const arrow = event.target.closest("path");
      if (vertex) tell(vertex);
      else if (arrow) { show(byPlace.get(arrow.dataset.from)); panel.textContent = arrow.querySelector("title").textContent; }
      else rest();
    });
    svg.addEventListener("pointerleave", rest);
    svg.addEventListener("focusin", (event) => {
      const vertex = event.target.closest(".vertex");
      if (vertex) { pinned = vertex; tell(vertex); }
    });
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), under(event));
    }, { passive: false });

    const fingers = new Map();
    let travelled = 0;
    svg.addEventListener("pointerdown", (event) => { fingers.set(event.pointerId, [event.clientX, event.clientY]); travelled = 0; });
    svg.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY];
      travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (travelled > 4 && !svg.hasPointerCapture(event.pointerId)) { svg.setPointerCapture(event.pointerId); svg.classList.add("dragged"); }
      const scale = perPixel();
      if (fingers.size === 1) pan((before[0] - now[0]) * scale, (before[1] - now[1]) * scale);
      else {
        const [other] = [...fingers].find(([id]) => id !== event.pointerId).slice(1);
        const apart = (at) => Math.hypot(at[0] - other[0], at[1] - other[1]) || 1;
        zoom(apart(now) / apart(before));
      }
      fingers.set(event.pointerId, now);
    });
    const lift = (event) => { fingers.delete(event.pointerId); svg.classList.remove("dragged"); };
    svg.addEventListener("pointerup", lift);
    svg.addEventListener("pointercancel", lift);
    svg.addEventListener("click", (event) => {
      if (travelled > 4) return;
      const vertex = event.target.closest(".vertex");
      pinned = vertex === pinned ? null : vertex;
      rest();
    });
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const at = vertices.indexOf(document.activeElement);
      if (step && event.shiftKey) {
        const by = perPixel() * 60 * step;
        pan(/Left|Right/.test(event.key) ? by : 0, /Up|Down/.test(event.key) ? by : 0);
      } else if (step) vertices[(at + step + vertices.length) % vertices.length].focus({ preventScroll: true });
      else if (event.key === "Home") vertices[0].focus({ preventScroll: true });
      else if (event.key === "+" || event.key === "=") zoom(1.4);
      else if (event.key === "-") zoom(1 / 1.4);
      else if (event.key === "0") view([...whole]);
      else if (event.key === "Escape") { pinned = null; rest(); svg.focus({ preventScroll: true }); }
      else return;
      event.preventDefault();
    });

    const nameOf = (vertex) => vertex.querySelector("title").textContent.split("\n", 1)[0].toLowerCase();
    const find = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = words.length > 0 ? vertices.filter((vertex) => words.every((word) => nameOf(vertex).includes(word))) : [];
      for (const row of rows) {
        const name = row.querySelector("th").textContent.toLowerCase();
        row.hidden = !words.every((word) => name.includes(word));
      }
      return found;
    };
    const next = (found) => {
      place = found.length > 0 ? (place + 1) % found.length : -1;
      told.value = !search.value ? "" : found.length > 0 ? `${place + 1} of ${found.length}` : "none";
      if (found.length > 0) go(found[place]);
      else { pinned = null; rest(); }
    };
    search.addEventListener("input", () => { place = -1; next(find()); });
    form.addEventListener("submit", (event) => { event.preventDefault(); next(find()); });
    form.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const factor = Number(button.dataset.zoom);
      if (factor) zoom(factor);
      else { pinned = null; rest(); view([...whole]); }
    });

    for (const row of rows) {
      const vertex = row.dataset.vertex && document.getElementById(row.dataset.vertex);
      if (!vertex) continue;
      row.addEventListener("pointerenter", () => tell(vertex));
      row.addEventListener("pointerleave", rest);
      row.querySelector("a").addEventListener("click", (event) => { event.preventDefault(); go(vertex); });
    }
    answer.addEventListener("shown", label);
    window.addEventListener("resize", label);
    form.hidden = false;
    label();
  }
})();
