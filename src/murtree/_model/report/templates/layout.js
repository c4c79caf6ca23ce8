// Layout of a tree: texts are measured and broken into lines first, then subtrees are
// moved together until their outlines would meet.

const TITLE_SIZE = 13, DETAIL_SIZE = 11.5, LINE_STEP = 17; // pixels
const PADDING = 10, BAR = 7, MARGIN = 12;
const GAP = { down: 14, right: 8, outline: 9 }, LEVEL_GAP = { down: 54, right: 48 };
const MOST_LINES = 8;
const WIDEST_WORD = 230; // pixels of a word that is not broken in a leaf
const INDENT = 36; // pixels per level of an outline
const LEAST_SCALE = 0.78; // below it, text is too small, and the page scrolls
// Candidate layouts in order of preference: the direction, the largest width of a text,
// and whether leaves have one line.
const SHAPES = [
  ["down", 250], ["down", 190], ["down", 150], ["down", 120],
  ["right", 270, true], ["right", 210, true], ["right", 160, true], ["right", 160], ["right", 118],
];
const OUTLINES = [["outline", 250], ["outline", 190], ["outline", 150], ["outline", 118]];

const ruler = document.createElement("canvas").getContext("2d");
const family = getComputedStyle(document.body).fontFamily;
const knownWidths = new Map();

function widthOf(text, size, weight) {
  const key = `${weight}|${size}|${text}`;
  if (!knownWidths.has(key)) {
    ruler.font = `${weight} ${size}px ${family}`;
    knownWidths.set(key, ruler.measureText(text).width);
  }
  return knownWidths.get(key);
}

/** Split a text where a line may end: after blanks, and inside names_like-this/one. */
function piecesOf(text) {
  return text.split(/(?<= )|(?<=[\p{L}\p{N}][_/-])(?=\p{L})/u);
}

/** Split a piece that is too wide by itself, character by character. */
function cut(piece, width, wide) {
  const parts = [];
  let part = "";
  for (const letter of piece) {
    if (part && wide(part + letter) > width) {
      parts.push(part);
      part = "";
    }
    part += letter;
  }
  return [...parts, part];
}

function fill(pieces, width, wide) {
  const lines = [pieces[0]];
  for (const piece of pieces.slice(1)) {
    const longer = lines[lines.length - 1] + piece;
    if (wide(longer.trimEnd()) <= width) lines[lines.length - 1] = longer;
    else lines.push(piece);
  }
  return lines;
}

/** Break a text into as few lines as possible, of nearly equal width. */
function linesOf(text, width, size, weight) {
  const wide = (part) => widthOf(part, size, weight);
  // Operators stay with the next word, and days with their time.
  const glued = text.replace(/ (<=|>|<|=|!=|in) /g, " $1\u00a0")
    .replace(/(\d) (days?)( (?=\d))?/g, (_, digit, days, clock) => `${digit}\u00a0${days}${clock ? "\u00a0" : ""}`);
  const pieces = piecesOf(glued).flatMap((piece) =>
    wide(piece.trimEnd()) > width ? cut(piece, width, wide) : [piece]);
  const lines = fill(pieces, width, wide);
  let best = lines;
  for (let narrower = width * 0.9; narrower > width / 3; narrower *= 0.9) {
    const tried = fill(pieces, narrower, wide);
    if (tried.length > lines.length) break;
    best = tried;
  }
  const trimmed = best.map((line) => line.trimEnd());
  if (trimmed.length <= MOST_LINES) return trimmed;
  return [...trimmed.slice(0, 3), "\u2026", ...trimmed.slice(-2)]; // the panel has the whole text
}

/** Return the width of the widest word, up to `WIDEST_WORD`. */
function wordWidth(text, weight) {
  const words = piecesOf(text).map((piece) => widthOf(piece.trimEnd(), TITLE_SIZE, weight));
  return Math.min(Math.max(...words), WIDEST_WORD);
}

/** Return the lines and the size of the box of each node. */
function boxesOf(summary, tree, width, inLine) {
  return tree.left.map((left, node) => {
    const leaf = left < 0;
    const text = leaf
      ? leafText(summary, tree, node)
      : summary.tests[tree.test[node]].short;
    const weight = leaf ? 650 : 500;
    const room = leaf ? Math.max(width * (inLine ? 1.1 : 0.75), 100, wordWidth(text, weight)) : width;
    const lines = linesOf(text, room, TITLE_SIZE, weight);
    const detail = detailText(summary, tree, node);
    const note = failsMissing(summary, tree, node) ? "missing → no" : "";
    const titleWidth = Math.max(...lines.map((line) => widthOf(line, TITLE_SIZE, weight)));
    const detailWidth = Math.max(widthOf(detail, DETAIL_SIZE, 400), widthOf(note, DETAIL_SIZE, 400));
    if (leaf && inLine && lines.length === 1) {
      const whole = titleWidth + 8 + detailWidth;
      return {
        lines, detail, leaf, titleWidth, inLine,
        width: Math.ceil(whole) + 2 * PADDING,
        height: LINE_STEP + BAR + 13,
      };
    }
    return {
      lines, detail, note, leaf,
      width: Math.ceil(Math.max(titleWidth, detailWidth, 56)) + 2 * PADDING,
      height: (lines.length + (note ? 2 : 1)) * LINE_STEP + BAR + 2 * PADDING + 1, // descenders reach below the line
    };
  });
}

