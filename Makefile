# Every target is one line of `make help`. SEEDS=n and SEED=n reach the simulator; MINUTES=n, SEED=n and
# FAULTS=kill,disk,… the nemesis.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
# Without C, as in releases: linking the 75 test programs takes a third less.
export CGO_ENABLED ?= 0
DATA ?= data
LISTEN ?= 127.0.0.1:8080
HOURS ?= 2
# What make bench writes, and the lines of go test on their way into it.
JSON ?= out/bench.json
TESTS = $(JSON).tests
KEEP = tee -a '$(TESTS)'
# What staticcheck looks for: wrong code (SA), unused code (U1000), and code that can
# be simplified (S1), except S1016, which would tie commands to events that look alike
# by chance.
CHECKS := SA*,U1000,S1*,-S1016
# Not a tool of go.mod, which would get 200 modules more.
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.12.2
# The vulnerabilities that lint knows of. `make lint VULNDB=latest` looks for newer ones: do so before a release.
VULNDB := v0.0.0-20261105234957-e22db6528018

.PHONY: help deps integrationdeps build package release image demo run test race integration official-rules hosts manyjobs nemesis bench bench-compare soak lint format clean

help: ## show this help
	@echo "Platen turns web pages, HTML, Markdown and e-invoices into PDFs and images through durable jobs."
	@echo
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 17

deps: ## install the Debian packages that Platen needs (browser, fonts, PDF tools)
	@deploy/install-deps.sh

integrationdeps: ## install the Debian packages that the integration tests need, too
	@deploy/install-deps.sh --integration

build: ## build bin/platen
	@$(GO) build -o bin/platen ./cmd/platen

package: ## build dist/platen_VERSION_ARCH.deb for amd64 and arm64, or for ARCHES
	@GO='$(GO)' deploy/package/build.sh $(ARCHES)

release: ## build what is published of the version that CHANGELOG.md names: packages, SBOMs, notes, checksums, in dist/release-VERSION
	@GO='$(GO)' deploy/release.sh

image: ## build dist/platen-image_VERSION_ARCH.tar, a container image for podman and docker, for this machine's architecture
	@command -v mmdebstrap > /dev/null || { echo "image: mmdebstrap is missing: run make integrationdeps"; exit 1; }
	@GO='$(GO)' deploy/image/build.sh

demo: deps build ## install, build, convert real documents, leave the files in out/
	@$(GO) run ./cmd/demo --platen bin/platen --documents testdata/demo --out out

run: deps build ## serve on LISTEN with demo keys until stopped (Ctrl-C)
	@bin/platen serve --dev --listen $(LISTEN) --data $(DATA)

test: deps ## run the tests that need only Go modules and Debian packages, but for the long ones, which integration runs
	@GO='$(GO)' testdata/test.sh

race: deps ## run the tests under the race detector
	@CGO_ENABLED=1 $(GO) test -race -short -timeout 25m ./...

integration: integrationdeps build ## run the long tests, and those against Apache Kafka, other people's consumers, S3 (versitygw), ClickHouse, an OpenTelemetry collector, axe-core, veraPDF, Mustang, xmllint and schemathesis, every document of the corpus, the package on a host of its own, the container image without root's rights, Prometheus, with browsers killed, the nemesis, and 20,000 schedules of the simulator
	@GO="$(GO)" testdata/long.sh
	@testdata/schemathesis/run.sh bin/platen
	@testdata/gotenberg/run.sh bin/platen
	@testdata/wkhtmltopdf/run.sh bin/platen
	@testdata/einvoice/integration.sh
	@echo "integration: the corpus, with Platen and with a plain browser"
	@CORPUS=all $(GO) test -count=1 -v -timeout 20m -run '^TestCorpus$$' ./browserpool/corpus | grep -v '^ *--- PASS\|^=== '
	@echo "integration: 20,000 schedules of the simulator"
	@SEEDS=$${SEEDS:-20000} $(GO) test -count=1 -v -timeout 60m -run '^TestTheProtocolHolds$$' ./actors/simulation
	@echo "integration: a month of history, as make bench writes it"
	@$(GO) run ./cmd/bench -only history -jobs 2000 -months 1
	@echo "integration: 2,000 jobs while browsers are killed"
	@testdata/turn.sh 1 $(GO) test -tags integration -count=1 -v -timeout 15m -run '^TestChaos$$' ./cmd/platen
	@testdata/turn.sh 3 testdata/s3/integration.sh
	@testdata/turn.sh 2 testdata/clickhouse/integration.sh
	@testdata/webhooks/integration.sh
	@testdata/dashboard/integration.sh
	@testdata/kafka/integration.sh
	@testdata/events/integration.sh
	@testdata/otel/integration.sh
	@deploy/package/integration.sh
	@testdata/turn.sh 0 deploy/image/integration.sh
	@deploy/prometheus/integration.sh
	@echo "integration: the nemesis: three nodes and three brokers under random faults for two minutes"
	@$(GO) test -tags integration -count=1 -v ./cmd/platen/nemesis
	@NEMESIS_MINUTES=2 NEMESIS_RECOVERY=30 $(GO) test -tags integration -count=1 -v -timeout 20m -run '^TestNemesis$$' ./cmd/platen

