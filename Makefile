# Needs only python3 (3.11 or newer) and make; every target sets up .venv by itself.
# Another interpreter: rm -r .venv && make test PYTHON=python3.12

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Two test processes with one thread each are faster on two cores than threads fighting for them.
export OPENBLAS_NUM_THREADS ?= 1
# Else every command that a test starts would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: help demo test coverage test-slow test-extras oracle lint type bench docs clean

help:
	@echo "make demo       a simulated pool, estimated beside its known truth"
	@echo "make test       lint, types, tests, doctests and the examples of the pages"
	@echo "make coverage   the tests again, with the branches they reach"
	@echo "make test-slow  seeded coverage over many draws (minutes to an hour)"
	@echo "make test-extras  embedders that need wordllama or transformers (installs torch)"
	@echo "make oracle     figures of R's survey and MASS packages for the tests (needs R)"
	@echo "make lint       ruff: rules and format"
	@echo "make type       mypy --strict"
	@echo "make bench      speed and coverage, quick form"
	@echo "make docs       the pages, into site/"
	@echo "make clean      remove .venv, caches and site/"

demo: .venv/.runtime
	@$(BIN)/bacon demo

test: lint type
	$(PYTEST)

coverage: .venv/.dev
	$(PYTEST) --cov --cov-report=term

test-slow: .venv/.dev
	$(PYTEST) -m slow

test-extras: .venv/.extras
	$(PYTEST) tests/engine/embedding tests/features

oracle:
	@command -v Rscript >/dev/null || { \
	  echo "make oracle: Rscript is not installed; install R (Debian: r-base-core r-cran-survey)." >&2; exit 1; }
	@Rscript -e 'quit(status = !requireNamespace("survey", quietly = TRUE))' || { \
	  echo "make oracle: R lacks the package survey; install it (Debian: r-cran-survey)." >&2; exit 1; }
	@Rscript -e 'quit(status = !requireNamespace("MASS", quietly = TRUE))' || { \
	  echo "make oracle: R lacks the package MASS; install it (Debian: r-cran-mass)." >&2; exit 1; }
	@set -e; for script in tests/oracle/*.R; do echo "Rscript $$script"; Rscript "$$script"; done

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: .venv/.dev
	$(BIN)/mypy

bench: .venv/.dev
	@set -e; for script in bench/*.py; do echo "$$script --quick"; $(BIN)/python "$$script" --quick; done

docs: .venv/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir site

clean:
	rm -rf .venv site .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache

# The stamps are newer than what they were made from, so a second run installs nothing.
.venv/.runtime: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	  "BACON needs Python 3.11 or newer; try make PYTHON=python3.12")'
	@echo "Setting up .venv (once, a minute or two)"
	@$(PYTHON) -m venv .venv
	@$(PIP) --editable .
	@touch $@

.venv/.dev: .venv/.runtime
	@echo "Installing what tests and checks need (once)"
	@$(PIP) --editable '.[dev]'
	@touch $@

.venv/.docs: .venv/.runtime
	@echo "Installing what the pages need (once)"
	@$(PIP) --editable '.[docs]'
	@touch $@

.venv/.extras: .venv/.dev
	@echo "Installing wordllama, torch and transformers (once, some gigabytes)"
	@$(PIP) --editable '.[text,transformers]'
	@touch $@
