# Hearth's chores; `make help` lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# What the program says about itself. The date is the commit's, so that the same
# commit always gives the same bytes.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
DATE := $(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
LDFLAGS := -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)

# x11: Fyne needs Wayland's headers as well without it. migrated_fynedo: all calls
# into Fyne from other goroutines go through fyne.Do. VCS stamps are off, for the
# variables above say the same, and git refuses to tell in a clone that belongs
# to another user. A change of these flags compiles Fyne anew: minutes.
BUILD_FLAGS = -trimpath -buildvcs=false -ldflags '$(LDFLAGS)'
WINDOW_TAGS := x11,migrated_fynedo

# The race detector compiles every package once more. With the tag ci, Fyne
# leaves out its OpenGL drivers, whose C alone takes most of a build's minutes,
# and gives its test driver instead. So all packages are tested in this one
# variant, and tests of the real window run bin/hearth, which is built anyway.
TEST_TAGS := ci,migrated_fynedo

BUILD_PACKAGES := gcc libc6-dev pkg-config libgl1-mesa-dev libx11-dev libxcursor-dev \
	libxi-dev libxinerama-dev libxrandr-dev libxxf86vm-dev
# Beside those: a Python that can make environments and the tools that look at
# the program from outside: namespaces, system calls, mDNS, a display with
# a window manager, a browser.
TEST_PACKAGES := $(BUILD_PACKAGES) python3 python3-venv iproute2 strace xvfb openbox \
	xdotool wmctrl imagemagick libgl1-mesa-dri fonts-dejavu-core dbus avahi-daemon avahi-utils chromium

# objdump comes with the compiler.
PACKAGE_PACKAGES := librsvg2-bin desktop-file-utils appstream xz-utils zip

# A clean Debian, and what looks at the program in it from outside.
PACKAGE_TEST_PACKAGES := debootstrap iproute2 xvfb openbox xdotool imagemagick curl

HEADLESS := linux/amd64 linux/arm64 windows/amd64 darwin/arm64

PYTHON := $(CURDIR)/.cache/python
PYTHON_REQUIREMENTS := zeroconf==0.154.0 ifaddr==0.2.0 websockets==17.4 openapi-spec-validator==0.9.0

INTEROP ?= ../shared/interop/rust-client
INTEROP_CLIENTS := c03 c04

# How long each fuzz target runs.
FUZZTIME ?= 20s

# The published relay that the benchmark compares with, and flags for the benchmark.
PEER_VERSION := 0.9.0
BENCH ?=

# How often a relay dies in the soak: five minutes' worth on two cores.
SOAK_KILLS ?= 1000

.PHONY: help
help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Install what building needs, build, and start Hearth
	@scripts/start.sh bin/hearth

.PHONY: build
build: ## Build bin/hearth
	@scripts/apt-install.sh $(BUILD_PACKAGES)
	go build $(BUILD_FLAGS) -tags $(WINDOW_TAGS) -o bin/hearth ./app

.PHONY: headless
headless: $(HEADLESS:%=headless/%) ## Build the program without its window for other machines

# One pattern for all, so that the first failure names its system.
.PHONY: $(HEADLESS:%=headless/%)
$(HEADLESS:%=headless/%): headless/%:
	CGO_ENABLED=0 GOOS=$(*D) GOARCH=$(*F) go build $(BUILD_FLAGS) -tags headless \
		-o bin/hearth-$(*D)-$(*F)$(if $(filter windows,$(*D)),.exe) ./app

.PHONY: package
package: LDFLAGS += -s -w # What only debuggers need stays here; panics still name their lines.
package: build headless ## Pack the program into dist: for Debian, other Linux, macOS, Windows
	@scripts/apt-install.sh $(PACKAGE_PACKAGES)
	scripts/package.sh '$(VERSION)' $(HEADLESS)

.PHONY: package-test
package-test: package ## Install the Debian package in a clean Debian, use it, remove it; needs root
	@scripts/apt-install.sh $(PACKAGE_TEST_PACKAGES)
	@mkdir -p .cache/package-test
	@scripts/clean-debian.sh .cache/clean-debian.tar dist/hearth_*.deb
	scripts/confine.sh scripts/package-test.sh dist/hearth_*.deb dist/hearth-*-headless-linux-$$(go env GOARCH).tar.gz \
		.cache/clean-debian.tar .cache/package-test

