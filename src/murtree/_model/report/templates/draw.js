// Draw a tree as SVG: boxes, bands between them, and bars of class shares.

const WIDEST_BAND = { down: 16, right: 16, outline: 8 }; // pixels, for all training weight

/** Return the marks below the text of a node: class shares, or a value on a scale. */
function barOf(summary, tree, node, width) {
  const bar = svg("g", { class: "bar" });
  bar.append(svg("rect", { class: "bar-ground", width, height: BAR, rx: 1.5 }));
  if (!summary.classes) {
    const [low, high] = rangeOf(tree);
    const place = shareOf(tree.value[node] - low, high - low) * (width - 4);
    bar.append(svg("rect", { class: "bar-mark", x: place, y: -2, width: 4, height: BAR + 4, rx: 1 }));
    return bar;
  }
  let x = 0;
  tree.counts[node].forEach((count, place) => {
    const part = shareOf(count, tree.weight[node]) * width;
    if (part > 0) {
      const colour = summary.classes[place].colour;
      bar.append(svg("rect", { class: "bar-part", x, width: part, height: BAR, "--hue": colour }));
    }
    x += part;
  });
  return bar;
}

function rangeOf(tree) {
  return [Math.min(...tree.value), Math.max(...tree.value)];
}

/** Return the colour of a leaf and its strength: by purity, or by value. */
function tintOf(summary, tree, node) {
  if (!summary.classes) {
    const [low, high] = rangeOf(tree);
    return ["var(--scale)", 6 + 34 * shareOf(tree.value[node] - low, high - low)];
  }
  const chance = 1 / Math.max(summary.classes.length, 2);
  const pure = shareOf(tree.counts[node][tree.label[node]], tree.weight[node]);
  const strength = Math.max(0, (pure - chance) / (1 - chance));
  return [summary.classes[tree.label[node]].colour, 8 + 24 * strength];
}

/** Return the label of a node for screen readers. */
function spoken(summary, tree, node, parent) {
  const detail = detailText(summary, tree, node);
  const branch = parent.node < 0 ? "" : parent.holds ? "if so: " : "otherwise: ";
  if (isLeaf(tree, node)) {
    const what = summary.classes ? "class" : "value";
    return `${branch}leaf, ${what} ${predictionText(summary, tree, node)}, ${detail}`;
  }
  const missing = failsMissing(summary, tree, node) ? ", missing values: otherwise" : "";
  return `${branch}is ${summary.tests[tree.test[node]].yes}? ${detail}${missing}`;
}

function drawNode(summary, tree, layout, node, parent) {
  const box = layout.boxes[node];
  const group = svg("g", {
    class: `node ${box.leaf ? "leaf" : "inner"}`,
    role: "treeitem", tabindex: -1, "data-node": node,
    "aria-level": layout.levels[node] + 1,
    "aria-label": spoken(summary, tree, node, parent),
    transform: `translate(${layout.x[node]} ${layout.y[node]})`,
  });
  const [hue, amount] = box.leaf ? tintOf(summary, tree, node) : ["transparent", 0];
  group.append(svg("rect", {
    class: "box", width: box.width, height: box.height, rx: box.leaf ? 12 : 5,
    "--hue": hue, "--amount": `${amount}%`,
  }));
  writeTexts(group, box);
  const bar = barOf(summary, tree, node, box.width - 2 * PADDING);
  const below = box.inLine ? 6 : PADDING;
  bar.setAttribute("transform", `translate(${PADDING} ${box.height - below - BAR})`);
  group.append(bar);
  return group;
}

function writeTexts(group, box) {
  const write = (name, x, y, text) => group.append(svg("text", { class: name, x, y }, text));
  if (box.inLine) {
    write("node-title", PADDING + box.titleWidth / 2, LINE_STEP, box.lines[0]);
    const left = PADDING + box.titleWidth + 8;
    write("node-detail", (left + box.width - PADDING) / 2, LINE_STEP, box.detail);
    return;
  }
  let y = PADDING + TITLE_SIZE - 2;
  for (const line of box.lines) {
    write("node-title", box.width / 2, y, line);
    y += LINE_STEP;
  }
  write("node-detail", box.width / 2, y, box.detail);
  if (box.note) write("node-detail", box.width / 2, y + LINE_STEP, box.note);
}

/** Draw the two bands below a node, side by side at the top, and their labels. */
function drawBands(tree, layout, node) {
  const total = tree.weight[0];
  const children = [tree.left[node], tree.right[node]];
  const widths = children.map((child) =>
    Math.max(1.5, shareOf(tree.weight[child], total) * WIDEST_BAND[layout.direction]));
  let begin = -(widths[0] + widths[1]) / 2;
  return children.map((child, side) => {
    const start = begin + widths[side] / 2;
    begin += widths[side];
    const { path, x, y } = bandPath(layout, node, child, start);
    return svg("g", { class: "band", "data-child": child },
      svg("path", { d: path, "stroke-width": widths[side] }),
      svg("text", { class: "answer", x, y }, side ? "no" : "yes"));
  });
}

/** Return the curve from a node to a child, and the position of its label. */
function bandPath(layout, node, child, start) {
  const { boxes, x, y, levels, depths, direction } = layout;
  if (direction === "outline") {
    const fromX = x[node] + 10 + start, toY = y[child] + boxes[child].height / 2;
    const path = `M${fromX} ${y[node] + boxes[node].height}V${toY}H${x[child]}`;
    return { path, x: x[child] - 12, y: toY + 4 };
  }
  if (direction === "down") {
    const fromX = x[node] + boxes[node].width / 2 + start;
    const fromY = y[node] + boxes[node].height;
    const bend = y[node] + depths[levels[node]];
    const toX = x[child] + boxes[child].width / 2, toY = y[child];
    const middle = (bend + toY - 16) / 2;
    const path = `M${fromX} ${fromY}V${bend}C${fromX} ${middle} ${toX} ${middle} ${toX} ${toY - 16}V${toY}`;
    return { path, x: toX, y: toY - 7 };
  }
  const fromX = x[node] + boxes[node].width;
  const fromY = y[node] + boxes[node].height / 2 + start;
  const bend = x[node] + depths[levels[node]];
  const toX = x[child], toY = y[child] + boxes[child].height / 2;
  const middle = (bend + toX - 26) / 2;
  const path = `M${fromX} ${fromY}H${bend}C${middle} ${fromY} ${middle} ${toY} ${toX - 26} ${toY}H${toX}`;
  return { path, x: toX - 14, y: toY + 4 };
}

/** Return the drawing of a tree. */
function drawTree(summary, tree, layout) {
  const parents = parentsOf(tree);
  const bands = svg("g", { class: "bands", "aria-hidden": "true" });
  const nodes = svg("g", { role: "none" });
  tree.left.forEach((left, node) => {
    if (left >= 0) bands.append(...drawBands(tree, layout, node));
    nodes.append(drawNode(summary, tree, layout, node, parents[node]));
  });
  return svg("svg", {
    class: "tree", role: "tree", "aria-labelledby": "tree-title",
    viewBox: `0 0 ${layout.width} ${layout.height}`,
  }, bands, nodes);
}
