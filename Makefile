# Builds Tabquake: build/tabquake (the program), build/judge (the oracle alone), build/test.
#
#   make                  both programs          make test         unit tests
#   make check            every check there is; its last line is "N passed, N failed"
#   make check-long       100,000 rounds, valgrind, analyzer, branch coverage
#   make gate             the release gate       make golden       rewrite digests and stories
#   make bench            the benchmark          make fuzzers CC=clang SAN=fuzzer,address
#   make CC=clang SAN=address,undefined test     another compiler, a sanitizer: a folder of its own
#
# New .c files are found by themselves. X_test.c must define X_suite(), or the tests do not link.

# ---- settings ----------------------------------------------------------------------------------
CC       ?= cc
OPT      ?= -O2 -g
# address,undefined | thread | fuzzer,address (clang)
SAN      ?=
# make WERROR= for a compiler that knows more warnings than ours
WERROR   ?= -Werror
PREFIX   ?= /usr/local
PKGS      = sqlite3 yaml-0.1 jansson
# empty where JavaScriptCore is not installed, and under the thread sanitizer, which does not know
# what its threads agree on: sim/script is left out then
JSC      := $(shell pkg-config --exists javascriptcoregtk-4.1 && echo javascriptcoregtk-4.1)
JSC      := $(if $(findstring thread,$(SAN)),,$(JSC))
WARN      = -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
            -Wundef -Wvla $(WERROR)
# "unknown" outside of git; git itself would find the repository of a folder above
REVISION ?= $(or $(shell test -e .git && git describe --always --dirty 2>/dev/null),unknown)

# ---- nothing below needs changing --------------------------------------------------------------
comma   := ,
empty   :=
space   := $(empty) $(empty)
VARIANT := $(subst /,_,$(subst $(comma),+,$(subst $(space),,$(strip $(CC))-$(SAN)-$(OPT))))
# the settings above, as they stand, build in build/ itself; keep the word below in step with them
B       := $(if $(filter-out cc---O2-g,$(VARIANT)),build/$(VARIANT),build)

# -isystem: warnings are for our own code
PKG_CFLAGS := $(patsubst -I%,-isystem%,$(shell pkg-config --cflags $(PKGS) $(JSC) libxxhash))
PKG_LIBS   := $(shell pkg-config --libs $(PKGS))
PQ_CFLAGS  := $(patsubst -I%,-isystem%,$(shell pkg-config --cflags libpq 2>/dev/null))
PQ         := $(shell pkg-config --exists libpq && echo yes)
CFLAGS_ALL  = -std=c17 -D_POSIX_C_SOURCE=200809L -I. $(WARN) $(OPT) -pthread $(SANITIZE) \
              $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS)
SANITIZE    = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
LIBS        = $(LDFLAGS) $(PKG_LIBS) -lm -pthread
LINK        = $(CC) $(OPT) $(SANITIZE) -o $@ $(filter %.o,$^)

