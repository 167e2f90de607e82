# The front doors. `make run` and `make test` install what is missing (as root, from Debian's
# packages), build and do their job; `make bench` also builds the peers' loops.
#   make run        build, train the digits classifier, draw the edges of a photograph
#   make test       build with warnings as errors, lint, run all fast tests
#   make test-more  after make test: sanitizers, peers (NumPy 2, PyTorch, JAX, SciPy, Qiskit Aer), what takes longer
#   make test-aarch64  library, command, plugin and kernels on AArch64, under qemu (a step of test-more)
#   make same-bits  every kernel on every engine, by hash, into docs/same-bits.md
#   make bench      build and print the figures against their peers; GROUP=chart draws those of README.md
#   make wheels     hologram and hologram-jit for pip, and the sdist, into dist/ (docs/release.md)
#   make package    .tar.gz and .deb into dist/
#   make site       these documents, the references and the playground as a site: build/site (docs/site.md)
#   make fuzz       every reader under libFuzzer for MINUTES=30 in all; prints executions and findings
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# The steps of a door are in order, whatever -j says; builds and tests have JOBS.
.NOTPARALLEL:
# Debian's Python compiles kernels for `make run`; everything else has the environment that
# scripts/venv.sh makes from a lock file. What `python3` means to the user takes no part.
SYSTEM_PYTHON := /usr/bin/python3
VENV_PYTHON := $(CURDIR)/build/venv/bin/python
unexport PYTHONHOME PYTHONPATH
export HOLOGRAM_PYTHON := $(VENV_PYTHON)
# PyTorch and JAX are measured where `scripts/venv.sh interop` has installed them.
PEER_PYTHON = $(if $(wildcard build/interop-venv/made-from),build/interop-venv/bin/python,$(VENV_PYTHON))
JOBS ?= $(shell nproc)
BUILD := build/release
OUT := out
CONFIGURE = cmake --preset release -DPython3_EXECUTABLE="$(HOLOGRAM_PYTHON)"
# nanobind's folder is given each time: CMake would keep that of an older environment.
WITH_MODULE = -DHOLOGRAM_BUILD_PYTHON=ON -DPython_EXECUTABLE="$(VENV_PYTHON)" \
  -Dnanobind_DIR="$$("$(VENV_PYTHON)" -m nanobind --cmake_dir)"
LOGGED = >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }

.PHONY: help setup-run setup-test setup-bench run test test-more test-aarch64 same-bits bench wheels package site fuzz lint format clean

help:
	@sed -n 's/^#   //p' Makefile

setup-run:
	@scripts/setup.sh run

setup-test:
	@scripts/setup.sh test

setup-bench:
	@scripts/setup.sh bench

run: export HOLOGRAM_PYTHON := $(SYSTEM_PYTHON)
run: setup-run
	@echo "[2/5] configuring"
	@$(CONFIGURE) -DHOLOGRAM_DEVELOPER_MODE=OFF $(LOGGED)
	@echo "[3/5] building (some minutes the first time)"
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_cli hologram_jit digits side_by_side
	@echo "[4/5] handwritten digits: training and evaluating, all numerics in compiled kernels"
	@mkdir -p $(OUT)
	@$(BUILD)/bin/digits examples/digits/data/digits.csv.gz $(OUT)
	@echo "[5/5] edges of a photograph, through the command line"
	@scripts/run_sobel.sh $(BUILD)/bin $(OUT)
	@echo "done: $(OUT)/digits.png (accuracy, weights, errors) and $(OUT)/edges.png (photograph and edges)"

test: setup-test lint
	@echo "[3/5] configuring, warnings are errors"
	@$(CONFIGURE) -DHOLOGRAM_WERROR=ON -DHOLOGRAM_DEVELOPER_MODE=ON $(WITH_MODULE) $(LOGGED)
	@echo "[4/5] building"
	@cmake --build $(BUILD) -j $(JOBS)
	@echo "[5/5] testing"
	@mkdir -p build/totals
	@ctest --test-dir $(BUILD) --output-on-failure -LE "slow|interop|scale|seeing|more|wasm" -j $(JOBS) \
	  --output-junit "$(CURDIR)/build/totals/test.xml"

test-more: setup-test
	@scripts/test_more.sh $(JOBS)

test-aarch64: setup-test
	@scripts/aarch64.sh $(JOBS)

same-bits: setup-test
	@scripts/same_bits.sh $(JOBS)

lint:
	@echo "[2/5] format, layers, sizes"
	@scripts/lint.sh

