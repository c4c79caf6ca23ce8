"use strict";
// Shared helpers: elements, numbers, and texts of nodes.

const SVG = "http://www.w3.org/2000/svg";

/** Fill an element: attributes that are not null, then texts and other elements. */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function html(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Return HTML parts in which long_names may be broken between words. */
function soft(text) {
  const pieces = text.split(/(?<=[\p{L}\p{N}][_/-])(?=\p{L})/u);
  return pieces.flatMap((piece, place) => (place ? [html("wbr"), piece] : [piece]));
}

const byId = (id) => document.getElementById(id);

// --- numbers --------------------------------------------------------------------------

const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const BRIEF = new Intl.NumberFormat("en", {
  maximumSignificantDigits: 4, maximumFractionDigits: 0, roundingPriority: "morePrecision",
});
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const PERCENT = new Intl.NumberFormat("en", {
  style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1,
});

function numberText(number) {
  if (Number.isInteger(number) && Math.abs(number) < 1e15) return WHOLE.format(number);
  const size = Math.abs(number);
  return size >= 1e-4 && size < 1e15 ? SHORT.format(number) : number.toPrecision(4);
}

/** Return a number for a drawing, with four digits. */
function briefText(number) {
  const size = Math.abs(number);
  const isPlain = Number.isInteger(number) || size < 1e-4 || size >= 1e15;
  return isPlain ? numberText(number) : BRIEF.format(number);
}

const percentText = (share) => PERCENT.format(share);
const shareOf = (part, whole) => (whole > 0 ? part / whole : 0);
const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** Return an error as text: a share of wrong predictions, or a mean error. */
function errorText(summary, error) {
  if (error === null) return "not known";
  return summary.classes ? percentText(error) : briefText(error);
}

// --- nodes ----------------------------------------------------------------------------

const isLeaf = (tree, node) => tree.left[node] < 0;

function wrongAt(tree, node) {
  return tree.weight[node] - tree.counts[node][tree.label[node]];
}

/** Return the weight of errors as text; a tree fitted to probabilities has expected ones. */
function wrongText(summary, tree, node) {
  return `${numberText(wrongAt(tree, node))} ${summary.teacher ? "expected wrong" : "wrong"}`;
}

function weightText(summary, weight) {
  if (summary.unit !== "rows") return `weight ${numberText(weight)}`;
  return `${numberText(weight)} ${weight === 1 ? "row" : "rows"}`;
}

/** Return the prediction of a node: its class, or its value. */
function predictionText(summary, tree, node, valueText = numberText) {
  if (!summary.classes) return valueText(tree.value[node]);
  return summary.classes[tree.label[node]].name;
}

/** Return the prediction in a leaf; a class named yes must not look like a branch. */
function leafText(summary, tree, node) {
  const text = predictionText(summary, tree, node, briefText);
  return summary.classes?.some(({ name }) => /^(yes|no)$/i.test(name)) ? `class ${text}` : text;
}

function detailText(summary, tree, node) {
  const weight = weightText(summary, tree.weight[node]);
  if (!summary.classes || !isLeaf(tree, node)) return weight;
  return `${weight}, ${wrongText(summary, tree, node)}`;
}

/** Return a note if missing values fail a test; if they pass, the test says so. */
function failsMissing(summary, tree, node) {
  if (isLeaf(tree, node)) return false;
  const test = summary.tests[tree.test[node]];
  return !test.missing && Boolean(summary.columns[test.column].has_missing);
}

/** Join the parts of a rule, as the table of rules does. */
function ruleText(summary, tree, node) {
  const parts = tree.rule[node].map((part) => summary.parts[part]);
  if (!parts.length) return "always";
  const inOne = (part) => (part.includes(" or ") ? `(${part})` : part);
  return (parts.length > 1 ? parts.map(inOne) : parts).join(" and ");
}

/** Return the parent of each node, and whether its test is true there. */
function parentsOf(tree) {
  const parents = tree.left.map(() => ({ node: -1, holds: null }));
  tree.left.forEach((left, node) => {
    if (left < 0) return;
    parents[left] = { node, holds: true };
    parents[tree.right[node]] = { node, holds: false };
  });
  return parents;
}

function proofBadge(proof) {
  const status = proof ? proof.status : "unknown";
  return html("span", { class: `badge is-${status}` }, proof ? proof.badge : "no proof");
}
