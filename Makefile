# The front doors. `make run` and `make test` install what is missing (as root, from Debian's
# packages), build and do their job; `make bench` also builds the peers' loops.
#   make run     build, train the digits classifier, draw the edges of a photograph
#   make test    build with warnings as errors, lint, run all fast tests
#   make bench   build and print the figures against their peers
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
PYTHON := $(shell scripts/find_python.sh)
JOBS ?= $(shell nproc)
BUILD := build/release
OUT := out
CONFIGURE := cmake --preset release -DPython3_EXECUTABLE="$(PYTHON)"

.PHONY: help setup-run setup-test setup-bench configure run test bench lint format clean

help:
	@sed -n 's/^#   //p' Makefile

setup-run:
	@scripts/setup.sh run

setup-test:
	@scripts/setup.sh test

setup-bench:
	@scripts/setup.sh bench

run: setup-run
	@echo "[2/5] configuring"
	@$(CONFIGURE) -DHOLOGRAM_DEVELOPER_MODE=OFF >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@echo "[3/5] building (some minutes the first time)"
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_cli hologram_jit digits
	@echo "[4/5] handwritten digits: training and evaluating, all numerics in compiled kernels"
	@mkdir -p $(OUT)
	@$(BUILD)/bin/digits examples/digits/data/digits.csv.gz $(OUT)
	@echo "[5/5] edges of a photograph, through the command line"
	@scripts/run_sobel.sh $(BUILD)/bin/hologram $(OUT)
	@echo "done: $(OUT)/digits_weights.png $(OUT)/digits_confusion.png $(OUT)/sobel.png"

test: setup-test lint
	@echo "[3/6] configuring, warnings are errors"
	@$(CONFIGURE) -DHOLOGRAM_WERROR=ON -DHOLOGRAM_DEVELOPER_MODE=ON \
	  $$(scripts/python_module.sh "$(PYTHON)") >$(BUILD).log 2>&1 \
	  || { cat $(BUILD).log; exit 1; }
	@echo "[4/6] building"
	@cmake --build $(BUILD) -j $(JOBS)
	@echo "[5/6] testing"
	@ctest --test-dir $(BUILD) --output-on-failure -LE "slow|interop" -j $(JOBS)
	@echo "[6/6] hostile input under sanitizers"
	@scripts/sanitize.sh "$(PYTHON)" $(JOBS)

lint:
	@echo "[2/6] format, layers, sizes"
	@scripts/lint.sh "$(PYTHON)"

bench: setup-bench
	@$(CONFIGURE) -DHOLOGRAM_BUILD_BENCH=ON $$(scripts/python_module.sh "$(PYTHON)") \
	  >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) --target hologram_bench hologram_jit
	@$(BUILD)/bin/hologram_bench
	@if "$(PYTHON)" -c 'import numpy' 2>/dev/null && cmake --build $(BUILD) -j $(JOBS) \
	  --target hologram_python hologram_stdlib >$(BUILD).log 2>&1; then \
	  PYTHONPATH=$(BUILD)/python "$(PYTHON)" bench/ops.py && \
	  PYTHONPATH=$(BUILD)/python "$(PYTHON)" bench/fuse.py && \
	  { ! "$(PYTHON)" -c 'import torch' 2>/dev/null || \
	    PYTHONPATH=$(BUILD)/python "$(PYTHON)" bench/pytorch_table.py; }; \
	else echo "hologram.ops against NumPy: SKIPPED, NumPy or the Python module is not there"; fi

format:
	@scripts/format.sh

clean:
	rm -rf build out
