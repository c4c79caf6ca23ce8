// The path of one row through a tree, as in `Tree.apply`.
//
// The row is a list of codes, one for each column of the summary: a number, NaN if the
// value is missing, undefined if it is not known yet.

/** Return whether a test is true for a code. */
function holds(test, code) {
  if (Number.isNaN(code)) return test.missing;
  if (test.members) return test.members.includes(code);
  if (!("low" in test)) return false; // true for missing values only
  return (test.low === null || code > test.low) && (test.high === null || code <= test.high);
}

/** Return the nodes from the root to a leaf, or to a test of an unknown value. */
function pathOf(tree, tests, codes) {
  const path = [0];
  let node = 0;
  while (!isLeaf(tree, node)) {
    const test = tests[tree.test[node]];
    const code = codes[test.column];
    if (code === undefined) break;
    node = holds(test, code) ? tree.left[node] : tree.right[node];
    path.push(node);
  }
  return path;
}

// --- typed text to codes --------------------------------------------------------------

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d*)?))?$/;
const SPAN = /^(-)?\s*(?:(\d+(?:\.\d*)?)\s*d(?:ays?)?)?\s*(?:(\d+):(\d{2})(?::(\d{2}(?:\.\d*)?))?)?$/i;

function clockCode(text) {
  const found = CLOCK.exec(text);
  if (!found) return undefined;
  return (Number(found[1]) * 60 + Number(found[2])) * 60 + Number(found[3] || 0);
}

/** Parse days and a time, such as "-2 days 03:30", or a number of seconds. */
function spanCode(text) {
  const found = SPAN.exec(text);
  if (!found || (found[2] === undefined && found[3] === undefined)) return numberCode(text);
  const [, sign, days, hours, minutes, seconds] = found;
  const clock = (Number(hours || 0) * 60 + Number(minutes || 0)) * 60 + Number(seconds || 0);
  const whole = Number(days || 0) * 86400 + clock;
  return sign ? -whole : whole;
}

function numberCode(text) {
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}

/** Parse a date, with or without time, as seconds since 1970 in UTC. */
function momentCode(text) {
  const milliseconds = Date.parse(text.includes("T") ? `${text}Z` : `${text}T00:00Z`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** Return the code of the input for a column; undefined if it is invalid. */
function codeOf(column, text) {
  if (text.trim() === "") return column.takes_missing ? NaN : undefined;
  switch (column.kind) {
    case "datetime": return momentCode(text.trim());
    case "duration": return spanCode(text.trim());
    case "time": return clockCode(text.trim());
    default: return numberCode(text); // the input for categories and booleans is the code itself
  }
}
