"use strict";
const numbers = JSON.parse(document.getElementById("numbers").textContent);
const root = document.documentElement;

// Light and dark: as the system has it, until the button is pressed.
const theme = document.getElementById("theme");
const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const showTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.setAttribute("aria-pressed", String(isDark())); };
theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; showTheme(); });
showTheme();

document.getElementById("download").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(numbers, null, 2)], { type: "application/json" }));
  link.download = "errbar-report.json";
  link.click();
  URL.revokeObjectURL(link.href);
});

// Tables sort by the number that a cell begins with, else by its text; what is empty comes last.
const keyOf = (text) => { const found = /^\s*<?\s*([-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)/.exec(text); return found ? Number(found[1].replace("−", "-")) : text.trim().toLowerCase(); };
const compare = (a, b) => {
  if (a === "" || b === "") return (a === "") - (b === "");
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return typeof a === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0;
};
for (const table of document.querySelectorAll("section > .scroll > table[id]:not(#table-questions)")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row.cells[column].textContent), row]);
    rows.sort(([a], [b]) => (a === "" || b === "" ? compare(a, b) : down ? compare(b, a) : compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  }));
}
for (const input of document.querySelectorAll("input[data-filters]")) {
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    for (const row of document.getElementById(input.dataset.filters).tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}

// Questions: as many as fit on a page, in the chosen order.
const explorer = document.getElementById("explorer");
if (explorer) {
  const PAGE = 50;
  const table = document.getElementById("table-questions");
  const found = document.getElementById("found");
  let first = 0;
  let order = [];
  const chosen = () => numbers.questions[explorer.elements.task.value];
  const trialsOf = (data, system, at) => (typeof data.trials === "number" ? data.trials : data.trials[system][at]);
  const measured = new Map();
  const measures = (data) => {
    if (!measured.has(data)) {
      measured.set(data, data.names.map((name, at) => {
        let sum = 0, squares = 0, luck = 0, count = 0;
        data.systems.forEach((_, system) => {
          const n = trialsOf(data, system, at);
          if (!n) return;
          const share = data.right[system][at] / n;
          sum += share; squares += share * share; luck += share * (1 - share); count += 1;
        });
        const mean = sum / count;
        return { mean, luck: luck / count, apart: squares / count - mean * mean };
      }));
    }
    return measured.get(data);
  };
  const ORDERS = {
    hardest: (m) => (a, b) => m[a].mean - m[b].mean || a - b,
    easiest: (m) => (a, b) => m[b].mean - m[a].mean || a - b,
    flakiest: (m) => (a, b) => m[b].luck - m[a].luck || a - b,
    disputed: (m) => (a, b) => m[b].apart - m[a].apart || a - b,
    name: () => (a, b) => a - b,
  };
  const cell = (row, text, tag = "td") => { const one = document.createElement(tag); one.textContent = text; row.append(one); return one; };
  const show = () => {
    const data = chosen(), m = measures(data);
    const head = document.createElement("tr");
    for (const text of ["question", ...(data.clusters.length ? ["cluster"] : []), "right", ...data.systems]) cell(head, text, "th").scope = "col";
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...order.slice(first, first + PAGE).map((at) => {
      const row = document.createElement("tr");
      cell(row, data.names[at]).className = "long";
      if (data.clusters.length) cell(row, data.clusters[at]);
      cell(row, m[at].mean.toFixed(2));
      data.systems.forEach((_, system) => { const n = trialsOf(data, system, at); cell(row, n ? `${data.right[system][at]}/${n}` : ""); });
      return row;
    }));
    found.textContent = order.length ? `${order.length} questions; ${first + 1} to ${Math.min(first + PAGE, order.length)} are shown.` : "No question has this in its name.";
    document.getElementById("earlier").disabled = first === 0;
    document.getElementById("later").disabled = first + PAGE >= order.length;
  };
  const arrange = () => {
    const data = chosen(), wanted = explorer.elements.find.value.toLowerCase();
    order = data.names.map((_, at) => at).filter((at) => data.names[at].toLowerCase().includes(wanted));
    order.sort(ORDERS[explorer.elements.order.value](measures(data)));
    first = 0;
    show();
  };
  explorer.addEventListener("input", arrange);
  explorer.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("earlier").addEventListener("click", () => { first -= PAGE; show(); });
  document.getElementById("later").addEventListener("click", () => { first += PAGE; show(); });
  arrange();
}
