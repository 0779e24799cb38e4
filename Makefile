# make demo and make test need python3 (3.11 or newer), its venv module and make, and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Of the tests, many wait for processes: three at once keep two cores busy.
WORKERS ?= 3
PYTEST_ARGS ?=

# A stamp says what is installed; pyproject.toml newer than the stamp means: install again.
RUN := $(VENV)/.installed-run
DEV := $(VENV)/.installed-dev
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

CHECKED := terse demo docs editors policies tests

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test bench bench-peers conformance lint fmt docs check-docs site check-policies changelog clean

help:  ## What there is to make
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST) | awk -F ': ' '{ printf "  make %-16s %s\n", $$1, $$2 }'

demo: $(RUN)  ## A real server called directly and through terse: tokens before and after
	@$(BIN)/python demo/run.py

test: $(DEV)  ## All tests
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_ARGS)

bench: $(DEV)  ## Measure start-up, relay and tokens; no test depends on the figures
	$(BIN)/python -m tests.benchmarks $(BENCH)

bench-peers: $(DEV)  ## Public encoders beside ours, each in its own environment: CORPUS=FOLDER PEERS="NAME …|all"
	PEERS='$(PEERS)' $(BIN)/python -m tests.benchmarks.peers $(CORPUS)

conformance: $(DEV)  ## The official MCP conformance suite, direct and through terse: WAYS="NAME …" SIDE=server|client
	$(BIN)/python -m tests.conformance $(addprefix --way ,$(WAYS)) $(addprefix --side ,$(SIDE))

lint: $(DEV)  ## ruff and mypy
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy

fmt: $(DEV)  ## Format the Python code
	$(BIN)/ruff check --fix $(CHECKED)
	$(BIN)/ruff format $(CHECKED)

docs: $(DEV)  ## Write the generated pages
	$(BIN)/python docs/generate.py

check-docs: $(DEV)  ## Fail when a generated page is stale
	$(BIN)/python docs/generate.py --check

site: $(DEV)  ## The documentation as pages, in build/site; a page or link that leads nowhere is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

check-policies: $(RUN)  ## The shipped policies: findings, style, and tests that cover every line
	$(BIN)/terse check policies --fail-on warning
	$(BIN)/terse fmt --check policies
	$(BIN)/terse test policies --coverage --at-least 100

changelog: $(DEV)  ## At a release, VERSION=X.Y.Z: the fragments of changelog.d go into CHANGELOG.md
	@test -n '$(VERSION)' || { echo "which release? make changelog VERSION=X.Y.Z" >&2; exit 2; }
	$(BIN)/towncrier build --yes --version '$(VERSION)'

clean:  ## Remove what make and the tools made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "terse needs Python 3.11 or newer: make PYTHON=/path/to/python3 …" >&2; exit 2; }
	@$(PYTHON) -m venv --clear $(VENV) || { \
	  rm -rf $(VENV); echo "no virtual environment: apt-get install python3-venv" >&2; exit 2; }

$(RUN): pyproject.toml | $(BIN)/python
	@echo "installing terse into $(VENV) …"
	@$(PIP) install --editable .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	@echo "installing terse and what its tests need into $(VENV) …"
	@$(PIP) install --editable '.[dev]'
	@touch $(RUN) $@