.PHONY: test
test: build ## Install what tests need and run all of them
	@scripts/apt-install.sh $(TEST_PACKAGES)
	@scripts/python-venv.sh $(PYTHON) $(PYTHON_REQUIREMENTS)
	HEARTH_BIN=$(CURDIR)/bin/hearth HEARTH_PYTHON=$(PYTHON)/bin/python \
		go test -race -tags $(TEST_TAGS) ./...

.PHONY: schemas
schemas: ## Make the JSON Schemas and the OpenAPI document of reflexr.v1 anew
	go generate ./relay/reflex/schemas

.PHONY: bench
bench: ## Measure Hearth beside the published relay; BENCH=-quick takes a minute
	@scripts/bench-peer.sh efema-server $(PEER_VERSION) .cache/bench
	@CGO_ENABLED=0 go build $(BUILD_FLAGS) -tags headless -o .cache/bench/bin/hearth ./app
	@go build -trimpath -buildvcs=false -o .cache/bench/bin/bench ./bench
	@.cache/bench/bin/bench -hearth .cache/bench/bin/hearth -published .cache/bench/bin/efema-server \
		-data .cache/bench $(BENCH)

.PHONY: bench-rooms
bench-rooms: ## Measure the rooms of the relay one by one
	go test -run '^$$' -bench . -benchmem ./relay/...

.PHONY: bench-window
bench-window: build ## Measure what the window costs, on a display of its own; takes a quarter of an hour
	@scripts/apt-install.sh xvfb openbox xdotool libgl1-mesa-dri fonts-dejavu-core
	@mkdir -p .cache/bench/bin
	@go build -trimpath -buildvcs=false -o .cache/bench/bin/window ./bench/window
	@.cache/bench/bin/window bin/hearth

.PHONY: soak
soak: ## Kill a relay that is written to SOAK_KILLS times and see that nothing is lost
	HEARTH_KILLS=$(SOAK_KILLS) go test -race -tags $(TEST_TAGS) -run '^TestKill$$' -count 1 -timeout 3h -v ./relay

.PHONY: fuzz
fuzz: ## Fuzz each target of the relay for FUZZTIME
	scripts/fuzz.sh $(FUZZTIME) ./relay/...

.PHONY: interop
interop: build ## Run real clients from the folder INTEROP against the program
	@scripts/interop.sh bin/hearth $(INTEROP) $(INTEROP_CLIENTS)

.PHONY: screenshots
screenshots: build ## Take pictures of the window's screens into bin/screenshots
	@scripts/apt-install.sh xvfb openbox xdotool imagemagick curl fonts-dejavu-core
	scripts/screenshots.sh bin/hearth bin/screenshots
	cp bin/screenshots/streams.png docs/window.png

.PHONY: lint
lint: ## Check format, code, known vulnerabilities and scripts
	@scripts/apt-install.sh shellcheck
	@scripts/go-tool.sh mvdan.cc/gofumpt mvdan.cc/gofumpt v0.12.0
	@scripts/go-tool.sh github.com/golangci/golangci-lint/v2 github.com/golangci/golangci-lint/v2/cmd/golangci-lint v2.15.0
	@scripts/go-tool.sh golang.org/x/vuln golang.org/x/vuln/cmd/govulncheck v1.9.0
	shellcheck scripts/*.sh packaging/p* .ci/run
	@unformatted=$$(.cache/bin/gofumpt -l .) && [[ -z $$unformatted ]] || \
		{ echo "Not formatted as gofumpt does:" $$unformatted; exit 1; }
	.cache/bin/golangci-lint run
	.cache/bin/golangci-lint run --build-tags headless ./app/...
	scripts/vulncheck.sh .cache/bin/govulncheck -tags $(TEST_TAGS) ./...

.PHONY: clean
clean: ## Remove what was built, tools included
	rm -rf bin dist .cache
