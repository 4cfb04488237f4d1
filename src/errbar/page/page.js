"use strict";
const byId = (id) => document.getElementById(id);
const numbers = JSON.parse(byId("numbers").textContent);
for (const result of Object.values(numbers.results)) if (result.rows.columns) { // back to a record per row
  const { size, columns } = result.rows;
  const cells = Object.entries(columns).map(([name, column]) => [name, "all" in column ? () => column.all : "of" in column ? (at) => column.of[column.at[at]] : (at) => column[at]]);
  result.rows = Array.from({ length: size }, (_, at) => Object.fromEntries(cells.map(([name, cell]) => [name, cell(at)])));
}
const looks = JSON.parse(byId("looks").textContent);
const root = document.documentElement;
const onPaper = matchMedia("print");
const make = (tag, text = "", attributes = {}) => {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};
const named = (element, text) => { const whole = make("span", "", { class: "whole" }); for (const part of text.split(/(?<=[_/,=\s])(?=[^_/,=\s])/)) whole.append(make("span", part, { class: "part" })); element.append(whole); return element; }; // breaks after a separator
const count = (number) => number.toLocaleString("en");
const joined = (...parts) => parts.map((part, at) => (at ? part.replace(/^[-_/:. ]+/, "") : part)).map((part, at, all) => (at < all.length - 1 ? part.replace(/[-_/:. ]+$/, "") : part)).join("…"); // without separators at a cut
const short = (text, most) => (text.length > most ? joined(text.slice(0, Math.ceil(most / 2) - 1), text.slice(-Math.floor(most / 2))) : text); // names differ at their ends
const shared = (names) => { let at = 0; while (names.every((name) => at < name.length && name[at] === names[0][at])) at += 1; return at; };
const reversed = (text) => [...text].reverse().join("");
const alone = (texts, at) => texts.indexOf(texts[at]) === texts.lastIndexOf(texts[at]);
const labels = (names, most) => { // or else between what they share, or else by their places
  const cut = names.map((name) => short(name, most));
  const apart = cut.map((text, at) => {
    if (alone(cut, at)) return text;
    const same = names.filter((_, other) => cut[other] === text), name = names[at];
    const start = shared(same), end = Math.max(start, name.length - shared(same.map(reversed)));
    const part = short(name.slice(start, end), most - 8), room = most - part.length - 2;
    return joined(name.slice(0, Math.ceil(room / 2)), part, name.slice(name.length - Math.floor(room / 2)));
  });
  return apart.map((text, at) => (alone(apart, at) ? text : `${at + 1}: ${short(names[at], most - 4)}`));
};
const dot = (system) => make("span", "", { class: "dot", style: `--c:${looks.colours[system]}` });

// Light and dark: as the system has it, until the button is pressed.
const theme = byId("theme");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
const redraws = []; // what does not follow a style sheet by itself
const redraw = () => redraws.forEach((draw) => draw());
const showTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.setAttribute("aria-pressed", String(isDark())); redraw(); };
theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; showTheme(); });
prefersDark.addEventListener("change", showTheme);

byId("download").addEventListener("click", () => {
  const link = make("a", "", { download: "errbar-report.json" });
  link.href = URL.createObjectURL(new Blob([JSON.stringify(numbers, null, 2)], { type: "application/json" }));
  link.click();
  URL.revokeObjectURL(link.href);
});

// On paper every table is open that has not more rows than a few pages hold.
const MOST_ON_PAPER = 100;
const folds = [...document.querySelectorAll("details")].filter((fold) => fold.querySelectorAll("tbody tr").length <= MOST_ON_PAPER);
let folded = [];
const unfold = (begins) => {
  if (begins) { folded = folded.length ? folded : folds.filter((fold) => !fold.open); folded.forEach((fold) => { fold.open = true; }); }
  else { folded.forEach((fold) => { fold.open = false; }); folded = []; }
  redraw();
};
addEventListener("beforeprint", () => unfold(true)); // in time for the browser to count the pages
addEventListener("afterprint", () => unfold(false));
onPaper.addEventListener("change", (event) => unfold(event.matches));