official-rules: integrationdeps ## show on which files our business rules and the official ones of testdata/verapdf/pom.xml differ: on samples (SAMPLES=DIR: those of a folder) and mutants (MUTANTS=all: all of them)
	@testdata/verapdf/run.sh fetch
	@SAMPLES='$(abspath $(SAMPLES))' MUTANTS='$(MUTANTS)' $(GO) test -tags integration -count=1 -v -timeout 120m -run '^TestOfficial' ./einvoice/rules

hosts: integrationdeps ## boot three bare hosts, and make them a cluster by the playbooks: convert, lose and replace a host, upgrade, roll back, begin again from a backup; SHORT=1 leaves out upgrades
	@deploy/cluster/integration.sh $(if $(SHORT),-test.short)

manyjobs: integrationdeps ## send JOBS (100000) jobs through three nodes while they are upgraded, taken back and killed, and look that none is lost
	@JOBS='$(JOBS)' testdata/kafka/manyjobs.sh

nemesis: integrationdeps ## play random faults on three nodes and three brokers for MINUTES (5), as SEED says; needs root
	@NEMESIS_MUST=1 NEMESIS_MINUTES='$(MINUTES)' PLATEN_TEST_SEED='$(SEED)' NEMESIS_FAULTS='$(FAULTS)' \
	$(GO) test -tags integration -count=1 -v -timeout 0 -run '^TestNemesis$$' ./cmd/platen

