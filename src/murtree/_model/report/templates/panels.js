// Panels next to the tree: its size, the selected node, the rules, the classes.

function fact(name, ...value) {
  const parts = value.flatMap((each) => (typeof each === "string" ? soft(each) : [each]));
  return html("div", null, html("dt", null, name), html("dd", null, ...parts));
}

// --- sizes ----------------------------------------------------------------------------

function sizeText(size) {
  return `${numberText(size.nodes)} ${size.nodes === 1 ? "node" : "nodes"}`;
}

/** Return the errors of a size as facts; regression uses short names. */
function errorFacts(summary, size) {
  const isSquared = "train_r2" in size;
  const facts = [["Training", size.train_error, size.train_r2]];
  if (size.validation_error !== null) facts.push(["Validation", size.validation_error, size.validation_r2]);
  return facts.map(([rows, error, share]) => {
    const explained = share === null || share === undefined ? "" : ` (R² ${share.toFixed(3)})`;
    const isTaught = summary.teacher && rows === "Training";
    const name = `${rows} ${isSquared ? "RMSE" : "error"}${isTaught ? (summary.classes ? ", expected" : " to the forest") : ""}`;
    return fact(name, errorText(summary, error) + explained);
  });
}

function showSize(summary, place) {
  const size = summary.sizes[place];
  const train = errorText(summary, size.train_error);
  const facts = [
    fact("Leaves", numberText(size.leaves)), fact("Depth", String(size.depth)),
    ...errorFacts(summary, size),
  ];
  let text = `${sizeText(size)}, ${summary.teacher ? "expected " : ""}training error ${train}`;
  if (size.validation_error !== null) {
    text += `, validation error ${errorText(summary, size.validation_error)}`;
  }
  if (size.proof?.status === "optimal" && size.limits && size.limits[1] > size.nodes) {
    facts.push(fact("Still the best with up to", `${size.limits[1]} nodes`));
  }
  byId("slider").value = place;
  byId("slider").setAttribute("aria-valuetext", text);
  byId("slider-value").textContent = String(size.nodes);
  byId("size-facts").replaceChildren(...facts);
  const isOwn = place === summary.chosen;
  const isShown = isOwn && size.proof?.status === summary.proof?.status; // in the header
  byId("size-proof").classList.toggle("is-own", isOwn);
  byId("size-proof").replaceChildren(proofBadge(size.proof), size.proof && !isShown ? ` ${size.proof.text}` : "");
  for (const button of byId("jumps").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.size) === place));
  }
  moveChart(summary, place);
}

function jumpsOf(summary, choose) {
  const isBest = summary.best === summary.chosen;
  const places = [[summary.chosen, `The model’s own${isBest ? " and best in validation" : ""}`]];
  if (summary.best !== null && !isBest) places.push([summary.best, "Best in validation"]);
  byId("jumps").replaceChildren(...places.map(([place, text]) => {
    const label = `${text}: ${sizeText(summary.sizes[place])}`;
    const button = html("button", { type: "button", "data-size": place }, label);
    button.addEventListener("click", () => choose(place));
    return button;
  }));
}

// --- the selected node ----------------------------------------------------------------

function swatch(colour) {
  return html("span", { class: "swatch", "--hue": colour, "aria-hidden": "true" });
}

const MOST_CLASSES = 8; // a table or a legend lists all of up to this many
const FEW_CLASSES = 5; // listed if there are more

/** Return a name after its colour, which stays next to the first line. */
function named(colour, text) {
  return html("span", { class: "named" }, swatch(colour), html("span", null, ...soft(text)));
}

/** Return a table of the classes in a node, with a note about those left out. */
function countsTable(summary, tree, node) {
  const found = summary.classes
    .map((known, place) => ({ ...known, place, count: tree.counts[node][place] }))
    .filter(({ count }) => count > 0);
  const present = heaviest(found, ({ count }) => count);
  const rows = present.map(({ name, colour, count }) => {
    const share = shareOf(count, tree.weight[node]);
    const bar = html("span", { class: "share", "--hue": colour, "--part": `${100 * share}%` });
    // Rows are CSS grids: screen readers need the roles of a table.
    return html("tr", { role: "row" },
      html("th", { scope: "row", role: "rowheader" }, named(colour, name)),
      html("td", { class: "number", role: "cell" }, numberText(count)),
      html("td", { class: "number", role: "cell" }, percentText(share)),
      html("td", { class: "share-cell", "aria-hidden": "true" }, bar));
  });
  const note = othersText(summary, found, present);
  return html("div", { class: "counts" }, html("table", { role: "table" },
    html("thead", { class: "unseen", role: "rowgroup" }, html("tr", { role: "row" },
      ...["Class", "Count", "Share"].map((name) => html("th", { scope: "col", role: "columnheader" }, name)))),
    html("tbody", { role: "rowgroup" }, ...rows)), note ? html("p", { class: "note" }, note) : null);
}

