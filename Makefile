# Needs Python 3.11 or newer and make; everything else comes from the locks in requirements/.
# `make help` lists the targets.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# A started check or test must see this project's tools and no other environment.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME
export UV_PYTHON_DOWNLOADS := never

BIN := .venv/bin
UV := $(BIN)/uv
SAM := SAM_CLI_TELEMETRY=0 .venv-sam/bin/sam

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

# --- environments ----------------------------------------------------------------------------------------------

.PHONY: install
install: .venv/installed ## make .venv with the project and its tools

# Each stamp is a copy of what it stands for: a file that only got a new time installs nothing again.

# Another uv, or nothing there yet: begin anew, the packages come back from uv's cache.
.venv/uv-installed: requirements/uv.txt
	@cmp -s $< $@ || { \
		python=$$(sh tools/find-python 3.13 3.12 3.11 3) && \
		echo "Making .venv with $$python" >&2 && \
		"$$python" -m venv --clear .venv && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<; }
	@cp $< $@

.venv/installed: requirements/dev.txt pyproject.toml .venv/uv-installed
	@cat requirements/dev.txt pyproject.toml | cmp -s - $@ || { \
		echo "Installing the project and its tools into .venv" >&2 && \
		$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements/uv.txt requirements/dev.txt && \
		$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .; }
	@cat requirements/dev.txt pyproject.toml > $@

# The SAM CLI pins older versions of boto3 and pydantic than the project uses: an environment of its own.
.venv-sam/installed: requirements/sam.txt .venv/uv-installed
	@cmp -s $< $@ || { \
		echo "Installing the SAM CLI into .venv-sam" >&2 && \
		$(UV) venv --quiet --clear --python $(BIN)/python .venv-sam && \
		$(UV) pip sync --quiet --python .venv-sam/bin/python --require-hashes $<; }
	@cp $< $@

# So does checkov.
.venv-checkov/installed: requirements/checkov.txt .venv/uv-installed
	@cmp -s $< $@ || { \
		echo "Installing checkov into .venv-checkov" >&2 && \
		$(UV) venv --quiet --clear --python $(BIN)/python .venv-checkov && \
		$(UV) pip sync --quiet --python .venv-checkov/bin/python --require-hashes $<; }
	@cp $< $@

# --- daily work ------------------------------------------------------------------------------------------------

.PHONY: fast
fast: install ## the inner loop: tests that need no server (seconds)
	@$(BIN)/pytest -q tests/unit tests/contract

.PHONY: test
test: install check ## everything: checks, unit tests, real servers, the built layer
	@$(BIN)/python -m tests.servers fetch
	@$(BIN)/pytest --durations=12

.PHONY: demo
demo: install ## make the demo site, ask it over HTTP, print the evidence
	@$(BIN)/typo3-retrieval demo

.PHONY: serve
serve: install ## the template's routes on this machine, until interrupted
	@$(BIN)/typo3-retrieval serve

.PHONY: servers
servers: install ## the tests' real servers, until interrupted; one JSON line tells their addresses
	@exec $(BIN)/python -m tests.servers run

# --- measuring -------------------------------------------------------------------------------------------------

# Sets with relevance judgments; our own two are small, and only show that nothing broke.
QUESTION_SETS ?= $(firstword $(wildcard ../shared/ir) tests/ranking/sets)
# Questions that the other set's pages do not answer; a pair whose sets are missing is left out.
OFF_TOPIC ?= xquad-de:faq-de xquad-en:faq-en xquad-en:stackfaq-en stackfaq-en:xquad-en
PAGES ?= 1000 10000 100000
# Sets whose sentences make the sites that are timed; without them a made-up language does.
SENTENCES ?= $(wildcard ../shared/ir)

.PHONY: evaluate
evaluate: install ## how often the right page comes first; QUESTION_SETS=folder, EVALUATE="--at-most 100"
	@$(BIN)/typo3-retrieval evaluate --data $(QUESTION_SETS) --form text --form kw --reference \
		--database mariadb --engine innodb --engine myisam --database sqlite \
		$(addprefix --off-topic ,$(OFF_TOPIC)) --runs build/evaluation $(EVALUATE)

.PHONY: bench
bench: install ## latency on large sites, into build/bench.json; PAGES="1000 10000", SENTENCES=
	@$(BIN)/python -m typo3_retrieval_cli.evaluation.bench $(addprefix --pages ,$(PAGES)) \
		$(addprefix --data ,$(SENTENCES)) --output build/bench.json $(BENCH)

# --- checks: each on its own, so that `make -j check` runs them side by side ----------------------------------

.PHONY: check check-format check-lint check-types check-imports check-template check-security
check: check-format check-lint check-types check-imports check-template check-security ## format, lint, types, layers, template

check-format: install
	@$(BIN)/ruff format --check --quiet || { echo "Run: $(BIN)/ruff format" >&2; exit 1; }

check-lint: install
	@$(BIN)/ruff check --quiet

check-types: install
	@$(BIN)/mypy

check-imports: install
	@$(BIN)/lint-imports

check-template: .venv-sam/installed
	@$(SAM) validate --lint --template template.yaml

# What it demands and does not get stands in .checkov.yaml, each with its reason.
check-security: .venv-checkov/installed
	@.venv-checkov/bin/checkov --config-file .checkov.yaml

REQUESTS ?= 10000

.PHONY: fuzz
fuzz: install ## hostile requests against the local server: REQUESTS=10000
	@$(BIN)/python -m tests.integration.fuzzing --requests $(REQUESTS)

# --- building --------------------------------------------------------------------------------------------------

ARCHITECTURE ?= arm64

.PHONY: build
build: .venv/installed .venv-sam/installed ## the SAM build; ARCHITECTURE=arm64 (default) or x86_64
	@LAYER_ARCHITECTURE=$(ARCHITECTURE) $(SAM) build --build-in-source \
		--parameter-overrides Architecture=$(ARCHITECTURE)

ENV ?= dev

.PHONY: deploy
deploy: build ## build and deploy with samconfig.toml's settings; ENV=dev (default) or prod
	@eval "set -- $$($(BIN)/python tools/deploy_parameters.py $(ENV))" && \
		$(SAM) deploy --config-env $(ENV) --parameter-overrides "$$@"

# --- locks -----------------------------------------------------------------------------------------------------

# Neither addresses nor paths: the locks say what, the user's own client says from where.
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url $(if $(UPGRADE),--upgrade)

.PHONY: lock
lock: .venv/uv-installed ## renew requirements/*.txt after a changed source; UPGRADE=1 takes newer versions
	$(COMPILE) requirements/uv.in --output-file requirements/uv.txt
	$(COMPILE) requirements/sam.in --output-file requirements/sam.txt
	$(COMPILE) requirements/checkov.in --output-file requirements/checkov.txt
	$(COMPILE) pyproject.toml --output-file requirements/layer.txt
# The tests must see the layer's versions: its lock binds the other one.
	$(COMPILE) pyproject.toml --extra cli --extra asymmetric --group dev --constraint requirements/layer.txt \
		--output-file requirements/dev.txt

.PHONY: clean
clean: ## remove what was built; the environments and the cached servers stay
	rm -rf .aws-sam build dist .schemathesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