ALL     := $(wildcard sim/*.c sim/*/*.c oracle/*.c reports/*.c tools/*.c)
ALL     := $(if $(JSC),$(ALL),$(filter-out sim/script/%,$(ALL)))
TESTS   := $(filter %_test.c,$(ALL))
FUZZED  := $(filter %_fuzz.c,$(ALL))
MAINS   := tools/main.c tools/judge_main.c tools/test_main.c
PARTS   := $(filter-out $(TESTS) $(FUZZED) $(MAINS),$(ALL))
# The judge is the oracle and the words, and from an archive what it needs of reports/ and tools/
# to read a history. Nothing of the simulator is offered to the linker.
JUDGE   := $(filter sim/base/% oracle/%,$(PARTS)) tools/judge_main.c
READERS := $(filter reports/% tools/%,$(PARTS))
# A program of its own: the fence ledger on SQLite, and on PostgreSQL where libpq is there.
SQL     := $(filter-out $(if $(PQ),,%/db_postgresql.c),$(wildcard tools/adapter/sql/*.c))
obj      = $(patsubst %.c,$(B)/%.o,$(1))
FUZZERS := $(FUZZED:%.c=$(B)/fuzz/%)
# Style sheets, scripts and plots of reports, what `init` writes: compiled in (reports/asset.h).
ASSETS  := $(sort $(wildcard reports/html/*.css reports/html/*.js reports/plots/*.gp \
             tools/init/*.* sim/server/sql/*.sql))

.PHONY: all test check check-long gate golden bench format fuzzers install where clean FORCE
all: $(B)/tabquake $(if $(wildcard tools/judge_main.c),$(B)/judge) $(B)/ledger-sql
test: $(B)/test ; $<
fuzzers: $(FUZZERS)
check: ; @tools/check.sh
check-long: ; @tools/check.sh --long
gate: all ; $(B)/tabquake gate
golden: all ; tools/check-digests.sh --rewrite && $(B)/tabquake stories --rewrite
bench: all ; $(B)/tabquake bench
format: ; clang-format -i $(ALL) $(wildcard tools/adapter/sql/*.c)
where: ; @echo '$(CURDIR)/$(B)'
clean: ; rm -rf build

$(B)/tabquake: $(call obj,$(PARTS) tools/main.c) $(B)/assets.o ; $(LINK) $(LIBS)
$(B)/judge: $(call obj,$(JUDGE)) $(B)/readers.a
	$(LINK) $(B)/readers.a $(LDFLAGS) $(shell pkg-config --libs jansson) -lm
$(B)/ledger-sql: $(call obj,$(SQL) reports/asset.c sim/base/must.c) $(B)/assets.o
	$(LINK) $(LDFLAGS) $(shell pkg-config --libs sqlite3 jansson $(if $(PQ),libpq)) -pthread
$(call obj,$(SQL)): PKG_CFLAGS += $(if $(PQ),-DTQ_POSTGRESQL $(PQ_CFLAGS))
$(B)/readers.a: $(call obj,$(READERS)) $(B)/assets.o ; @rm -f $@; ar rc $@ $^
$(B)/test: $(call obj,$(PARTS) $(TESTS) tools/test_main.c) $(B)/suites.o $(B)/assets.o
	$(LINK) $(LIBS) $(shell pkg-config --libs check $(JSC))
# A must() that fails ends with _Exit; the fuzzer keeps the input only of an abort.
$(FUZZERS): $(B)/fuzz/%: $(B)/%.o $(call obj,$(PARTS)) $(B)/assets.o
	@mkdir -p $(@D)
	$(LINK) -Wl,--defsym=_Exit=abort $(LIBS)

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(DEFINES) -MMD -MP -c -o $@ $<
$(B)/suites.o $(B)/assets.o: %.o: %.c ; $(CC) $(CFLAGS_ALL) -c -o $@ $<

# Written on every run, replaced only when it changed, so that what depends on it is not made anew.
replace = @mkdir -p $(@D); { $(1) } > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
SUITES := $(sort $(notdir $(TESTS:_test.c=)))
$(B)/suites.c: FORCE
	$(call replace, echo '#include <check.h>'; echo 'void add_suites(SRunner *r);'; \
	    for t in $(SUITES); do echo "Suite *$${t}_suite(void);"; done; \
	    echo 'void add_suites(SRunner *r)'; echo '{'; echo '    (void)r;'; \
	    for t in $(SUITES); do echo "    srunner_add_suite(r, $${t}_suite());"; done; echo '}';)

# Each line becomes one of a string, question marks escaped as well: two of them begin a trigraph.
$(B)/assets.c: FORCE
	$(call replace, echo '#include "reports/asset.h"'; \
	    echo 'const struct asset assets[] = {'; for a in $(ASSETS); do \
	        echo "{ \"$${a#reports/}\"$(comma)"; \
	        sed 's/[\\"?]/\\&/g; s/^/"/; s/$$/\\n"/' $$a; echo '}$(comma)'; \
	    done; echo '{ 0 } };';)

# Revision and build are compiled into one object, so that a commit rebuilds one file.
BUILD = $(shell $(CC) --version | head -n 1) $(OPT)$(if $(SAN), $(SAN))
$(B)/version: FORCE ; $(call replace, echo '$(REVISION)'; echo '$(BUILD)';)
$(B)/tools/version.o: $(B)/version
$(B)/tools/version.o: DEFINES = -DTQ_REVISION='"$(REVISION)"' -DTQ_BUILD='"$(BUILD)"'

# bin/tabquake finds ../share/tabquake/scenarios from where it stands.
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/tabquake
	install -m 755 $(wildcard $(B)/tabquake) $(DESTDIR)$(PREFIX)/bin/tabquake
	cp -R scenarios $(DESTDIR)$(PREFIX)/share/tabquake/

-include $(patsubst %.c,$(B)/%.d,$(ALL) $(SQL))
