PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PLAYWRIGHT_BROWSERS_PATH ?=

.PHONY: install test lint demo bench clean

$(VENV)/.installed: pyproject.toml $(wildcard js/package*.json js/hatch_build.py)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

install: $(VENV)/.installed

test: install
	$(BIN)/python -m pytest
