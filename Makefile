# The whole project's commands. Everything runs in its own .venv; nothing else is touched.
PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
# Old libraries call what newer ones would rather they did not.
GROWN_OLD := ignore::DeprecationWarning
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Tests start covey a few hundred times; where no bytecode is kept, each start compiles all of it again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-fast studies fuzz oldest check lint types layers lock audit bench docs wheel pictures peers references format clean

demo: $(INSTALLED)  ## install covey and run it on an example
	@printf '\n$$ covey check examples/shared-resource.toml\n\n'
	@$(BIN)/covey check examples/shared-resource.toml
	@printf '\n$$ covey leakage examples/shared-resource.toml\n\n'
	@$(BIN)/covey leakage examples/shared-resource.toml
	@printf '\n$$ covey report examples/shared-resource.toml -o demo/report.html\n\n'
	@mkdir -p demo
	@$(BIN)/covey report examples/shared-resource.toml -o demo/report.html
	@printf '\nopen %s in a browser,\nor move sliders instead: %s app examples/warehouse.toml\n' \
		"$(CURDIR)/demo/report.html" "$(BIN)/covey"

test: $(READY)  ## the tests
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=25 --durations-min=10

test-fast: $(READY)  ## those that take about a minute together, and still touch every room
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

studies: $(READY)  ## the same promises, tried a thousand times on cases that are drawn anew
	$(BIN)/python -m pytest -n auto --dist worksteal -m study --hypothesis-profile=new

fuzz: $(READY)  ## 100,000 hostile inputs, an hour or more: COUNT=1000 SEED=7 make fuzz for others
	$(BIN)/python -m tests.fuzz --count $(or $(COUNT),100000) --seed $(or $(SEED),1)

lock: $(INSTALLED)  ## constraints.txt: every dependency as it is installed here, with its hashes
	$(INSTALL) --upgrade "pip-tools>=7.4"
	$(BIN)/python -m piptools compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-header \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --all-extras \
		--output-file constraints.txt pyproject.toml
	@echo "written: constraints.txt; pip install --require-hashes -r constraints.txt, then pip install --no-deps ."

audit: $(INSTALLED)  ## known weaknesses of what is installed, where the list of them can be reached
	$(INSTALL) --upgrade "pip-audit>=2.7"
	@$(BIN)/python tests/audit.py

oldest:  ## the fast tests, with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(PYTHON) tests/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --prefer-binary \
		--constraint $(OLDEST)/constraints.txt --editable ".[app,cluster,sbml,serve]" --group dev
	PYTHONWARNINGS=error,$(GROWN_OLD) $(OLDEST)/bin/python -m pytest -m "not slow" -W $(GROWN_OLD)

check: lint types layers test  ## everything that must pass before a commit

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

bench: $(READY)  ## the benchmarks within half an hour; those that take long run by name
	$(INSTALL) --group bench
	$(BIN)/python -m benchmarks --save --minutes 29

docs: $(READY)  ## the documentation as a site
	$(INSTALL) --group docs
	$(BIN)/sphinx-build --quiet --fail-on-warning docs docs/_build/html
	@echo "open docs/_build/html/index.html"

wheel: $(INSTALLED)  ## what pip installs, in dist/
	$(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir dist .
	@ls dist/*.whl

pictures: $(READY)  ## the pictures of the README and the documentation
	$(BIN)/python docs/pictures.py

peers: $(READY)  ## install the other programs that the tests compare covey with, where they are there
	$(INSTALL) --group references

references: peers  ## covey's numbers against other programs
	$(BIN)/python -m pytest tests/reference tests/property tests/privacy/test_profile.py

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Both are made anew whenever the list of dependencies changes: covey itself, which is all that its
# users need, and what its developers need besides.
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade "pip>=25.1"
	$(INSTALL) --editable ".[app]"
	@touch $@

$(READY): $(INSTALLED)
	$(INSTALL) --group dev
	@touch $@

clean:
	rm -rf $(VENV) $(OLDEST) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
