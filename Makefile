# Two commands do all the set-up: `make demo` and `make test`. `make help` lists everything.
.DEFAULT_GOAL := help
SHELL := /bin/bash

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# Runtimes built here serve the demo and the tests alike.
export STARFORGE_RUNTIMES ?= $(CURDIR)/.runtimes
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Two at a time, a file at a time; tests/conftest.py says what goes together.
TEST_WORKERS ?= 2
WORKERS = -n $(TEST_WORKERS) --dist loadgroup --no-loadscope-reorder

.PHONY: help install console demo demo-all test test-all test-fast check format bench chaos contracts screenshots docs runtimes clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(VENV)/.installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: $(PYTHON) is older than Python 3.11; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@echo "installing StarForge into $(VENV) ..."
	@$(PIP) --upgrade pip
	@$(PIP) --editable '.[postgres]'
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	@echo "installing the development tools ..."
	@$(PIP) --group dev
	@touch $@

install: $(VENV)/.installed console ## Make .venv/bin/sf and build the web console
	@echo "installed: $(BIN)/sf"

# `sf` works without the console; the server then says how to build it.
console: $(VENV)/.installed ## Build the web console
	@$(BIN)/python scripts/console.py build

demo: $(VENV)/.installed ## A pipeline: score a base model, SFT, GRPO with a reward, score after each (two cores, no GPU)
	@$(BIN)/python scripts/demo/run.py

demo-all: $(VENV)/.installed ## One tiny job of every method: killed, resumed, exported, scored; DEMO_ALL="--only trl/sft" for less
	@$(BIN)/python scripts/demo_all/run.py $(DEMO_ALL)

# Two at a time: pip unpacks with one core. The largest come first.
RUNTIMES := verl openrlhf trl evalkit

runtimes: $(VENV)/.installed ## Build the pinned runtimes that the tests need
	@printf '%s\n' $(RUNTIMES) | xargs -n 1 -P 2 $(BIN)/sf runtime install

test: $(VENV)/.dev console runtimes ## Install what the tests need and run all of them
	@$(BIN)/python scripts/console.py test
	@$(BIN)/python scripts/chromium.py
	@STARFORGE_REQUIRE_RUNTIMES=1 $(BIN)/python scripts/with_postgres.py $(BIN)/python -m pytest $(WORKERS)

test-all: ## All tests, the slow ones too
	@STARFORGE_TEST_ALL=1 $(MAKE) --no-print-directory test

test-fast: $(VENV)/.dev ## Unit tests only: seconds, no runtimes
	@$(BIN)/python -m pytest tests/unit $(WORKERS)

check: $(VENV)/.dev ## Lint, types, import contracts, generated files up to date
	@$(BIN)/ruff check --no-cache .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/console.py check
	@$(BIN)/python scripts/gen_docs.py --check
	@$(BIN)/python scripts/openapi.py --check

format: $(VENV)/.dev ## Format the code
	@$(BIN)/ruff check --no-cache --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.dev console ## Run the benchmarks
	@$(BIN)/python -m benchmarks

chaos: $(VENV)/.installed ## Kill servers, runners and trainers at random for ten minutes; CHAOS="--minutes 1 --seed 7" for less
	@$(BIN)/python scripts/chaos/run.py $(CHAOS)

contracts: runtimes ## Re-extract the contracts from the real packages and show what changed
	@$(BIN)/python scripts/contracts.py

screenshots: $(VENV)/.dev console ## Take a picture of every page of the console into screenshots/
	@$(BIN)/python scripts/screenshots.py

docs: $(VENV)/.installed ## Build the documentation site into site/
	@$(PIP) --group docs
	@$(BIN)/python scripts/gen_docs.py
	@$(BIN)/zensical build --strict -f mkdocs.yml

clean: ## Remove everything that make has built (not your StarForge home)
	rm -rf $(VENV) .runtimes .demo .demo-all site build dist .mypy_cache .ruff_cache .pytest_cache
