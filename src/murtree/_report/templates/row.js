// "Try a row": a field for each column that the tree tests, and the way of its values.

const HINTS = { number: "missing", duration: "2 days 03:30:00" };

/** Return the columns that a tree tests, as places in the summary, root first. */
function testedColumns(summary, tree) {
  const used = tree.test.filter((test) => test >= 0).map((test) => summary.tests[test].column);
  return [...new Set(used)];
}

function choiceField(column, options) {
  const none = column.takes_missing ? "missing" : "choose";
  return html("select", null,
    html("option", { value: "" }, none),
    ...options.map(([code, name]) => html("option", { value: code }, name)));
}

function fieldOf(column) {
  switch (column.kind) {
    case "boolean": return choiceField(column, [[1, "true"], [0, "false"]]);
    case "category":
    case "ordered": {
      const known = column.codes.map((code, place) => [code, column.names[place]]);
      return choiceField(column, [...known, [-1, "(another value)"]]);
    }
    case "datetime": return html("input", { type: "datetime-local", step: "any" });
    case "time": return html("input", { type: "time", step: "any" });
    case "duration": return html("input", { type: "text", placeholder: HINTS.duration });
    default: return html("input", {
      type: "text", inputmode: "decimal", autocomplete: "off",
      placeholder: column.takes_missing ? HINTS.number : null,
    });
  }
}

/** Make the form for a tree, with what was typed before. */
function drawForm(summary, tree, typed, onChange) {
  const form = byId("row-form");
  const places = testedColumns(summary, tree);
  const fields = places.map((place) => {
    const column = summary.columns[place];
    const field = fieldOf(column);
    field.id = `field-${place}`;
    field.value = typed[place] ?? "";
    field.addEventListener("input", () => {
      typed[place] = field.value;
      onChange();
    });
    const zone = column.has_zone ? " (UTC)" : "";
    return html("div", { class: "field" }, html("label", { for: field.id }, ...soft(column.name), zone), field);
  });
  form.replaceChildren(...fields);
  if (!fields.length) {
    form.append(html("p", { class: "note" }, "This tree asks nothing: all rows get the same answer."));
    return;
  }
  const clear = html("button", { type: "button" }, "Clear");
  clear.addEventListener("click", () => {
    typed.fill(undefined);
    for (const field of form.querySelectorAll("input, select")) field.value = "";
    onChange();
  });
  const empty = summary.columns[places[0]].takes_missing ? "An empty field is a missing value." : "";
  form.append(html("p", { class: "note" }, empty), clear);
}

/** Return the codes of what was typed; of what is no value, undefined. */
function typedCodes(summary, typed) {
  return summary.columns.map((column, place) => codeOf(column, typed[place] ?? ""));
}

function stepText(summary, tree, path, place) {
  const test = summary.tests[tree.test[path[place]]];
  const answer = path[place + 1] === tree.right[path[place]];
  return html("li", null, ...soft(test.yes), "? ", html("b", null, answer ? "yes" : "no"));
}

/** Say where a row ends up, and why. */
function showPath(summary, tree, path, typed) {
  const end = path[path.length - 1];
  const codes = typedCodes(summary, typed);
  for (const place of testedColumns(summary, tree)) {
    const isWrong = codes[place] === undefined && (typed[place] ?? "").trim() !== "";
    byId(`field-${place}`).setAttribute("aria-invalid", String(isWrong));
  }
  byId("row-steps").replaceChildren(...path.slice(0, -1).map((_, place) =>
    stepText(summary, tree, path, place)));
  byId("row-result").textContent = resultText(summary, tree, end, codes, typed);
}

function resultText(summary, tree, end, codes, typed) {
  if (!isLeaf(tree, end)) {
    const column = summary.columns[summary.tests[tree.test[end]].column];
    const isWrong = (typed[summary.columns.indexOf(column)] ?? "").trim() !== "";
    return isWrong ? `${column.name} is no ${kindText(column)}.` : `${column.name} is needed.`;
  }
  const weight = tree.weight[end];
  if (!summary.classes) {
    return `→ ${predictionText(summary, tree, end)} (${weightText(summary, weight)})`;
  }
  const right = tree.counts[end][tree.label[end]];
  return `→ class ${predictionText(summary, tree, end)} (${numberText(right)} of ${numberText(weight)})`;
}

const kindText = (column) => ({ duration: "duration", datetime: "date", time: "time" })[column.kind] ?? "number";

function hidePath(summary, tree) {
  const waits = testedColumns(summary, tree).length > 0;
  byId("row-result").textContent = waits ? "Type values to see their path." : "";
  byId("row-steps").replaceChildren();
}
