# make run: set up and open the app. make test: set up and run the tests. Needs GNU make 3.81 or later, a POSIX shell, and
# Python >= 3.11 with venv, which is found automatically or can be named: make run PYTHON=python3.12

PROJECT ?= sample-tree
ARGS ?=
BIN = .venv/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check

PYTHON ?= $(shell for found in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	if $$found -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	then echo $$found; break; fi; done)

.PHONY: help run test test-all check lint types contracts format schema tables examples screenshots pictures bench quality fleet-demo restamp wheel clean

help:
	@echo 'make run          open the app on $(PROJECT) (PROJECT=DIR for another, ARGS="..." for options)'
	@echo 'make test         run the tests (ARGS="-k name" for some)'
	@echo 'make test-all     run these and the long ones: large counts, faults, a browser, pictures of the docs'
	@echo 'make check        test, lint, types and contracts'
	@echo 'make lint         ruff: rules and format        make format       ruff: fix both'
	@echo 'make types        mypy --strict                 make contracts    imports between layers'
	@echo 'make schema       write docs/reference/trace.schema.json  make screenshots  write docs/screenshots/'
	@echo 'make tables       update the tables in docs/reference/'
	@echo 'make examples     update output in the pages       make restamp      reset the ages of the sample notes'
	@echo 'make pictures     update the pictures of tests (see .pictures/contact-sheet.png) and docs/screenshots/'
	@echo 'make quality      measure how well each engine answers question sets (LOCOMO=FILE adds LoCoMo)'
	@echo 'make bench        measure speed and memory      make wheel        build into dist/'
	@echo 'make fleet-demo   start a Dask scheduler and three workers here, for 300 generated trees'
	@echo 'make clean        remove .venv, caches and builds'

# A stamp in .venv records which pyproject.toml the packages were installed for. The package itself is installed in
# editable mode (-e), so changes to source files need no installation.

$(BIN)/python:
	@set -e; python="$(PYTHON)"; \
	if [ -z "$$python" ]; then \
		echo 'No Python >= 3.11 with its venv module was found.' >&2; \
		echo 'Install one (Debian, Ubuntu: python3 and python3-venv), or name it: make PYTHON=/path/to/python3' >&2; \
		exit 1; \
	fi; \
	echo "Making .venv with $$($$python --version)"; \
	"$$python" -m venv --clear .venv || { rm -rf .venv; exit 1; }

.venv/.installed: pyproject.toml | $(BIN)/python
	@echo 'Installing brv-tui into .venv'
	@$(PIP) -e .
	@touch $@

.venv/.installed-dev: pyproject.toml | $(BIN)/python
	@echo 'Installing brv-tui and its development tools into .venv'
	@$(PIP) -e '.[dev]'
	@touch .venv/.installed $@

run: .venv/.installed
	@$(BIN)/python sample-tree/restamp.py --if-fresh-clone >/dev/null
	@$(BIN)/brv-tui $(ARGS) "$(PROJECT)"

# Otherwise, each worker, and each of the hundreds of processes that tests start, would compile the whole package.
unexport PYTHONDONTWRITEBYTECODE

# Tests are compiled once, not by each worker, and without rewritten assertions, which would take two thirds of the time for
# collecting tests. Failed tests run once more with them (ALONE), so that the report shows the values.
COMPILED = $(BIN)/python -m compileall -q -j 2 brvtui tests
# Tests create and remove many thousands of small files, which takes less processor time in memory than on a disk.
MEMORY = $(shell test -w /dev/shm && df -k /dev/shm | awk 'END { exit $$4 <= 4000000 }' && echo TMPDIR=/dev/shm)
TESTS = $(COMPILED) && $(MEMORY) $(BIN)/python -m pytest -n 3 --dist worksteal --assert=plain
LONG = -m '' --hypothesis-profile full
# There are more workers than cores, because tests also wait. A failed test runs once more, by itself; the output of the first run still names it.
ALONE = $(BIN)/python -m pytest -n 0 -v --last-failed --last-failed-no-failures none

test: .venv/.installed-dev
	$(TESTS) $(ARGS) || { $(ALONE) $(ARGS); exit 1; }

test-all: .venv/.installed-dev
	$(TESTS) $(LONG) || $(ALONE) $(LONG)

check: test-all lint types contracts

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell brvtui docs tools README.md
	$(BIN)/python tools/check_prose.py

types: .venv/.installed-dev
	$(BIN)/mypy

contracts: .venv/.installed-dev
	$(BIN)/lint-imports

format: .venv/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schema: .venv/.installed-dev
	$(BIN)/python tools/make_schema.py

tables: .venv/.installed-dev
	$(BIN)/python tools/make_tables.py

examples: .venv/.installed-dev
	$(BIN)/python tools/make_examples.py

screenshots: .venv/.installed-dev
	$(BIN)/python tools/make_screenshots.py

pictures: screenshots
	$(BIN)/python -m pytest -m '' $$(grep -l looks tests/app/test_*.py) --snapshot-update
	$(BIN)/python tools/make_contact_sheet.py

bench: .venv/.installed-dev
	$(BIN)/python -m benchmarks.table $(ARGS)

DATASETS ?= ../shared/datasets
quality: .venv/.installed-dev
	$(BIN)/python -m benchmarks.quality $(DATASETS) $(if $(LOCOMO),--locomo "$(LOCOMO)") $(ARGS)

fleet-demo: .venv/.installed-dev
	$(BIN)/python -m benchmarks.fleet_demo $(ARGS)

restamp: .venv/.installed
	$(BIN)/python sample-tree/restamp.py

wheel: $(BIN)/python
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean:
	rm -rf .venv build dist .benchmarks .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f snapshot_report.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
