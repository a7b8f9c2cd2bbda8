# Saavedra. `make help` lists the targets.

# OpenBench calls `make EXE=path [EVALFILE=network]`; EXE may carry a folder.
EXE ?= saavedra
CARGO ?= cargo
# The network to embed instead of the one in the source.
ifdef EVALFILE
export EVALFILE := $(abspath $(EVALFILE))
endif

ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif

.DEFAULT_GOAL := native
.PHONY: native test check bench dist help

native: ## build for this machine's processor, into EXE (./saavedra)
	RUSTFLAGS="-C target-cpu=native" $(CARGO) build --release --bin saavedra --target-dir target/native
	cp target/native/release/saavedra$(SUFFIX) $(EXE)$(SUFFIX)

test: ## all tests
	$(CARGO) test --release

bench: ## node total and speed
	$(CARGO) run --release --quiet -- bench

check: ## format, lints, tests, and the bench total against the last commit that names one
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings
	$(CARGO) test --release
	.ci/bench-total

dist: ## archives of a release in target/dist, for Linux (x86-64, ARM) and Windows, as far as possible here
	.ci/dist

help: ## this list
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/: .*## /\t/' | expand -t 10
