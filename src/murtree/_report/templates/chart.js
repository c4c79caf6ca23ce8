// The errors of all sizes against the number of nodes. The slider says the same to
// those who cannot see or click it.

const CHART = { width: 420, height: 170, right: 14, top: 12, bottom: 34 };
const TICK_SIZE = 11.5; // pixels
const MOST_STEPS = 5; // between the ticks of an axis

/** Return the least round step that reaches a number in few steps. */
function roundStep(number) {
  const unit = 10 ** (Math.floor(Math.log10(number)) - 1);
  return [1, 2, 5, 10, 20, 50].map((times) => times * unit)
    .find((step) => number / step <= MOST_STEPS + 1e-9);
}

/** Return the multiples of a step from 0 on, to the first that is not below a number. */
function ticksTo(number, step) {
  const last = Math.ceil(number / step - 1e-9);
  return Array.from({ length: last + 1 }, (_, place) => place * step);
}

/** Return functions that place a number of nodes, and an error, on the chart. */
function scalesOf(summary) {
  const nodes = summary.sizes.map((size) => size.nodes);
  const errors = summary.sizes.flatMap((size) => [size.train_error, size.validation_error]);
  const worst = Math.max(...errors.filter((error) => error !== null)) || 1; // none has errors
  const ticks = ticksTo(worst, roundStep(worst));
  const most = ticks[ticks.length - 1];
  const texts = ticks.map((error) => tickText(summary, error));
  const left = 14 + Math.max(...texts.map((text) => widthOf(text, TICK_SIZE, 400)));
  const wide = CHART.width - left - CHART.right;
  const high = CHART.height - CHART.top - CHART.bottom;
  return {
    ticks, left, last: Math.max(...nodes, 1),
    x: (node) => left + (wide * node) / Math.max(...nodes, 1),
    y: (error) => CHART.top + high * (1 - error / most),
  };
}

function curveOf(summary, scales, entry) {
  const known = summary.sizes.filter((size) => size[entry] !== null);
  const points = known.map((size) => `${scales.x(size.nodes)},${scales.y(size[entry])}`);
  const curve = svg("g", { class: `curve ${entry}` });
  curve.append(svg("polyline", { points: points.join(" ") }));
  for (const size of known) {
    const isOpen = entry === "train_error" && size.proof && size.proof.status !== "optimal";
    curve.append(svg("circle", {
      class: isOpen ? "open" : "full",
      cx: scales.x(size.nodes), cy: scales.y(size[entry]), r: summary.sizes.length > 40 ? 2 : 3.2,
    }));
  }
  return curve;
}

/** Say a round error. */
function tickText(summary, error) {
  const number = Number(error.toPrecision(3)); // 0.3, not 0.30000000000000004
  return summary.classes ? `${Number((100 * number).toPrecision(3))}%` : briefText(number);
}

function axesOf(summary, scales) {
  const { bottom, width, height, right } = CHART;
  const { left } = scales;
  const floor = height - bottom;
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => scales.last / each <= 6) ?? scales.last;
  const ticks = Array.from({ length: Math.floor(scales.last / step) + 1 }, (_, place) => place * step);
  return svg("g", { class: "axes" },
    svg("path", { d: scales.ticks.map((error) => `M${left} ${scales.y(error)}H${width - right}`).join("") }),
    ...scales.ticks.map((error) =>
      svg("text", { x: left - 7, y: scales.y(error) + 4, class: "tick end" }, tickText(summary, error))),
    ...ticks.map((nodes) => svg("text", { x: scales.x(nodes), y: floor + 16, class: "tick" }, String(nodes))),
    svg("text", { x: (left + width - right) / 2, y: height - 3, class: "tick" }, "nodes"));
}

/** Draw the chart; `choose` is called with the place of the size that is clicked. */
function drawChart(summary, choose) {
  const scales = scalesOf(summary);
  const own = summary.sizes[summary.chosen];
  const marks = svg("g", { class: "marks" }, svg("line", {
    class: "shown", id: "chart-shown", y1: CHART.top, y2: CHART.height - CHART.bottom,
  }));
  if (own.train_error !== null) {
    const [x, y] = [scales.x(own.nodes), scales.y(own.train_error)];
    marks.append(svg("path", { class: "own", d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z` }));
  }
  const chart = svg("svg", {
    class: "chart", viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img",
    "aria-label": `${summary.loss} against the number of nodes`,
  }, axesOf(summary, scales), marks, curveOf(summary, scales, "train_error"));
  if (summary.best !== null) chart.append(curveOf(summary, scales, "validation_error"));
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * CHART.width;
    choose(nearest(summary.sizes.map((size) => Math.abs(scales.x(size.nodes) - x))));
  });
  byId("chart").replaceChildren(chart, chartLegend(summary));
}

const nearest = (distances) => distances.indexOf(Math.min(...distances));

function chartLegend(summary) {
  const open = summary.sizes.some((size) => size.proof && size.proof.status !== "optimal");
  const entries = [
    ["train_error", `training${open ? " (open: not proven)" : ""}`],
    summary.best === null ? null : ["validation_error", "validation"],
    ["own", "the model’s own"],
  ];
  const keys = entries.filter((entry) => entry !== null).map(([name, text]) =>
    html("span", { class: "key" }, keyMark(name), text));
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
