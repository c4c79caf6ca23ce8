// What is said beside the tree: its size, the selected node, the rules, the classes.

function fact(name, ...value) {
  const parts = value.flatMap((each) => (typeof each === "string" ? soft(each) : [each]));
  return html("div", null, html("dt", null, name), html("dd", null, ...parts));
}

// --- sizes ----------------------------------------------------------------------------

function sizeText(size) {
  return `${size.nodes} ${size.nodes === 1 ? "node" : "nodes"}`;
}

function showSize(summary, place) {
  const size = summary.sizes[place];
  const train = errorText(summary, size.train_error);
  const facts = [
    fact("Leaves", String(size.leaves)), fact("Depth", String(size.depth)),
    fact("Training error", train),
  ];
  let said = `${sizeText(size)}, training error ${train}`;
  if (size.validation_error !== null) {
    const error = errorText(summary, size.validation_error);
    facts.push(fact("Validation error", error));
    said += `, validation error ${error}`;
  }
  if (size.proof?.status === "optimal" && size.limits && size.limits[1] > size.nodes) {
    facts.push(fact("Still the best with up to", `${size.limits[1]} nodes`));
  }
  byId("slider").value = place;
  byId("slider").setAttribute("aria-valuetext", said);
  byId("slider-value").textContent = String(size.nodes);
  byId("size-facts").replaceChildren(...facts);
  const isOwn = place === summary.chosen;
  const isSaid = isOwn && size.proof?.status === summary.proof?.status; // in the header
  byId("size-proof").classList.toggle("is-own", isOwn);
  byId("size-proof").replaceChildren(proofBadge(size.proof), size.proof && !isSaid ? ` ${size.proof.text}` : "");
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

/** A table of the classes that a node has rows of, the others in a word. */
function countsTable(summary, tree, node) {
  const present = summary.classes
    .map((known, place) => ({ ...known, place, count: tree.counts[node][place] }))
    .filter(({ count }) => count > 0);
  const rows = present.map(({ name, colour, count }) => {
    const share = shareOf(count, tree.weight[node]);
    const bar = html("span", { class: "share", "--hue": colour, "--part": `${100 * share}%` });
    return html("tr", null,
      html("th", { scope: "row" }, swatch(colour), name),
      html("td", { class: "number" }, numberText(count)),
      html("td", { class: "number" }, percentText(share)),
      html("td", { class: "share-cell", "aria-hidden": "true" }, bar));
  });
  const absent = summary.classes.length - present.length;
  const others = absent === 1 ? "the other class" : `the ${absent} other classes`;
  const note = absent ? html("p", { class: "note" }, `None of ${others}.`) : null;
  return html("div", { class: "counts" }, html("table", null,
    html("thead", { class: "unseen" }, html("tr", null,
      ...["Class", "Count", "Share"].map((name) => html("th", { scope: "col" }, name)))),
    html("tbody", null, ...rows)), note);
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
    const done = document.execCommand("copy"); // where the clipboard is out of reach
    area.remove();
    return done;
  }
}

function showNode(summary, tree, node) {
  const leaf = isLeaf(tree, node);
  const share = percentText(shareOf(tree.weight[node], tree.weight[0]));
  const prediction = [predictionText(summary, tree, node)];
  if (summary.classes) {
    const wrong = wrongAt(tree, node);
    prediction.unshift(swatch(summary.classes[tree.label[node]].colour));
    prediction.push(`, ${numberText(wrong)} wrong (${percentText(shareOf(wrong, tree.weight[node]))})`);
  }
  const facts = [
    fact(summary.unit === "rows" ? "Rows" : "Weight", `${numberText(tree.weight[node])} (${share} of all)`),
    fact(leaf ? "Predicts" : "Would predict", ...prediction),
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
    const name = [predictionText(summary, tree, node)];
    if (summary.classes) name.unshift(swatch(summary.classes[tree.label[node]].colour));
    const amount = (number, unit) =>
      html("td", { class: "number", "data-unit": unit }, numberText(number));
    return html("tr", null,
      html("td", null, ...soft(ruleText(summary, tree, node))),
      html("td", null, ...name),
      amount(tree.weight[node], summary.unit),
      summary.classes ? amount(wrongAt(tree, node), "wrong") : null);
  }));
}

function showLegend(summary, tree) {
  if (summary.classes) {
    byId("legend").replaceChildren(...summary.classes.map(({ name, colour }) =>
      html("li", null, swatch(colour), name)));
    return;
  }
  const [low, high] = rangeOf(tree);
  byId("legend").replaceChildren(html("li", null,
    `Value, from ${briefText(low)}`,
    html("span", { class: "ramp", "aria-hidden": "true" }),
    `to ${briefText(high)}`));
}
