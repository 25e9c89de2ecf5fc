# The commands of the project; `make help` lists them. Each installs what it needs first.
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
SECONDS ?= 60
PORT ?= 8080
FUZZERS := sse stream chat_request schema_compile schema_check repair normalize tokens when references jsonc toolset_file approval_globs readable_text patch terminal_text shell_command jsonrpc
SOURCES = $(shell git ls-files '*.cpp' '*.h')

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
	  printf '  make %-8s %s\n' "$$name" "$$text"; done

# $(call build,PRESET,TARGETS)
build = @V=$(V) bash scripts/build.sh $(1) "$(JOBS)" $(2)

run: ## build the release binary and serve this folder on http://127.0.0.1:8080
	@sh scripts/install.sh build
	$(call build,release,toolgate)
	@exec build/release/toolgate serve --port $(PORT)

build: ## leave the release binary in build/release/toolgate
	@sh scripts/install.sh build
	$(call build,release,toolgate)

# What `make test` needs of either build. Unit tests take the compiler long, so they are built once, with sanitizers.
RELEASE_TESTED = toolgate toolgate_library toolgate_random toolgate_golden toolgate_schema_lines toolgate_shell_lines
SANITIZED_TESTED = toolgate toolgate_unit toolgate_random $(addprefix replay_,$(FUZZERS))
test: ## build and run every test, unit and corpus ones under sanitizers, random and HTTP ones with and without
	@sh scripts/install.sh test lint
	$(call build,release,$(if $(ONLY),all,$(RELEASE_TESTED)))
	$(if $(ONLY),,$(call build,asan,$(SANITIZED_TESTED)))
	@python3 tests/run.py --build build/release $(if $(ONLY),--only $(ONLY),--sanitized build/asan)

golden: ## run vector files: make golden FILES="a.json b.json"
	@sh scripts/install.sh build
	$(call build,release,toolgate_golden)
	@build/release/tests/toolgate_golden $(FILES)

bench: ## measure beside nginx, Portkey, a bare relay, Ajv, npm's token counters and VS Code's parser of conditions
	@sh scripts/install.sh bench
	$(call build,release,toolgate)
	@cmake -S . -B build/release -DTOOLGATE_BENCH=ON >build/configure-bench.log
	$(call build,release,bench_upstream bench_load bench_relay schema_bench tokens_bench catalog_bench when_bench invoke_bench agent_bench)
	@python3 bench/cores.py $(BENCH)
	@python3 bench/catalogue.py $(BENCH)
	@python3 bench/approvals.py $(BENCH)
	@python3 bench/builtin.py $(BENCH)
	@python3 bench/run.py $(BENCH)

fuzz: ## run each fuzzer for SECONDS=60
	@sh scripts/install.sh test
	$(call build,fuzz,$(addprefix fuzz_,$(FUZZERS)))
	@for name in $(FUZZERS); do sh scripts/fuzz.sh $$name $(SECONDS) || exit 1; done

crash: ## kill the gateway ROUNDS=1000 times while people decide, and look what is left
	@sh scripts/install.sh test
	$(call build,release,toolgate)
	@CRASH_ROUNDS=$(or $(ROUNDS),1000) TOOLGATE_BINARY=build/release/toolgate build/tools/node/bin/node --import ./tests/clients/packages.mjs --test tests/http/crash.test.mjs

turns: ## hold CONVERSATIONS=5000 random conversations in auto mode, with failures, people and restarts
	@sh scripts/install.sh test
	$(call build,release,toolgate)
	@AGENT_CONVERSATIONS=$(or $(CONVERSATIONS),5000) TOOLGATE_BINARY=build/release/toolgate build/tools/node/bin/node --import ./tests/clients/packages.mjs --test tests/http/agent_random.test.mjs

lines: ## take random command lines apart for SECONDS=60 and compare with what bash runs; SEED=1 chooses others
	@sh scripts/install.sh test
	$(call build,release,toolgate_shell_lines)
	@SHELL_COUNT=1000000000 SHELL_SECONDS=$(SECONDS) SHELL_SEED=$(or $(SEED),1) TOOLGATE_SHELL_LINES=build/release/tests/toolgate_shell_lines build/tools/node/bin/node --test tests/differential/shell.test.mjs

asan: ## run unit, random, golden, corpus and HTTP tests under the address and undefined-behaviour sanitizers
	@sh scripts/install.sh test
	$(call build,asan,all)
	@python3 tests/run.py --build build/asan --only unit random golden corpus http

tsan: ## run unit, random and HTTP tests under the thread sanitizer, the long ones too
	@sh scripts/install.sh test
	$(call build,tsan,all)
	@TOOLGATE_LONG_TESTS=1 python3 tests/run.py --build build/tsan --only unit random http

lint: ## clang-tidy and clang-format, without changing anything
	@sh scripts/install.sh test lint
	$(call build,release,all)
	@clang-format-19 --dry-run -Werror $(SOURCES)
	@git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-19 -p build/release --quiet 2>/dev/null

format: ## format the C++ sources
	@sh scripts/install.sh lint
	@clang-format-19 -i $(SOURCES)

clean: ## remove what was built; keeps installed tools
	@rm -rf build/release build/dev build/asan build/tsan build/fuzz

.PHONY: help run build test golden bench fuzz crash turns lines asan tsan lint format clean