// Tooltips: the text of data-tip, or what a chart says at a place.
const tip = byId("tip");
const showTip = (text, x, y) => {
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? y - height - 12 : y + 18}px`;
};
const hideTip = () => { tip.hidden = true; };
for (const element of document.querySelectorAll("[data-tip]")) {
  element.addEventListener("pointermove", (event) => showTip(element.dataset.tip, event.clientX, event.clientY));
  element.addEventListener("pointerleave", hideTip);
}
addEventListener("scroll", hideTip, { passive: true });
addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

// Long lists begin with twelve rows, and the axis of a long leaderboard with what these need.
const SHORT = 12;
const axisOf = (ends) => {
  const low = Math.min(...ends), rough = (Math.max(...ends) - low || 1) / 5, size = 10 ** Math.floor(Math.log10(rough));
  const step = size * [1, 2, 5, 10].find((part) => part * size >= rough * (1 - 1e-9)), first = Math.floor(low / step + 1e-9);
  const parts = Math.max(1, Math.ceil(Math.max(...ends) / step - 1e-9) - first);
  return { parts, at: (value) => `${100 * (value / step - first) / parts}%`, ticks: Array.from({ length: parts + 1 }, (_, tick) => Number(((first + tick) * step).toPrecision(12))) };
};
const rescale = (table, rows) => {
  const endsOf = (row) => row.dataset.ends.split(" ").map(Number), axis = axisOf(rows.flatMap(endsOf).filter(Number.isFinite));
  table.querySelector(".scale").replaceChildren(...axis.ticks.map((tick) => make("i", String(tick).replace("-", "−"), { style: `left:${axis.at(tick)}` })));
  for (const row of rows) {
    const [low, value, high] = endsOf(row), track = row.querySelector(".track"), span = track.querySelector(".span"), point = track.querySelector("b");
    track.style.setProperty("--parts", axis.parts);
    if (span) { span.style.left = axis.at(low); span.style.right = `calc(100% - ${axis.at(high)})`; }
    if (point) point.style.left = axis.at(value);
  }
};
const cap = (button, list) => {
  const board = list.closest(".board"), rows = board ? [...list.rows] : [];
  button.hidden = false;
  list.classList.add("short");
  if (board) rescale(board, rows.slice(0, SHORT));
  button.addEventListener("click", () => { list.classList.remove("short"); button.hidden = true; if (board) rescale(board, rows); });
  if (board) onPaper.addEventListener("change", (event) => rescale(board, event.matches || button.hidden ? rows : rows.slice(0, SHORT)));
};
for (const button of document.querySelectorAll(".more")) cap(button, button.parentElement.querySelector(".capped"));

// Tables sort by the number that a cell begins with, else by its text; what is empty comes last.
const natural = new Intl.Collator("en", { numeric: true });
const keyOf = (text) => { const found = /^\s*<?\s*([-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?=\s|$)/.exec(text); return found ? Number(found[1].replace("−", "-")) : text.trim(); };
const compare = (a, b) => {
  if (a === "" || b === "") return (a === "") - (b === "");
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return typeof a === "number" ? a - b : natural.compare(a, b);
};
for (const table of document.querySelectorAll("details table[id]")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row.cells[column].textContent), row]);
    rows.sort(([a], [b]) => (a === "" || b === "" ? compare(a, b) : down ? compare(b, a) : compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  }));
}
for (const input of document.querySelectorAll("input[data-filters]")) {
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    for (const row of byId(input.dataset.filters).tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}

// Curves: a panel per system and task, with other systems in grey. A point is [x, value, low, high, label].
const shape = (parent, tag, attributes, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
};
const path = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
const MOST_IN_GREY = 10, MOST_DOTS = 20, LABEL = 33; // pixels from a label to the next
const KINDS = {
  runs: { place: (x, most) => (x - 1) / (most - 1), fitted: true, apart: true },
  trials: { place: (x, most) => Math.log(x) / Math.log(most), first: "k=" },
  risk: { place: (x) => x, ticks: [0, 0.5, 1], across: "coverage", fitted: true }, // risks may all be small
  roc: { place: (x) => x, ticks: [0, 0.5, 1], across: "false positive rate", diagonal: true },
  calibration: { place: (x) => x, ticks: [0, 0.5, 1], across: "confidence", diagonal: true },
};
const drawCurve = (panel, panels) => {
  const kind = KINDS[panel.kind], { svg } = panel, wide = svg.clientWidth || 300, high = wide > 520 ? 280 : 190;
  const left = 38, right = wide - (kind.ticks ? 14 : kind.apart ? 30 : 60), top = 8, bottom = high - (kind.across ? 42 : 26);
  const peers = panels.filter((other) => other.task === panel.task && other !== panel && !kind.apart).slice(0, MOST_IN_GREY);
  const most = Math.max(2, ...[panel, ...peers].flatMap((other) => other.lines.flat().map(([x]) => x)));
  const rise = kind.apart ? axisOf(panel.lines.flat().flatMap(([, value, low, end]) => [value, low, end]).filter((end) => end !== null)).ticks : kind.fitted ? axisOf([0, ...panels.flatMap((other) => other.lines.flat().flatMap(([, value, , end]) => [value, end])).filter((end) => end !== null)]).ticks : [0, 0.25, 0.5, 0.75, 1];
  const x = (value) => left + (right - left) * kind.place(value, most), y = (value) => bottom - (bottom - top) * (value - rise[0]) / (rise.at(-1) - rise[0]);
  const xs = [...new Set(panel.lines.flat().map(([value]) => value))].sort((a, b) => a - b);
  const called = (tick) => (kind.apart ? short(panel.names[tick - 1], 16) : tick);
  const ticks = kind.ticks || xs, broad = Math.max(34, ...ticks.map((tick) => 9 * String(called(tick)).length + 8));
  const room = Math.max(1, Math.ceil(ticks.length / Math.max(1, Math.floor((right - left) / broad))));
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  svg.style.height = `${high}px`;
  for (const tick of rise) {
    shape(svg, "line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) });
    if (kind.fitted || tick * 2 % 1 === 0) shape(svg, "text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick);
  }
  ticks.forEach((tick, at) => { if ((ticks.length - 1 - at) % room === 0) shape(svg, "text", { x: x(tick), y: bottom + 20, "text-anchor": "middle" }, `${at ? "" : kind.first || ""}${called(tick)}`); });
  if (kind.across) shape(svg, "text", { x: (left + right) / 2, y: high - 4, "text-anchor": "middle" }, kind.across);
  if (kind.diagonal) shape(svg, "line", { class: "at", x1: left, x2: right, y1: bottom, y2: top });
  const known = (line) => line.filter(([, value]) => value !== null);
  for (const other of peers) for (const line of other.lines) shape(svg, "path", { class: "others", d: path(known(line).map(([at, value]) => [x(at), y(value)])) });
  for (const line of panel.lines) {
    const points = known(line), banded = points.filter(([, , low]) => low !== null);
    if (kind.apart) for (const [at, , low, end] of banded) shape(svg, "line", { class: "whisker", x1: x(at), x2: x(at), y1: y(low), y2: y(end) });
    else shape(svg, "path", { class: "band", d: path([...banded.map(([at, , , end]) => [x(at), y(end)]), ...banded.toReversed().map(([at, , low]) => [x(at), y(low)])]) });
    shape(svg, "path", { class: "line", d: path(points.map(([at, value]) => [x(at), y(value)])) });
    if (points.length <= MOST_DOTS) for (const [at, value] of points) shape(svg, "circle", { class: "point", cx: x(at), cy: y(value), r: 4 });
  }
  for (const [at, word] of panel.marks || []) {
    shape(svg, "line", { class: "mark", x1: x(at), x2: x(at), y1: top, y2: bottom });
    shape(svg, "text", { class: "end", x: x(at) + (x(at) > (left + right) / 2 ? -6 : 6), y: top + 10, "text-anchor": x(at) > (left + right) / 2 ? "end" : "start" }, `${word} detected`);
  }
  if (!kind.ticks && !kind.apart) {
    const ends = panel.lines.map((line) => known(line).at(-1)).filter(Boolean);
    const places = ends.map(([, value]) => Math.max(top + 6, Math.min(bottom - 10, y(value))));
    const lacks = ends.length === 2 ? Math.max(0, LABEL - (places[1] - places[0])) : 0, up = Math.min(lacks / 2, places[0] - top - 6);
    ends.forEach(([, , , , label], at) => {
      const [metric, value] = label.split(" "), here = places[at] + (at ? lacks - up : -up);
      shape(svg, "text", { class: "end", x: right + 9, y: here }, value);
      shape(svg, "text", { x: right + 9, y: here + 15 }, metric);
    });
  }
  const guide = shape(svg, "line", { class: "at", y1: top, y2: bottom, visibility: "hidden" });
  svg.onpointermove = (event) => {
    const here = event.clientX - svg.getBoundingClientRect().left;
    const nearest = xs.reduce((best, each) => (Math.abs(x(each) - here) < Math.abs(x(best) - here) ? each : best));
    for (const end of ["x1", "x2"]) guide.setAttribute(end, x(nearest));
    guide.setAttribute("visibility", "visible");
    showTip([panel.system, ...panel.lines.flat().filter(([at]) => at === nearest).map(([, , , , label]) => label)].filter(Boolean).join("\n"), event.clientX, event.clientY);
  };
  svg.onpointerleave = () => { guide.setAttribute("visibility", "hidden"); hideTip(); };
};
for (const host of document.querySelectorAll("[data-curves]")) {
  const place = Object.keys(looks.colours);
  const panels = looks.curves.filter((panel) => panel.kind === host.dataset.curves);
  panels.sort((a, b) => natural.compare(a.task, b.task) || place.indexOf(a.system) - place.indexOf(b.system));
  const several = new Set(panels.map((panel) => panel.task)).size > 1;
  for (const panel of panels) {
    const figure = make("div", "", { class: "panel", style: `--c:${looks.colours[panel.system] || "var(--s0)"}` }), head = make("h3", "", { class: "name" });
    if (panel.title === undefined) head.append(dot(panel.system));
    head.append(named(make("span"), (panel.title || panel.system || "score") + (several ? ` · ${panel.task}` : "")));
    figure.append(head);
    const said = panel.lines.map((line) => (line.length > MOST_DOTS ? line.filter((_, at) => at % 10 === 0) : line)).flat();
    panel.svg = shape(figure, "svg", { role: "img", "aria-label": `${panel.title || panel.system || "Score"}: ${said.map(([, , , , label]) => label).join(", ")}` });
    host.append(figure);
  }
  const drawAll = () => panels.forEach((panel) => drawCurve(panel, panels));
  if (panels.length > 12) { const button = make("button", `Show all ${panels.length} charts`, { type: "button", class: "more" }); host.after(button); cap(button, host); button.addEventListener("click", drawAll); }
  let width = 0;
  new ResizeObserver(() => { if (host.clientWidth !== width) { width = host.clientWidth; drawAll(); } }).observe(host);
}

// All pairs at a glance: the row against the column, in the colour of the better system.
const MOST_IN_MATRIX = 40;
for (const host of document.querySelectorAll(".matrix")) {
  const rows = numbers.results.comparisons.rows.filter((row) => row.task === host.dataset.task);
  const there = new Set(rows.flatMap((row) => [row.first, row.second]));
  const all = Object.keys(looks.colours).filter((system) => there.has(system)), systems = all.slice(0, MOST_IN_MATRIX);
  if (systems.length < 4 || rows.length < systems.length) continue; // few pairs, or a baseline
  const found = new Map(rows.map((row) => [JSON.stringify([row.first, row.second]), row]));
  const table = make("table"), head = make("tr");
  head.append(make("td", "", { class: "self" }), ...systems.map((system, at) => make("th", systems.length > 16 && (at + 1) % 5 && at ? "" : at + 1, { scope: "col", "aria-label": system })));
  const thead = make("thead"), body = make("tbody");
  thead.append(head);
  const called = labels(systems, systems.length > 10 ? 32 : 36);
  systems.forEach((system, at) => {
    const row = make("tr"), name = make("th", "", { scope: "row" });
    name.append(make("span", at + 1, { class: "nth" }), dot(system), make("span", called[at]));
    name.addEventListener("pointermove", (event) => showTip(system, event.clientX, event.clientY));
    name.addEventListener("pointerleave", hideTip);
    row.append(name);
    for (const other of systems) {
      const pair = found.get(JSON.stringify([system, other])) || found.get(JSON.stringify([other, system]));
      if (system === other || !pair) { row.append(make("td", "", { class: "self" })); continue; }
      const better = pair.better || pair.probably_better, won = better === system;
      const sign = !better ? "·" : pair.better ? (won ? "▲" : "▼") : won ? "△" : "▽";
      const cell = make("td", sign, { class: !better ? "" : pair.better ? (won ? "won" : "lost") : "maybe", style: better ? `--c:${looks.colours[better]}` : "" });
      cell.addEventListener("pointermove", (event) => showTip(`${system} against ${other}: ${pair.verdict}`, event.clientX, event.clientY));
      cell.addEventListener("pointerleave", hideTip);
      row.append(cell);
    }
    body.append(row);
  });
  table.append(thead, body);
  host.append(make("p", "Row against column: ▲ better, △ probably better, ▼ worse, ▽ probably worse, · inconclusive" + (all.length > systems.length ? `; the ${systems.length} best of ${all.length} systems` : ""), { class: "key" }), table);
  if (systems.length > 10) table.classList.add("dense");
  host.hidden = false;
}

// Questions: a heat map of all, a list of twenty, and the chosen one, in the chosen order.
const explorer = byId("explorer");
if (explorer) {
  const PAGE = 20, MOST_COLUMNS = 8, MOST_ROWS = 25;
  const table = byId("table-questions"), found = byId("found"), heat = byId("heat"), detail = byId("chosen");
  const fields = explorer.elements;
  let first = 0, order = [], chosen = -1;
  const taskOf = () => numbers.questions[fields.task.value];
  const trialsOf = (data, system, at) => (typeof data.trials === "number" ? data.trials : data.trials[system][at]);
  const valueOf = (data, system, at) => { const n = trialsOf(data, system, at); return !n ? NaN : data.right ? data.right[system][at] / n : data.means[system][at]; };
  const strengthOf = (data, value) => (data.right ? value : (value - data.reach[0]) / (data.reach[1] - data.reach[0] || 1)); // of its colour, from 0 to 1
  const digitsOf = (data) => (data.right ? 2 : Math.max(1, Math.min(6, 2 - Math.floor(Math.log10(data.reach[1] - data.reach[0] || 1)))));
  const number = (data, value) => Number.isNaN(value) ? "–" : value.toFixed(digitsOf(data)).replace("-", "−");
  const said = (data, system, at) => (data.right ? `${data.right[system][at]}/${trialsOf(data, system, at)}` : number(data, data.means[system][at]));
  const varianceOf = (data, system, at, value) => (data.right ? value * (1 - value) : data.variances ? data.variances[system][at] : 0);
  const wordOf = (data) => (data.right ? "right" : "mean");
  const place = Object.keys(looks.colours);
  const rowsOf = (data) => data.systems.map((_, system) => system).sort((a, b) => place.indexOf(data.systems[a]) - place.indexOf(data.systems[b]));
  const measured = new Map();
  const measures = (data) => {
    if (!measured.has(data)) {
      measured.set(data, data.names.map((name, at) => {
        let sum = 0, squares = 0, luck = 0, count = 0;
        data.systems.forEach((_, system) => {
          const value = valueOf(data, system, at);
          if (Number.isNaN(value)) return;
          sum += value; squares += value * value; luck += varianceOf(data, system, at, value); count += 1;
        });
        const mean = sum / count;
        return { mean, luck: luck / count, apart: squares / count - mean * mean };
      }));
    }
    return measured.get(data);
  };
  const byName = (data) => (a, b) => natural.compare(data.names[a], data.names[b]);
  const gap = (data, at) => valueOf(data, fields.one.value, at) - valueOf(data, fields.other.value, at);
  const last = (value) => (Number.isNaN(value) ? -Number.MAX_VALUE : value); // a question that one of them lacks, or that has no result
  const late = (value) => -last(-value);
  const ORDERS = {
    hardest: (data, m) => (a, b) => late(m[a].mean) - late(m[b].mean),
    easiest: (data, m) => (a, b) => last(m[b].mean) - last(m[a].mean),
    flakiest: (data, m) => (a, b) => last(m[b].luck) - last(m[a].luck),
    disputed: (data, m) => (a, b) => last(m[b].apart) - last(m[a].apart),
    gap: (data) => (a, b) => last(gap(data, b)) - last(gap(data, a)),
    name: byName,
  };
  const addressOf = (at) => `#question/${fields.task.value}/${encodeURIComponent(taskOf().names[at])}`;

  // The heat map: a row per system, a column per question, or per few where there are too many.
  const canvas = make("canvas", "", { tabindex: 0, role: "slider", "aria-label": "Question", "aria-valuemin": 1 });
  const names = make("div", "", { class: "names", "aria-hidden": "true" });
  const caption = make("div", "", { class: "ends-of soft" });
  heat.append(names, canvas, caption);
  let columns = [], step = 24;
  const drawHeat = () => {
    const data = taskOf(), rows = rowsOf(data).slice(0, MOST_ROWS), wide = Math.max(canvas.clientWidth, 60);
    const each = Math.max(1, Math.ceil(order.length / Math.floor(wide / 2)));
    columns = [];
    for (let at = 0; at < order.length; at += each) columns.push(order.slice(at, at + each));
    step = rows.length > 12 ? 18 : 24;
    const high = step * rows.length + 8, ratio = devicePixelRatio || 1, side = wide / Math.max(columns.length, 1);
    canvas.width = wide * ratio; canvas.height = high * ratio; canvas.style.height = `${high}px`;
    const pen = canvas.getContext("2d"), style = getComputedStyle(canvas);
    pen.scale(ratio, ratio);
    const space = side >= 5 ? Math.min(2, side / 6) : 0;
    rows.forEach((system, row) => {
      canvas.style.color = looks.colours[data.systems[system]];
      pen.fillStyle = style.color;
      columns.forEach((group, at) => {
        const known = group.map((one) => valueOf(data, system, one)).filter((value) => !Number.isNaN(value));
        if (!known.length) return;
        pen.globalAlpha = 0.07 + 0.93 * strengthOf(data, known.reduce((sum, value) => sum + value, 0) / known.length);
        pen.fillRect(at * side, 4 + row * step, side - space, step - 2);
      });
    });
    pen.globalAlpha = 1;
    const here = columns.findIndex((group) => group.includes(chosen));
    if (here >= 0) { canvas.style.color = "var(--ink)"; pen.strokeStyle = style.color; pen.lineWidth = 2; pen.strokeRect(Math.max(1, here * side - space / 2), 1, Math.max(side - space / 2, 3), high - 2); }
    canvas.side = side;
    const called = labels(rows.map((system) => data.systems[system] || (data.right ? "share right" : "mean")), Math.max(10, Math.min(40, Math.floor((0.4 * heat.clientWidth - 26) / 8.2))));
    names.replaceChildren(...rows.map((system, at) => { const name = make("div", "", { style: `height:${step}px` }); name.append(dot(data.systems[system]), make("span", called[at])); return name; }));
    names.style.paddingTop = "3px";
    const words = { hardest: ["hardest", "easiest"], easiest: ["easiest", "hardest"], flakiest: ["flakiest", "steadiest"], disputed: ["most disputed", "least"], gap: ["in favour of the first", "of the second"], name: ["by name", ""] }[fields.order.value];
    const rest = data.systems.length - rows.length;
    caption.replaceChildren(make("span", `${words[0]}${each > 1 ? `; ${each} questions per column` : ""}${rest > 0 ? `; the ${MOST_ROWS} best systems` : ""}`), make("span", columns.length > 1 ? words[1] : ""));
    canvas.setAttribute("aria-valuemax", order.length);
    canvas.setAttribute("aria-valuenow", order.indexOf(chosen) + 1);
    canvas.setAttribute("aria-valuetext", chosen < 0 ? "none chosen" : data.names[chosen]);
  };
  const columnAt = (event) => columns[Math.floor((event.clientX - canvas.getBoundingClientRect().left) / canvas.side)];
  canvas.addEventListener("pointermove", (event) => {
    const group = columnAt(event), data = taskOf();
    if (!group) { hideTip(); return; }
    const system = rowsOf(data)[Math.floor((event.offsetY - 4) / step)];
    const lines = [group.length > 1 ? `${data.names[group[0]]} and ${group.length - 1} more` : data.names[group[0]]];
    if (system !== undefined && group.length === 1) { const n = trialsOf(data, system, group[0]), who = data.systems[system] || wordOf(data); lines.push(!n ? `${who}: no trials` : data.right ? `${who}: ${data.right[system][group[0]]} of ${n} trials` : `${who}: ${said(data, system, group[0])}${n > 1 ? `, mean of ${n} trials` : ""}`); }
    showTip(lines.join("\n"), event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("click", (event) => { const group = columnAt(event); if (group) choose(group[0]); });
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!move || !order.length) return;
    event.preventDefault();
    choose(order[Math.max(0, Math.min(order.length - 1, order.indexOf(chosen) + move))]);
  });

  const show = () => {
    const data = taskOf(), m = measures(data), rows = rowsOf(data);
    const listed = data.systems.length <= MOST_COLUMNS ? rows : [];
    const head = make("tr");
    const alone = data.systems.length === 1;
    for (const text of ["question", ...(data.clusters.length ? ["cluster"] : []), ...(alone ? [] : [wordOf(data)])]) head.append(make("th", text, { scope: "col" }));
    for (const system of listed) { head.append(named(make("th", "", { scope: "col", class: "of" }), alone ? wordOf(data) : data.systems[system])); }
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...order.slice(first, first + PAGE).map((at) => {
      const row = make("tr", "", at === chosen ? { class: "here" } : {});
      const name = make("th", "", { scope: "row" });
      name.append(make("a", data.names[at], { href: addressOf(at) }));
      row.append(name);
      if (data.clusters.length) row.append(make("td", data.clusters[at]));
      if (!alone) row.append(make("td", number(data, m[at].mean)));
      for (const system of listed) {
        const n = trialsOf(data, system, at);
        row.append(make("td", n ? said(data, system, at) : "", { class: "share", style: `--c:${looks.colours[data.systems[system]]};--share:${n ? strengthOf(data, valueOf(data, system, at)) : 0}` }));
      }
      return row;
    }));
    found.textContent = !order.length ? "No question has this in its name." : order.length <= PAGE ? `${order.length} question${order.length > 1 ? "s" : ""}` : `Questions ${count(first + 1)} to ${count(Math.min(first + PAGE, order.length))} of ${count(order.length)}`;
    const few = order.length <= PAGE;
    byId("earlier").hidden = byId("later").hidden = few;
    byId("earlier").disabled = first === 0;
    byId("later").disabled = first + PAGE >= order.length;
    drawHeat();
  };
  const describe = () => {
    detail.hidden = chosen < 0;
    if (chosen < 0) return;
    const data = taskOf(), list = make("ul");
    for (const system of rowsOf(data)) {
      const n = trialsOf(data, system, chosen), right = data.right ? data.right[system][chosen] : 0;
      if (!n) continue;
      const item = make("li");
      item.append(dot(data.systems[system]), make("span", data.systems[system] || wordOf(data), { class: "who" }));
      if (data.right && n <= 10) item.append(make("span", "●".repeat(right) + "○".repeat(n - right), { class: "pips", "aria-hidden": "true", style: `--c:${looks.colours[data.systems[system]]}` }));
      item.append(make("b", said(data, system, chosen)));
      if (!data.right && n > 1) item.append(make("small", `of ${n} trials`));
      list.append(item);
    }
    detail.replaceChildren(make("h3", data.names[chosen] + (data.clusters.length && data.clusters[chosen] ? ` · ${data.clusters[chosen]}` : "")), list);
  };
  const choose = (at, address = true) => {
    chosen = at;
    if (order.includes(at)) first = Math.floor(order.indexOf(at) / PAGE) * PAGE;
    if (address) history.replaceState(null, "", addressOf(at));
    describe();
    show();
  };
  const arrange = () => {
    const data = taskOf(), wanted = fields.find.value.toLowerCase();
    for (const label of explorer.querySelectorAll(".gap")) label.hidden = fields.order.value !== "gap";
    order = data.names.map((_, at) => at).filter((at) => data.names[at].toLowerCase().includes(wanted));
    const rule = ORDERS[fields.order.value](data, measures(data)), tie = byName(data);
    order.sort((a, b) => rule(a, b) || tie(a, b));
    first = 0;
    show();
  };
  const changeTask = () => {
    const data = taskOf(), rows = rowsOf(data);
    chosen = -1;
    for (const [name, at] of [["one", 0], ["other", 1]]) {
      fields[name].replaceChildren(...rows.map((system) => make("option", data.systems[system], { value: system })));
      fields[name].value = rows[Math.min(at, rows.length - 1)];
    }
    describe();
  };
  const follow = () => {
    const parts = /^#question\/(\d+)\/(.*)$/.exec(location.hash);
    if (!parts || !numbers.questions[parts[1]]) return;
    if (fields.task.value !== parts[1]) { fields.task.value = parts[1]; changeTask(); arrange(); }
    const at = taskOf().names.indexOf(decodeURIComponent(parts[2]));
    if (at < 0) return;
    if (!order.includes(at)) { fields.find.value = ""; arrange(); }
    choose(at, false);
    byId("questions").scrollIntoView();
  };
  for (const link of document.querySelectorAll("a.to")) {
    const task = numbers.questions.findIndex((data) => data.task === link.dataset.task);
    const [one, other] = task < 0 ? [-1, -1] : [link.dataset.one, link.dataset.other].map((name) => numbers.questions[task].systems.indexOf(name));
    if (one < 0 || other < 0) { link.remove(); continue; }
    link.addEventListener("click", () => {
      fields.task.value = task; changeTask();
      fields.order.value = "gap"; fields.find.value = ""; fields.one.value = one; fields.other.value = other;
      arrange();
    });
  }
  const without = { gap: (data) => data.systems.length < 2, disputed: (data) => data.systems.length < 2, flakiest: (data) => !data.right && !data.variances }; // orders that need more systems or trials
  for (const option of fields.order.options) option.disabled = option.value in without && numbers.questions.every(without[option.value]);
  explorer.addEventListener("input", (event) => { if (event.target === fields.task) changeTask(); arrange(); });
  explorer.addEventListener("submit", (event) => event.preventDefault());
  byId("earlier").addEventListener("click", () => { first -= PAGE; show(); });
  byId("later").addEventListener("click", () => { first += PAGE; show(); });
  addEventListener("hashchange", follow);
  redraws.push(drawHeat);
  let width = 0;
  new ResizeObserver(() => { if (heat.clientWidth !== width) { width = heat.clientWidth; drawHeat(); } }).observe(heat);
  changeTask();
  arrange();
  follow();
} else for (const link of document.querySelectorAll("a.to")) link.remove();
showTheme();