/** Return the distance of each child from its parent, so that subtrees do not touch. */
function offsetsOf(tree, extents, gap) {
  const offsets = tree.left.map(() => 0);
  function outline(node) {
    const half = extents[node] / 2;
    if (isLeaf(tree, node)) return { low: [-half], high: [half] };
    const first = outline(tree.left[node]), second = outline(tree.right[node]);
    let apart = 0;
    const shared = Math.min(first.high.length, second.low.length);
    for (let level = 0; level < shared; level++) {
      apart = Math.max(apart, first.high[level] - second.low[level] + gap);
    }
    offsets[tree.left[node]] = -apart / 2;
    offsets[tree.right[node]] = apart / 2;
    const levels = Math.max(first.low.length, second.low.length);
    const low = [-half], high = [half];
    for (let level = 0; level < levels; level++) {
      const [a, b] = [first.low[level] ?? Infinity, second.low[level] ?? Infinity];
      const [c, d] = [first.high[level] ?? -Infinity, second.high[level] ?? -Infinity];
      low.push(Math.min(a - apart / 2, b + apart / 2));
      high.push(Math.max(c - apart / 2, d + apart / 2));
    }
    return { low, high };
  }
  outline(0);
  return offsets;
}

function levelsOf(tree) {
  const levels = tree.left.map(() => 0);
  tree.left.forEach((left, node) => { // parents come before their children
    if (left >= 0) levels[left] = levels[tree.right[node]] = levels[node] + 1;
  });
  return levels;
}

/** Place the boxes below each other, indented by their depth. */
function outlined(tree, boxes) {
  const levels = levelsOf(tree);
  const x = levels.map((level) => MARGIN + level * INDENT);
  let next = MARGIN;
  const y = boxes.map((box) => { // nodes are in the order of an outline
    const top = next;
    next += box.height + GAP.outline;
    return top;
  });
  const width = Math.max(...boxes.map((box, node) => x[node] + box.width)) + MARGIN;
  return { direction: "outline", boxes, levels, x, y, width, height: next - GAP.outline + MARGIN };
}

/** Place all boxes in one direction: x and y are the upper left corners. */
function placed(tree, boxes, direction) {
  if (direction === "outline") return outlined(tree, boxes);
  const down = direction === "down";
  const levels = levelsOf(tree);
  const offsets = offsetsOf(tree, boxes.map((box) => (down ? box.width : box.height)), GAP[direction]);
  const across = tree.left.map(() => 0);
  const depths = new Array(Math.max(...levels) + 1).fill(0);
  tree.left.forEach((left, node) => {
    const along = down ? boxes[node].height : boxes[node].width;
    depths[levels[node]] = Math.max(depths[levels[node]], along);
    for (const child of left >= 0 ? [left, tree.right[node]] : []) {
      across[child] = across[node] + offsets[child];
    }
  });
  const starts = [MARGIN];
  depths.forEach((depth, level) => starts.push(starts[level] + depth + LEVEL_GAP[direction]));
  const extent = (node) => (down ? boxes[node].width : boxes[node].height);
  const least = Math.min(...across.map((middle, node) => middle - extent(node) / 2)) - MARGIN;
  const most = Math.max(...across.map((middle, node) => middle + extent(node) / 2)) + MARGIN;
  const end = starts[depths.length] - LEVEL_GAP[direction] + MARGIN;
  return {
    direction, boxes, levels, depths,
    x: boxes.map((box, node) => (down ? across[node] - least - box.width / 2 : starts[levels[node]])),
    y: boxes.map((box, node) => (down ? starts[levels[node]] : across[node] - least - box.height / 2)),
    width: down ? most - least : end,
    height: down ? end : most - least,
  };
}

/** Return the shape that can be drawn largest, with its scale, at most 1. */
function largest(summary, tree, shapes, width, height) {
  let best = null;
  for (const [direction, limit, inLine] of shapes) {
    const layout = placed(tree, boxesOf(summary, tree, limit, inLine), direction);
    layout.scale = Math.min(1, width / layout.width, height / layout.height);
    if (best === null || layout.scale > best.scale + 0.02) best = layout;
    if (best.scale === 1) break;
  }
  return best;
}

/** Return the best layout for a width, and for a height on paper; else an outline. */
function bestLayout(summary, tree, width, height = Infinity) {
  const drawn = largest(summary, tree, SHAPES, width, height);
  if (drawn.scale >= LEAST_SCALE || height < Infinity) return drawn;
  const listed = largest(summary, tree, OUTLINES, width, height);
  return listed.scale > drawn.scale ? listed : drawn;
}
