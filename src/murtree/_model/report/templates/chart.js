// Chart of the errors of all sizes against the number of nodes. The slider is the
// accessible alternative.

const CHART = { width: 420, height: 184, right: 14, top: 26, bottom: 34 };
const TICK_SIZE = 11.5; // pixels
const MOST_STEPS = 5; // between the ticks of an axis

/** Return the smallest round step that reaches a number in few steps. */
function roundStep(number) {
  const unit = 10 ** (Math.floor(Math.log10(number)) - 1);
  return [1, 2, 5, 10, 20, 50].map((times) => times * unit)
    .find((step) => number / step <= MOST_STEPS + 1e-9);
}

/** Return the multiples of a step that span two numbers. */
function ticksBetween(low, high, step) {
  const first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: Math.max(last - first, 1) + 1 }, (_, place) => (first + place) * step);
}

/** Return functions that place a number of nodes, and a value, on a chart. */
function scalesFor(nodes, ticks, texts) {
  const least = ticks[0], most = ticks[ticks.length - 1], last = Math.max(...nodes, 1);
  const left = 14 + Math.max(...texts.map((text) => widthOf(text, TICK_SIZE, 400)));
  const wide = CHART.width - left - CHART.right;
  const high = CHART.height - CHART.top - CHART.bottom;
  return {
    ticks, texts, left, last,
    x: (node) => left + (wide * node) / last,
    y: (value) => CHART.top + (high * (most - value)) / (most - least),
  };
}

function scalesOf(summary) {
  const errors = summary.sizes.flatMap((size) => [size.train_error, size.validation_error]);
  const worst = Math.max(...errors.filter((error) => error !== null)) || 1; // none has errors
  const ticks = ticksBetween(0, worst, roundStep(worst));
  const texts = ticks.map((error) => tickText(summary, error));
  return scalesFor(summary.sizes.map((size) => size.nodes), ticks, texts);
}

/** Draw a line through points of nodes and values; open points are hollow. */
function curveOf(scales, name, points) {
  const places = points.map(({ nodes, value }) => `${scales.x(nodes)},${scales.y(value)}`);
  return svg("g", { class: `curve ${name}` }, svg("polyline", { points: places.join(" ") }),
    ...points.map(({ nodes, value, isOpen }) => svg("circle", {
      class: isOpen ? "open" : "full",
      cx: scales.x(nodes), cy: scales.y(value), r: points.length > 40 ? 2 : 3.2,
    })));
}

function errorCurve(summary, scales, entry) {
  const known = summary.sizes.filter((size) => size[entry] !== null);
  return curveOf(scales, entry, known.map((size) => ({
    nodes: size.nodes, value: size[entry],
    isOpen: entry === "train_error" && size.proof && size.proof.status !== "optimal",
  })));
}

const plainTick = (value) => briefText(Number(value.toPrecision(3))); // 0.3, not 0.30000000000000004

/** Return a rounded error as text. */
function tickText(summary, error) {
  return summary.classes ? `${Number((100 * error).toPrecision(3))}%` : plainTick(error);
}

/** Draw the axes with their names; the name of the values is above the axis. */
function axesOf(scales, name) {
  const { bottom, width, height, right } = CHART;
  const { left } = scales;
  const floor = height - bottom;
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => scales.last / each <= 6) ?? scales.last;
  const ticks = Array.from({ length: Math.floor(scales.last / step) + 1 }, (_, place) => place * step);
  return svg("g", { class: "axes" },
    svg("path", { d: scales.ticks.map((value) => `M${left} ${scales.y(value)}H${width - right}`).join("") }),
    ...scales.ticks.map((value, place) =>
      svg("text", { x: left - 7, y: scales.y(value) + 4, class: "tick end" }, scales.texts[place])),
    ...ticks.map((nodes) => svg("text", { x: scales.x(nodes), y: floor + 16, class: "tick" }, String(nodes))),
    svg("text", { x: 0, y: 11, class: "tick start" }, name),
    svg("text", { x: (left + width - right) / 2, y: height - 3, class: "tick" }, "nodes"));
}

/** Mark the tree of the model. */
const diamond = (x, y) => svg("path", { class: "own", d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z` });

/** Draw the chart; `choose` is called with the index of a clicked size. */
function drawChart(summary, choose) {
  const scales = scalesOf(summary);
  const own = summary.sizes[summary.chosen];
  const marks = svg("g", { class: "marks" }, svg("line", {
    class: "shown", id: "chart-shown", y1: CHART.top, y2: CHART.height - CHART.bottom,
  }));
  if (own.train_error !== null) {
    marks.append(diamond(scales.x(own.nodes), scales.y(own.train_error)));
  }
  const chart = svg("svg", {
    class: "chart", viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img",
    "aria-label": `${summary.loss} against the number of nodes`,
  }, axesOf(scales, summary.loss), marks, errorCurve(summary, scales, "train_error"));
  if (summary.best !== null) chart.append(errorCurve(summary, scales, "validation_error"));
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * CHART.width;
    choose(nearest(summary.sizes.map((size) => Math.abs(scales.x(size.nodes) - x))));
  });
  byId("chart").replaceChildren(chart, chartLegend(errorEntries(summary)));
}

const nearest = (distances) => distances.indexOf(Math.min(...distances));

function errorEntries(summary) {
  const open = summary.sizes.some((size) => size.proof && size.proof.status !== "optimal");
  return [
    ["train_error", `training${open ? " (open: not proven)" : ""}`],
    ...(summary.best === null ? [] : [["validation_error", "validation"]]),
    ["own", "the model’s own"],
  ];
}

/** Return the legend of the lines and marks; each has its name as a class. */
function chartLegend(entries) {
  const keys = entries.map(([name, text]) => html("span", { class: "key" }, keyMark(name), text));
  return html("figcaption", { class: "keys" }, ...keys);
}

function keyMark(name) {
  const mark = name === "own"
    ? svg("path", { class: "own", d: "M12 0l5 5l-5 5l-5 -5z" })
    : svg("polyline", { points: "0,5 24,5" });
  return svg("svg", {
    class: `mark curve ${name}`, viewBox: "0 0 24 10", width: 24, height: 10, "aria-hidden": "true",
  }, mark);
}

function moveChart(summary, place) {
  const line = byId("chart-shown");
  const x = scalesOf(summary).x(summary.sizes[place].nodes);
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
}
