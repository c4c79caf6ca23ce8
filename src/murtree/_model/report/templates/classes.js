// Recall of each class, and the confusion matrix of training.

const MOST_COLUMNS = 6; // classes of a full matrix; with more, a list of mistakes
const MOST_LETTERS = 60; // characters of all class names, which are in one line
const MOST_ROWS = 12; // as in the terminal, which a test checks
const MOST_OTHERS = 3; // classes that a class is mistaken for

/** Return the weight of each class (row) that gets each label (column). */
function confusionOf(summary, tree) {
  const matrix = summary.classes.map(() => summary.classes.map(() => 0));
  tree.left.forEach((left, node) => {
    if (left >= 0) return;
    tree.counts[node].forEach((count, place) => { matrix[place][tree.label[node]] += count; });
  });
  return matrix;
}

function takenFor(summary, row, place) {
  const others = row.map((count, other) => ({ count, name: summary.classes[other].name, other }))
    .filter(({ count, other }) => count > 0 && other !== place)
    .sort((a, b) => b.count - a.count);
  const listed = others.slice(0, MOST_OTHERS).map(({ count, name }) => `${name} (${numberText(count)})`);
  const more = others.length - listed.length;
  return listed.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function classRow(summary, matrix, place, isSmall) {
  const row = matrix[place], total = sumOf(row);
  const cells = isSmall
    ? row.map((count, other) => html("td", { class: `number${other === place ? " right" : ""}` }, numberText(count)))
    : [html("td", null, ...soft(takenFor(summary, row, place)))];
  return html("tr", null,
    html("th", { scope: "row" }, named(summary.classes[place].colour, summary.classes[place].name)),
    html("td", { class: "number", "data-unit": summary.unit }, numberText(total)),
    html("td", { class: "number", "data-unit": "recall" }, total > 0 ? percentText(row[place] / total) : ""),
    ...cells);
}

/** Show a row for each class; with many classes, those with the most errors. */
function showClasses(summary, tree) {
  if (!byId("classes")) return;
  const matrix = confusionOf(summary, tree);
  const isSmall = matrix.length <= MOST_COLUMNS
    && sumOf(summary.classes.map(({ name }) => name.length)) <= MOST_LETTERS;
  const wrong = matrix.map((row, place) => ({ place, wrong: sumOf(row) - row[place] }));
  const shown = wrong.sort((a, b) => b.wrong - a.wrong).slice(0, MOST_ROWS).map(({ place }) => place)
    .sort((a, b) => a - b);
  const heads = isSmall ? summary.classes.map(({ name }) => `as ${name}`) : ["Taken for"];
  const head = (text, kind) => html("th", { scope: "col", class: kind }, ...soft(text));
  const left = matrix.length - shown.length;
  byId("classes").replaceChildren(
    html("div", { class: "table" }, html("table", { class: isSmall ? null : "long" },
      html("thead", null, html("tr", null, head("Class", null),
        head(summary.unit === "rows" ? "Rows" : "Weight", "number"), head("Recall", "number"),
        ...heads.map((text) => head(text, isSmall ? "number" : null)))),
      html("tbody", null, ...shown.map((place) => classRow(summary, matrix, place, isSmall))))),
    ...(left ? [html("p", { class: "note" }, `${numberText(left)} ${left === 1 ? "class" : "classes"} with fewer errors left out.`)] : []));
}
