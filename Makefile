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

# uv's own lock changed, or nothing is there yet: begin anew, packages come back from uv's cache.
.venv/uv-installed: requirements/uv.txt
	@python=$$(sh tools/find-python 3.13 3.12 3.11 3) && echo "Making .venv with $$python" && "$$python" -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

.venv/installed: .venv/uv-installed requirements/dev.txt pyproject.toml
	@echo "Installing the project and its tools into .venv"
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements/uv.txt requirements/dev.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

# The SAM CLI pins older versions of boto3 and pydantic than the project uses: an environment of its own.
.venv-sam/installed: requirements/sam.txt .venv/uv-installed
	@echo "Installing the SAM CLI into .venv-sam"
	@$(UV) venv --quiet --clear --python $(BIN)/python .venv-sam
	@$(UV) pip sync --quiet --python .venv-sam/bin/python --require-hashes requirements/sam.txt
	@touch $@
