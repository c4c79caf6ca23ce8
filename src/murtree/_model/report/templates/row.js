// "Try a row": a field for each column that the tree tests, and the path of the row.

const HINTS = { number: "missing", duration: "2 days 03:30:00" };
const HALF = "?"; // incomplete input, never a valid value
const DAY = 86400; // seconds

/** Return the columns that a tree tests, as indices in the summary, root first. */
function testedColumns(summary, tree) {
  const used = tree.test.filter((test) => test >= 0).map((test) => summary.tests[test].column);
  return [...new Set(used)];
}

function choiceField(column, options, missing = "missing") {
  const none = column.takes_missing ? missing : "choose";
  return html("select", null,
    html("option", { value: "" }, none),
    ...options.map(([code, name]) => html("option", { value: code }, name)));
}

/** Return whether a column of dates is only compared with whole days, in all sizes. */
function isDaily(summary, column) {
  const tests = summary.tests.filter((test) => summary.columns[test.column] === column);
  return tests.every(({ low, high }) => (low ?? 0) % DAY === 0 && (high ?? 0) % DAY === 0);
}

function fieldOf(summary, column) {
  if (column.kind === "boolean" || column.is_binary) return choiceField(column, [[0, "no"], [1, "yes"]]);
  switch (column.kind) {
    case "category":
    case "ordered": {
      const known = column.codes.map((code, place) => [code, column.names[place]]);
      const others = column.has_more ? [[-1, "(any other known value)"]] : [];
      return choiceField(column, [...known, ...others], "missing or unknown");
    }
    case "datetime": return isDaily(summary, column)
      ? html("input", { type: "date" })
      : html("input", { type: "datetime-local", step: "any" });
    case "time": return html("input", { type: "time", step: "any" });
    case "duration": return html("input", { type: "text", placeholder: HINTS.duration });
    default: return html("input", {
      type: "text", inputmode: "decimal", autocomplete: "off",
      placeholder: column.takes_missing ? HINTS.number : null,
    });
  }
}

/** Return the field of a column with its label, and space for an error message. */
function labelled(summary, place, typed, onChange) {
  const column = summary.columns[place];
  const field = fieldOf(summary, column);
  field.id = `field-${place}`;
  field.setAttribute("aria-describedby", `wrong-${place}`);
  if (typed[place] === HALF) typed[place] = undefined; // a field cannot show incomplete input again
  field.value = typed[place] ?? "";
  const read = () => {
    const text = field.validity.badInput ? HALF : field.value;
    if (text === (typed[place] ?? "")) return;
    typed[place] = text;
    onChange();
  };
  // An incomplete date has no value, and no change event: only key events.
  for (const event of ["input", "keyup", "blur"]) field.addEventListener(event, read);
  const zone = column.has_zone ? " (UTC)" : "";
  return html("div", { class: "field" },
    html("label", { for: field.id }, ...soft(column.name), zone), field,
    html("span", { class: "wrong", id: `wrong-${place}` }));
}

/** Make the form for a tree, with earlier input. */
function drawForm(summary, tree, typed, onChange) {
  const form = byId("row-form");
  const places = testedColumns(summary, tree);
  form.replaceChildren(...places.map((place) => labelled(summary, place, typed, onChange)));
  if (!places.length) {
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

/** Return the codes of the input; undefined for invalid input. */
function typedCodes(summary, typed) {
  return summary.columns.map((column, place) => codeOf(column, typed[place] ?? ""));
}

function stepText(summary, tree, path, place) {
  const test = summary.tests[tree.test[path[place]]];
  const answer = path[place + 1] === tree.left[path[place]];
  return html("li", null, ...soft(test.yes), ": ", html("b", null, answer ? "holds" : "does not hold"));
}

/** Mark fields with invalid input, with a message. */
function markWrong(summary, tree, typed) {
  const codes = typedCodes(summary, typed);
  for (const place of testedColumns(summary, tree)) {
    const isWrong = codes[place] === undefined && (typed[place] ?? "").trim() !== "";
    const field = byId(`field-${place}`);
    field.setAttribute("aria-invalid", String(isWrong));
    byId(`wrong-${place}`).textContent = isWrong ? mistakeText(field, summary.columns[place]) : "";
  }
}

function mistakeText(field, column) {
  if (field.type === "datetime-local") return "not a date: it needs a time too";
  return field.type === "date" ? "not a whole date" : `not a ${kindText(column)}`;
}

/** Show the leaf of a row, and its rule. */
function showPath(summary, tree, path, typed) {
  const end = path[path.length - 1];
  byId("row-steps").replaceChildren(...path.slice(0, -1).map((_, place) =>
    stepText(summary, tree, path, place)));
  byId("row-result").textContent = resultText(summary, tree, end, typed);
}

function resultText(summary, tree, end, typed) {
  if (!isLeaf(tree, end)) {
    const place = summary.tests[tree.test[end]].column;
    const column = summary.columns[place];
    if ((typed[place] ?? "").trim() === "") return `${column.name} is needed.`;
    return `The path stops here: ${column.name} is ${mistakeText(byId(`field-${place}`), column)}.`;
  }
  const weight = tree.weight[end];
  if (!summary.classes) {
    return `→ ${predictionText(summary, tree, end)} (${weightText(summary, weight)})`;
  }
  const right = tree.counts[end][tree.label[end]];
  return `→ class ${predictionText(summary, tree, end)} (${numberText(right)} of ${numberText(weight)}${summary.teacher ? " expected" : ""})`;
}

const kindText = (column) => ({ duration: "duration", datetime: "date", time: "time" })[column.kind] ?? "number";

function hidePath(summary, tree) {
  const waits = testedColumns(summary, tree).length > 0;
  byId("row-result").textContent = waits ? "Type values to see their path." : "";
  byId("row-steps").replaceChildren();
}