/** Return the entries, in order; if there are too many, the heaviest ones. */
function heaviest(entries, weightOf) {
  if (entries.length <= MOST_CLASSES) return entries;
  const kept = [...entries].sort((a, b) => weightOf(b) - weightOf(a)).slice(0, FEW_CLASSES);
  return entries.filter((entry) => kept.includes(entry));
}

/** Return a note about classes left out: with fewer rows, or without rows. */
function othersText(summary, found, shown) {
  const fewer = found.length - shown.length, absent = summary.classes.length - found.length;
  const parts = [];
  if (fewer) {
    const rest = sumOf(found.map(({ count }) => count)) - sumOf(shown.map(({ count }) => count));
    parts.push(`${fewer} ${fewer === 1 ? "class" : "classes"} more with ${weightText(summary, rest)} in all.`);
  }
  if (absent) parts.push(`None of ${absent === 1 ? "the other class" : `the ${absent} other classes`}.`);
  return parts.join(" ");
}

function ruleOf(summary, tree, node) {
  const parts = tree.rule[node].map((part) => html("li", null, ...soft(summary.parts[part])));
  const text = ruleText(summary, tree, node);
  const button = html("button", { type: "button", class: "copy" }, "Copy the rule");
  button.addEventListener("click", async () => {
    const done = await copied(text);
    button.textContent = done ? "Copied" : "Could not copy";
    setTimeout(() => { button.textContent = "Copy the rule"; }, 1500);
  });
  const list = parts.length ? html("ul", { class: "rule" }, ...parts) : html("p", { class: "rule" }, "All rows.");
  return [html("h3", null, "Rule"), list, button];
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = html("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy"); // if there is no access to the clipboard
    area.remove();
    return done;
  }
}

function showNode(summary, tree, node) {
  const leaf = isLeaf(tree, node);
  const share = percentText(shareOf(tree.weight[node], tree.weight[0]));
  let prediction = predictionText(summary, tree, node);
  if (summary.classes) {
    const share = percentText(shareOf(wrongAt(tree, node), tree.weight[node]));
    prediction = named(summary.classes[tree.label[node]].colour, `${prediction}, ${wrongText(summary, tree, node)} (${share})`);
  }
  const facts = [
    fact(summary.unit === "rows" ? "Rows" : "Weight", `${numberText(tree.weight[node])} (${share} of all)`),
    fact(leaf ? "Predicts" : "Would predict", prediction),
  ];
  const test = leaf ? null : summary.tests[tree.test[node]];
  const asks = leaf ? [] : [html("dl", { class: "facts answers" },
    fact("If so", test.yes), fact("Otherwise", test.no))];
  byId("details").replaceChildren(
    html("h2", { id: "details-title" }, leaf ? "Leaf" : node ? "Test" : "First test"),
    ...asks,
    html("dl", { class: "facts" }, ...facts),
    ...(summary.classes ? [countsTable(summary, tree, node)] : []),
    ...ruleOf(summary, tree, node));
}

// --- the tree as a table, and its colours ---------------------------------------------

function showRules(summary, tree) {
  const leaves = tree.left.flatMap((left, node) => (left < 0 ? [node] : []));
  byId("rules").replaceChildren(...leaves.map((node) => {
    const text = predictionText(summary, tree, node);
    const name = summary.classes ? named(summary.classes[tree.label[node]].colour, text) : text;
    const amount = (number, unit) =>
      html("td", { class: "number", "data-unit": unit }, numberText(number));
    return html("tr", null,
      html("td", null, ...soft(ruleText(summary, tree, node))),
      html("td", null, name),
      amount(tree.weight[node], summary.unit),
      summary.classes ? amount(wrongAt(tree, node), "wrong") : null);
  }));
}

/** Return all classes or, of many, those predicted in leaves, with their weight. */
function predictedClasses(summary, tree) {
  const weights = summary.classes.map(() => 0);
  tree.left.forEach((left, node) => { if (left < 0) weights[tree.label[node]] += tree.weight[node]; });
  const all = summary.classes.map((known, place) => ({ ...known, weight: weights[place] }));
  return all.length <= MOST_CLASSES ? all : all.filter(({ weight }) => weight > 0);
}

function showLegend(summary, tree) {
  if (summary.classes) {
    const shown = heaviest(predictedClasses(summary, tree), ({ weight }) => weight);
    const absent = summary.classes.length - shown.length;
    byId("legend").replaceChildren(...shown.map(({ name, colour }) =>
      html("li", null, named(colour, name))),
    ...(absent ? [html("li", null, `and ${absent} more`)] : []));
    return;
  }
  const [low, high] = rangeOf(tree);
  byId("legend").replaceChildren(html("li", null,
    `Value, from ${briefText(low)}`,
    html("span", { class: "ramp", "aria-hidden": "true" }),
    `to ${briefText(high)}`));
}