bench: deps build ## print the benchmarks, each as a ratio within one run; write them into JSON (out/bench.json), too
	@mkdir -p '$(dir $(JSON))' && : > '$(TESTS)'
	@echo "replay of the journal into a replica (goal: 200000 events/s)"
	@$(GO) test -run '^$$' -bench Replay -benchtime 3x ./projections | $(KEEP) | grep events/s
	@echo "pages of the list of an account's jobs, a million of them (goal: 50 ms each)"
	@$(GO) test -run '^$$' -bench 'Jobs$$' ./projections | $(KEEP) | grep ^Benchmark
	@echo "a pass over a million unsettled jobs, and its first and last page (goal: 100000 jobs/s; the last page like the first)"
	@UNSETTLED=1000000 $(GO) test -run '^$$' -bench Unsettled -benchtime 3x ./actors/account | $(KEEP) | grep ^Benchmark
	@echo "scrubbing a database, and the share of a core that it takes at its pace (goal: 2 %)"
	@$(GO) test -run '^$$' -bench Scrub -benchtime 3x ./events/disk | $(KEEP) | grep ^Benchmark
	@echo "e-invoices: the business rules of each set on 20 KB (goal: 1 ms)"
	@$(GO) test -run '^$$' -bench Rules ./einvoice/rules | $(KEEP) | grep ^Benchmark
	@echo "e-invoices: the pages of an ordinary invoice against its XML (goal: 1 ms)"
	@$(GO) test -run '^$$' -bench Compare ./einvoice/match | $(KEEP) | grep ^Benchmark
	@$(GO) test -run '^$$' -bench Read ./document/pagetext | $(KEEP) | grep ^Benchmark
	@echo "e-invoices: a whole report, on an XML and on a hybrid PDF"
	@$(GO) test -run '^$$' -bench . ./einvoice/inspect | $(KEEP) | grep ^Benchmark
	@echo "e-invoices: the validator, xmllint and encoding/xml beside it (goal: 20 KB in 1 ms, 1 MB in 50 ms); PDF/A-3 conversion"
	@$(GO) test -run '^$$' -bench 'Parse|Xmllint|EncodingXML' ./einvoice | $(KEEP) | grep ^Benchmark
	@$(GO) test -run '^$$' -bench . ./document/pdfa | $(KEEP) | grep ^Benchmark
	@echo "webhooks to one receiver on this machine, beside a bare loop that signs and posts (goal: 2000/s, 0.5 of the loop)"
	@$(GO) test -run '^$$' -bench Webhooks -benchtime 9x ./actors/webhook | $(KEEP) | grep ^Benchmark
	@echo "the ledger in SQLite, beside a bare batch insert of the same rows (goal: 20000 entries/s, 0.5 of it; a month of one account among 10 million rows in 100 ms)"
	@$(GO) test -run '^$$' -bench Append -benchtime 5x ./ledger/embedded | $(KEEP) | grep ^Benchmark
	@$(GO) test -run '^$$' -bench Month -benchtime 9x -timeout 60m ./ledger/embedded | $(KEEP) | grep ^Benchmark
	@echo "the ledger in ClickHouse, likewise (goal: 50000 entries/s, 0.5 of it; 100 ms)"
	@$(GO) test -run '^$$' -bench Append -benchtime 5x -v ./ledger/clickhouse | $(KEEP) | grep '^Benchmark.*of-bare\|skipped'
	@$(GO) test -run '^$$' -bench Month -benchtime 9x -timeout 60m -v ./ledger/clickhouse | $(KEEP) | grep '^Benchmark.*ms/query\|skipped'
	@$(GO) run ./cmd/bench -tests '$(TESTS)' -json '$(JSON)' && rm '$(TESTS)'

bench-compare: deps build ## compare today's binary with BASE, a commit or a binary, in turn, and fail if a row is worse beyond its noise; SHORT=1 for CI (3 minutes); ROW=name for one
	@test -n '$(BASE)' || { echo "bench-compare: say what with: make bench-compare BASE=COMMIT"; exit 2; }
	@GO='$(GO)' $(GO) run ./cmd/bench -base '$(BASE)' $(if $(SHORT),-short -pairs 10 -duration 1s,-pairs 16 -duration 2s) -only '$(ROW)' -json '$(dir $(JSON))compare.json'

soak: deps build ## play a mixed load with hostile pages for HOURS (2; fractions too), and fail if something grows; out/soak.svg is a chart
	@$(GO) run ./cmd/bench -soak '$(HOURS)h' -soakdir '$(dir $(JSON))' -json '$(dir $(JSON))soak.json'

lint: ## check format, go.mod, vet, staticcheck, the linters of .golangci.yml, and licences and known vulnerabilities of modules; VULNDB=latest for the newest
	@out=$$($(GO) tool gofumpt -l .); if [ -n "$$out" ]; then echo "not formatted (run make format):"; echo "$$out"; exit 1; fi
	@$(GO) mod tidy -diff
	@$(GO) vet -printf.funcs=Printf,say ./... && $(GO) vet -printf.funcs=Printf,say -tags integration,nextversion ./...
	@$(GO) tool staticcheck -checks '$(CHECKS)' -tags integration,nextversion ./...
	@# a cache of this checkout's own: what it holds names files by their whole paths
	@GOLANGCI_LINT_CACHE=$(CURDIR)/.cache/golangci-lint $(GO) run $(GOLANGCI) run --allow-parallel-runners ./...
	@GO='$(GO)' deploy/check-modules.sh $(VULNDB)

format: ## format the code
	@$(GO) tool gofumpt -w .

clean: ## remove what was built and what the demo left
	@rm -rf bin out dist
