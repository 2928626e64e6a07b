"use strict";
(() => {
  const bar = document.querySelector(".filters");
  const findings = [...document.querySelectorAll(".finding")];
  if (!bar || findings.length === 0) return;
  const form = bar.querySelector("form");
  const shown = form.querySelector("output");
  const nothing = document.querySelector(".nothing");
  const files = [...document.querySelectorAll(".file")];
  const texts = new Map();
  const textOf = (finding) => {
    if (!texts.has(finding)) {
      texts.set(finding, `${finding.closest(".file").dataset.path} ${finding.textContent}`.toLowerCase());
    }
    return texts.get(finding);
  };

  const apply = () => {
    const checked = (name) => new Set([...form.querySelectorAll(`[name="${name}"]:checked`)].map((box) => box.value));
    const wanted = { severity: checked("severity"), certainty: checked("certainty"), rule: checked("rule") };
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const finding of findings) {
      const keep = Object.entries(wanted).every(([key, values]) => values.has(finding.dataset[key]))
        && words.every((word) => textOf(finding).includes(word));
      finding.hidden = !keep;
      count += keep;
    }
    for (const file of files) file.hidden = !file.querySelector(".finding:not([hidden])");
    const [some, all] = [count, findings.length].map((number) => number.toLocaleString("en"));
    shown.value = some === all ? `${all} shown` : `${some} of ${all} shown`;
    nothing.hidden = count > 0;
  };

  const setRules = (state) => {
    for (const box of form.querySelectorAll('[name="rule"]')) box.checked = state;
    apply();
  };
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.hidden) { form.reset(); apply(); }
    if (target.tagName === "DETAILS") target.open = true;
    target.scrollIntoView();
  };

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector(".all").addEventListener("click", () => setRules(true));
  form.querySelector(".none").addEventListener("click", () => setRules(false));
  document.addEventListener("click", (event) => {
    const menu = form.querySelector("details");
    if (!menu.contains(event.target)) menu.open = false;
  });
  window.addEventListener("hashchange", reveal);
  bar.hidden = false;
  apply();
  reveal();
})();
