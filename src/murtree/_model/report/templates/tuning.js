// Chart of cross-validation scores against the number of nodes.

/** Return the best size for each number of nodes, as one curve for all depths. */
function bestByNodes(sizes) {
  const best = new Map();
  for (const size of sizes) {
    if (!best.has(size.nodes) || size.mean > best.get(size.nodes).mean) best.set(size.nodes, size);
  }
  return [...best.values()].sort((a, b) => a.nodes - b.nodes);
}

function tuningScales(tuning, sizes) {
  const scores = sizes.flatMap(({ mean, spread, train }) => [mean - spread, mean + spread, train]);
  if (tuning.baseline !== null) scores.push(tuning.baseline);
  scores.push(tuning.sizes[tuning.chosen].mean);
  const low = Math.min(...scores), high = Math.max(...scores);
  const ticks = ticksBetween(low, high, roundStep(high - low || Math.abs(high) || 1));
  return scalesFor(sizes.map(({ nodes }) => nodes), ticks, ticks.map(plainTick));
}

/** Draw the spread over the folds at each size. */
function whiskers(sizes, scales) {
  const line = ({ nodes, mean, spread }) =>
    `M${scales.x(nodes)} ${scales.y(mean - spread)}V${scales.y(mean + spread)}`;
  return svg("path", { class: "whiskers", d: sizes.map(line).join("") });
}

/** Draw the chart if numbers of nodes were compared; prices have only the table. */
function drawTuning(tuning) {
  if (tuning.sizes.some(({ nodes }) => nodes === null)) return;
  const content = tuning.families ? familyCurves(tuning) : sizeCurves(tuning);
  const chart = svg("svg", {
    class: "chart still", viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img",
    "aria-label": `${content.name}, against the number of nodes; the table has the same numbers`,
  }, axesOf(content.scales, content.name), ...content.marks);
  byId("tuning-chart").replaceChildren(chart, chartLegend(content.entries));
}

/** Return the curves of training and of the rows left out, with their spread. */
function sizeCurves(tuning) {
  const sizes = bestByNodes(tuning.sizes), own = tuning.sizes[tuning.chosen];
  const scales = tuningScales(tuning, sizes);
  const points = (entry) => sizes.map((size) => ({ nodes: size.nodes, value: size[entry] }));
  const entries = [["train_error", "training"], ["validation_error", "rows left out, ± standard deviation"], ["own", "chosen"]];
  const base = tuning.baseline === null ? [] : [baseLine(scales, tuning.baseline)];
  if (base.length) entries.push(["baseline", `${tuning.guess} alone`]);
  return {
    name: `${tuning.score}, mean of ${tuning.n_folds} folds`, scales, entries,
    marks: [...base, whiskers(sizes, scales),
      curveOf(scales, "train_error", points("train")), curveOf(scales, "validation_error", points("mean")),
      diamond(scales.x(own.nodes), scales.y(own.mean))],
  };
}

/** Return a curve for each family of trees, of the score that decides. */
function familyCurves(tuning) {
  const scoreOf = (size) => size.smoothed ?? size.mean;
  const sizes = tuning.sizes.filter(({ nodes }) => nodes > 0), own = tuning.sizes[tuning.chosen];
  const single = tuning.sizes.find(({ nodes }) => nodes === 0);
  const scores = tuning.sizes.map(scoreOf);
  const low = Math.min(...scores), high = Math.max(...scores);
  const ticks = ticksBetween(low, high, roundStep(high - low || Math.abs(high) || 1));
  const scales = scalesFor(tuning.sizes.map(({ nodes }) => nodes), ticks, ticks.map(plainTick));
  const kinds = ["observed", "taught"];
  const curves = tuning.families.map((family, place) => curveOf(scales, kinds[place], sizes
    .filter((size) => size.family === family)
    .map((size) => ({ nodes: size.nodes, value: scoreOf(size) }))));
  const base = single ? [baseLine(scales, scoreOf(single))] : [];
  const smoothed = own.smoothed === null ? "" : "smoothed ";
  return {
    name: `${smoothed}${tuning.score}, mean of ${tuning.n_folds} folds`, scales,
    marks: [...base, ...curves, diamond(scales.x(own.nodes), scales.y(scoreOf(own)))],
    entries: [
      ...tuning.families.map((family, place) => [kinds[place], `fitted to ${family}`]), ["own", "chosen"],
      ...(base.length ? [["baseline", `${tuning.guess} alone`]] : [])],
  };
}

function baseLine(scales, score) {
  return svg("path", {
    class: "baseline", d: `M${scales.left} ${scales.y(score)}H${CHART.width - CHART.right}`,
  });
}

/** Draw the chart, and scroll to the chosen size. */
function showTuning(summary) {
  if (!summary.tuning) return;
  drawTuning(summary.tuning);
  const row = byId("tuned").querySelector(".chosen");
  byId("tuned").scrollTop = row.offsetTop - byId("tuned").clientHeight / 2;
}
