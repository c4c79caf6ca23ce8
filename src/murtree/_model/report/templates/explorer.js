// The state of the page: the size, the selected node, and the row that is tried.

// Pixels of A4 in landscape: the space below the proof, or a page without one line.
const PAPER = { width: 1030, rest: 380, page: 620 };

function explorer() {
  const summary = JSON.parse(byId("summary").textContent);
  const state = { place: summary.chosen, node: 0, zoom: 1, typed: summary.columns.map(() => undefined) };
  let layout = null;
  const canvas = byId("tree");
  const treeNow = () => summary.sizes[state.place].tree;
  const nodeElement = (node) => canvas.querySelector(`[data-node="${node}"]`);

  // --- drawing ---

  function draw(width = canvas.clientWidth, height = Infinity) {
    layout = bestLayout(summary, treeNow(), width, height);
    const hadFocus = canvas.contains(document.activeElement);
    canvas.replaceChildren(drawTree(summary, treeNow(), layout));
    zoomTo(height < Infinity ? layout.scale : Math.max(layout.scale, LEAST_SCALE));
    markSelected();
    tryRow();
    if (hadFocus) nodeElement(state.node).focus({ preventScroll: true });
  }

  function zoomTo(zoom) {
    state.zoom = Math.min(Math.max(zoom, 0.2), 3);
    const drawing = canvas.firstElementChild;
    drawing.setAttribute("width", layout.width * state.zoom);
    drawing.setAttribute("height", layout.height * state.zoom);
  }

  function fit() {
    const high = Math.max(window.innerHeight - 160, 200);
    zoomTo(Math.min(canvas.clientWidth / layout.width, high / layout.height, 1.5));
  }

  // --- sizes ---

  function choose(place) {
    state.place = place;
    state.node = 0;
    showSize(summary, place);
    showTree();
  }

  function showTree() {
    showLegend(summary, treeNow());
    showRules(summary, treeNow());
    showClasses(summary, treeNow());
    drawForm(summary, treeNow(), state.typed, tryRow);
    draw();
    showNode(summary, treeNow(), state.node);
  }

  // --- nodes ---

  function markSelected() {
    for (const element of canvas.querySelectorAll(".node")) {
      const isSelected = Number(element.dataset.node) === state.node;
      element.setAttribute("aria-selected", String(isSelected));
      element.setAttribute("tabindex", isSelected ? 0 : -1);
    }
  }

  function select(node, takesFocus) {
    state.node = node;
    markSelected();
    showNode(summary, treeNow(), node);
    if (takesFocus) nodeElement(node).focus();
  }

  /** Return the node that a key selects; arrows follow the drawing. */
  function reached(key) {
    const tree = treeNow();
    const [up, deeper, before] = layout.direction === "down"
      ? ["ArrowUp", "ArrowDown", "ArrowLeft"]
      : ["ArrowLeft", "ArrowRight", "ArrowUp"];
    if (key === "Home") return 0;
    if (key === "End") return tree.left.length - 1;
    if (key === up) return parentsOf(tree)[state.node].node;
    if (key === deeper) return tree.left[state.node];
    const level = layout.levels[state.node];
    const beside = tree.left.map((_, node) => node)
      .filter((node) => layout.direction === "outline" || layout.levels[node] === level);
    return beside[beside.indexOf(state.node) + (key === before ? -1 : 1)] ?? -1;
  }

  canvas.addEventListener("click", (event) => {
    const element = event.target.closest(".node");
    if (!element) return;
    document.body.classList.add("picked"); // on a phone, keeps the panel visible
    select(Number(element.dataset.node), true);
  });
  canvas.addEventListener("focusin", (event) => {
    const element = event.target.closest(".node");
    if (element && Number(element.dataset.node) !== state.node) {
      select(Number(element.dataset.node), false);
    }
  });
  canvas.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      showNode(summary, treeNow(), state.node);
      return;
    }
    const isKnown = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
    if (!isKnown) return;
    event.preventDefault();
    const node = reached(event.key);
    if (node >= 0) select(node, true);
  });

  // --- a row ---

  function tryRow() {
    const isTyped = state.typed.some((text) => (text ?? "") !== "");
    const path = isTyped ? pathOf(treeNow(), summary.tests, typedCodes(summary, state.typed)) : [];
    for (const element of canvas.querySelectorAll(".node, .band")) {
      const node = Number(element.dataset.node ?? element.dataset.child);
      element.classList.toggle("on-path", path.includes(node));
    }
    markWrong(summary, treeNow(), state.typed);
    if (isTyped) showPath(summary, treeNow(), path, state.typed);
    else hidePath(summary, treeNow());
  }

  // --- the rest of the page ---

  byId("zoom-in").addEventListener("click", () => zoomTo(state.zoom * 1.25));
  byId("zoom-out").addEventListener("click", () => zoomTo(state.zoom / 1.25));
  byId("zoom-fit").addEventListener("click", fit);
  byId("row-form").addEventListener("submit", (event) => event.preventDefault());
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) draw(); // the bars of a phone change only the height
    width = window.innerWidth;
  });
  window.addEventListener("beforeprint", () => {
    const { width: wide, rest, page } = PAPER;
    const isSmall = bestLayout(summary, treeNow(), wide, rest).scale >= LEAST_SCALE;
    draw(wide, isSmall ? rest : page);
  });
  window.addEventListener("afterprint", () => draw());
  if (byId("slider")) {
    jumpsOf(summary, choose);
    drawChart(summary, choose);
    byId("slider").addEventListener("input", (event) => choose(Number(event.target.value)));
    showSize(summary, state.place);
  } else {
    byId("facts").append(...errorFacts(summary, summary.sizes[0]));
  }
  showTuning(summary);
  showTree();
}

// --- light and dark -------------------------------------------------------------------

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : prefersDark.matches;
}

function nameTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", isDark() ? "Light colours" : "Dark colours");
}

function themes() {
  try { // local pages, or pages in a frame, may have no storage
    const kept = sessionStorage.getItem("murtree-theme");
    if (kept) document.documentElement.dataset.theme = kept;
  } catch { /* use the theme of the system */ }
  byId("theme").addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try { sessionStorage.setItem("murtree-theme", next); } catch { /* not stored */ }
    nameTheme();
  });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();
}

document.documentElement.classList.add("scripted");
themes();
explorer();