# make bench GROUP=ports runs one group; without GROUP, all but the groups with peers of their own.
ifeq ($(GROUP),)
bench: setup-bench
	@$(CONFIGURE) -DHOLOGRAM_BUILD_BENCH=ON $(WITH_MODULE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_bench hologram_jit
	@mkdir -p $(OUT)
	@$(BUILD)/bin/hologram_bench | tee $(OUT)/figures.txt
	@"$(VENV_PYTHON)" bench/chart.py $(OUT)/figures.txt $(OUT)/figures.svg
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_python hologram_stdlib $(LOGGED)
	@PYTHONPATH=$(BUILD)/python "$(VENV_PYTHON)" bench/ops.py | tee $(OUT)/ops.txt
	@PYTHONPATH=$(BUILD)/python "$(PEER_PYTHON)" bench/fuse.py
	@if "$(PEER_PYTHON)" -c 'import torch' 2>/dev/null; then \
	  PYTHONPATH=$(BUILD)/python "$(PEER_PYTHON)" bench/pytorch_table.py; \
	else echo "hologram.torch against PyTorch: SKIPPED, scripts/venv.sh interop installs it"; fi
else ifeq ($(GROUP),chart)
bench: setup-bench
	@$(CONFIGURE) -DHOLOGRAM_BUILD_BENCH=ON $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_bench hologram_jit $(LOGGED)
	@"$(VENV_PYTHON)" bench/chart.py --measure $(BUILD)/bin/hologram_bench bench/figures/chart.txt docs/figures.svg
else ifeq ($(GROUP),ports)
bench: setup-bench
	@scripts/venv.sh ports
	@$(CONFIGURE) $(WITH_MODULE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_python hologram_jit $(LOGGED)
	@PYTHONPATH=$(BUILD)/python build/ports-venv/bin/python bench/ports/run.py
else ifeq ($(GROUP),cliffs)
bench: setup-bench
	@scripts/venv.sh ports
	@$(CONFIGURE) $(WITH_MODULE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_python hologram_jit hologram_stdlib $(LOGGED)
	@PYTHONPATH=$(BUILD)/python build/ports-venv/bin/python bench/cliffs/run.py
else ifeq ($(GROUP),matrix)
bench: setup-bench
	@$(CONFIGURE) $(WITH_MODULE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_python hologram_stdlib $(LOGGED)
	@PYTHONPATH=$(BUILD)/python "$(VENV_PYTHON)" bench/matrix.py
else ifeq ($(GROUP),device)
bench: setup-bench
	@$(CONFIGURE) $(WITH_MODULE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_python hologram_stdlib $(LOGGED)
	@PYTHONPATH=$(BUILD)/python "$(PEER_PYTHON)" bench/device.py
else ifeq ($(GROUP),mission)
bench: setup-bench
	@scripts/venv.sh mission
	@$(CONFIGURE) $(WITH_MODULE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_python hologram_jit hologram_stdlib $(LOGGED)
	@PYTHONPATH=$(BUILD)/python build/mission-venv/bin/python bench/mission.py
else ifeq ($(GROUP),start)
bench: setup-bench
	@$(CONFIGURE) $(WITH_MODULE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_cli hologram_python hologram_jit hologram_stdlib $(LOGGED)
	@"$(VENV_PYTHON)" bench/front_end.py $(BUILD)/bin/hologram
	@PYTHONPATH="$(CURDIR)/$(BUILD)/python" "$(VENV_PYTHON)" tests/wheels/start_times.py
else ifeq ($(GROUP),scale)
bench: setup-bench
	@$(CONFIGURE) $(WITH_MODULE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_python hologram_jit hologram_stdlib $(LOGGED)
	@$(CXX) -std=c++20 -O2 -Wall -Wextra -Iinclude -I$(BUILD)/include bench/scale.cc -o $(BUILD)/bin/scale_bench \
	  -L$(BUILD)/lib -lhologram -Wl,-rpath,$(CURDIR)/$(BUILD)/lib
	@PYTHONPATH="$(CURDIR)/$(BUILD)/python" "$(VENV_PYTHON)" bench/scale.py $(CURDIR)/$(BUILD)/bin/scale_bench
	@if [ -x build/scale-venv/bin/python ]; then PYTHONPATH="$(CURDIR)/$(BUILD)/python" \
	  build/scale-venv/bin/python bench/scale_engines.py; \
	  else echo "Dask, Polars, DuckDB: SKIPPED, scripts/venv.sh scale installs them"; fi
	@if [ -x build/scale-venv/bin/python ] && command -v mpirun >/dev/null; then for ranks in 1 2; do \
	  PYTHONPATH="$(CURDIR)/$(BUILD)/python" OMP_NUM_THREADS=1 mpirun --oversubscribe --bind-to none \
	  -np $$ranks build/scale-venv/bin/python bench/jacobi_ranks.py; done; \
	  else echo "Jacobi on two ranks: SKIPPED, there is no mpirun"; fi
else ifeq ($(GROUP),wasm)
bench: setup-bench
	@$(CONFIGURE) $(LOGGED)
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_cli hologram_jit $(LOGGED)
	@"$(VENV_PYTHON)" bench/wasm.py $(BUILD)/bin/hologram
else
bench:
	@echo "error: GROUP=$(GROUP): the groups are: chart, cliffs, device, matrix, mission, ports, scale, start, wasm" >&2; exit 2
endif

wheels package: setup-test
	@JOBS=$(JOBS) scripts/wheels.sh $@

site: setup-test
	@scripts/site.sh build

fuzz:
	@scripts/setup.sh fuzz
	@PYTHON="$(VENV_PYTHON)" JOBS=$(JOBS) scripts/fuzz.sh $(or $(MINUTES),30)

format:
	@scripts/format.sh

clean:
	rm -rf build out
