# SPDX-License-Identifier: Apache-2.0
# The names and places are those of the GNU coding standards; Debian's packages set PREFIX=/usr and DESTDIR.

PREFIX ?= /usr/local
LIBEXECDIR ?= $(PREFIX)/libexec
BINDIR ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
LOCALEDIR ?= $(DATADIR)/locale
DOCDIR ?= $(DATADIR)/doc/network-accessibility
MANDIR ?= $(DATADIR)/man
# Where systemd and the bus look, wherever the programs are.
UNITDIR ?= /usr/lib/systemd/system
USERUNITDIR ?= /usr/lib/systemd/user
AUTOSTARTDIR ?= /etc/xdg/autostart
SYSUSERSDIR ?= /usr/lib/sysusers.d
DBUSDIR ?= /usr/share/dbus-1
POLKITDIR ?= /usr/share/polkit-1

SWIFT ?= swift
# Where the programs are when they have been built; a link that Swift's package manager makes.
BUILD = .build/release
INSTALL_FILE = install -D -m
# A packager who keeps the symbols apart sets it to nothing.
STRIP = -s
# Where zsh looks depends on whether the system's packages or the administrator have brought the file.
ZSHDIR ?= $(DATADIR)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)

# A manual page goes with its program; `make install` does without what has not been made.
AGENT_PAGES = .build/man/network-accessibility-agent.8
install_pages = set -e; for page in $(1); do \
    $(INSTALL_FILE) 644 $$page -t $(DESTDIR)$(MANDIR)/man$${page\#\#*.}; done

all:
	scripts/build-release

# Needs help2man, python3-docutils and libglib2.0-dev-bin.
man: all
	scripts/man $(BUILD) .build/man

run:
	scripts/demo

test:
	scripts/test

bench:
	Benchmarks/run

soak:
	Benchmarks/soak

lint:
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests

# Builds nothing: it is done as root, who has no business with the compiler.
install: install-service install-agent

# What a machine without a screen needs.
install-service:
	$(INSTALL_FILE) 755 $(STRIP) $(BUILD)/network-accessibilityd $(DESTDIR)$(LIBEXECDIR)/network-accessibilityd
	$(INSTALL_FILE) 755 $(STRIP) $(BUILD)/netaccess $(DESTDIR)$(BINDIR)/netaccess
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.conf -t $(DESTDIR)$(DBUSDIR)/system.d
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.service -t $(DESTDIR)$(DBUSDIR)/system-services
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.xml -t $(DESTDIR)$(DBUSDIR)/interfaces
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.Network1.xml -t $(DESTDIR)$(DBUSDIR)/interfaces
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.App1.xml -t $(DESTDIR)$(DBUSDIR)/interfaces
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.PolicyStore1.xml -t $(DESTDIR)$(DBUSDIR)/interfaces
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.AgentManager1.xml -t $(DESTDIR)$(DBUSDIR)/interfaces
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.Agent1.xml -t $(DESTDIR)$(DBUSDIR)/interfaces
	$(INSTALL_FILE) 644 dbus/org.example.NetworkAccessibility.policy -t $(DESTDIR)$(POLKITDIR)/actions
	sed 's#@LIBEXECDIR@#$(LIBEXECDIR)#' systemd/network-accessibility.service \
	    | $(INSTALL_FILE) 644 /dev/stdin $(DESTDIR)$(UNITDIR)/network-accessibility.service
	$(INSTALL_FILE) 644 systemd/network-accessibility.sysusers $(DESTDIR)$(SYSUSERSDIR)/network-accessibility.conf
	$(INSTALL_FILE) 644 systemd/identity.conf -t $(DESTDIR)$(DOCDIR)/examples
	$(INSTALL_FILE) 644 etc/network-accessibility.conf -t $(DESTDIR)$(DOCDIR)/examples
	install -d -m 755 $(DESTDIR)/etc/network-accessibility/policy.d
	install -d -m 755 $(DESTDIR)/usr/lib/network-accessibility/policy.d
	$(BUILD)/netaccess completion bash \
	    | $(INSTALL_FILE) 644 /dev/stdin $(DESTDIR)$(DATADIR)/bash-completion/completions/netaccess
	$(BUILD)/netaccess completion zsh | $(INSTALL_FILE) 644 /dev/stdin $(DESTDIR)$(ZSHDIR)/_netaccess
	$(BUILD)/netaccess completion fish \
	    | $(INSTALL_FILE) 644 /dev/stdin $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/netaccess.fish
	$(call install_pages,$(filter-out $(AGENT_PAGES),$(wildcard .build/man/*)))

# What shows alerts and asks questions; only for machines with a session of a desktop.
install-agent:
	$(INSTALL_FILE) 755 $(STRIP) $(BUILD)/network-accessibility-agent $(DESTDIR)$(LIBEXECDIR)/network-accessibility-agent
	sed 's#@LIBEXECDIR@#$(LIBEXECDIR)#' systemd/network-accessibility-agent.service \
	    | $(INSTALL_FILE) 644 /dev/stdin $(DESTDIR)$(USERUNITDIR)/network-accessibility-agent.service
	sed 's#@LIBEXECDIR@#$(LIBEXECDIR)#' etc/network-accessibility-agent.desktop \
	    | $(INSTALL_FILE) 644 /dev/stdin $(DESTDIR)$(AUTOSTARTDIR)/network-accessibility-agent.desktop
	set -e; for language in $$(cat po/LINGUAS); do \
	    file=$(DESTDIR)$(LOCALEDIR)/$$language/LC_MESSAGES/network-accessibility.mo; \
	    $(INSTALL_FILE) 644 /dev/null $$file; \
	    msgfmt --check po/$$language.po -o - > $$file; \
	done
	$(call install_pages,$(wildcard $(AGENT_PAGES)))

clean:
	rm -rf .build Benchmarks/.build

.PHONY: all man run test bench soak lint install install-service install-agent clean
