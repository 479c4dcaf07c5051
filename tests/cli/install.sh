#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Does `make install` put everything in place, does the installed program find its machines from
# anywhere, and does `make uninstall` leave nothing?
. "$(dirname "$0")/lib.sh"

build=$(dirname "$(readlink -f "$EHSIM")")
root=$tmp/root
quiet_make()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$build" --no-print-directory "$@" DESTDIR="$root" prefix=/opt \
		>make.log 2>&1 || { tail -n 20 make.log; false; }
}

unset EHSIM_MACHINES
expect "make install" quiet_make install
share=$root/opt/share
for file in bin/ehsim share/man/man1/ehsim.1 share/man/man5/ehsim.5 share/man/man7/ehsim-model.7 \
	share/bash-completion/completions/ehsim.bash share/ehsim/scenarios/README.md \
	share/ehsim/scenarios/ehsim.schema.json share/ehsim/scenarios/machines/machine.schema.json; do
	expect "$file is installed" test -f "$root/opt/$file"
done
for file in "$srcdir"/scenarios/*.* "$srcdir"/scenarios/*/*.*; do
	expect "${file#"$srcdir"/} is installed" cmp -s "$file" "$share/ehsim/${file#"$srcdir"/}"
done
for file in "$srcdir"/plots/*.*; do
	expect "${file#"$srcdir"/} is installed" cmp -s "$file" "$share/ehsim/${file#"$srcdir"/}"
done
ln -sf "$root/opt/bin/ehsim" "$tmp/bin/ehsim"
echo 'machine: {preset: epyc-milan-x2}' >mine.yaml
expect "a preset is found" ehsim -q --check mine.yaml
for scenario in "$share"/ehsim/scenarios/*.yaml; do
	expect "${scenario#"$share"/} passes" ehsim -q --check "$scenario"
done
if command -v gnuplot >/dev/null; then
	ehsim -q -f csv=locks.csv -s workload.threads=[1,2] "$share/ehsim/scenarios/lab-lock.yaml"
	expect "sweep.gp draws a figure" gnuplot -c "$share/ehsim/plots/sweep.gp" locks.csv locks.svg \
		workload.threads ops_per_s workload.lock.kind
	expect "the figure has a line for each lock" test "$(grep -c '<text>\(tas\|ticket\|mcs\|queued\)</text>' locks.svg)" -eq 4
fi
expect "make uninstall" quiet_make uninstall
expect "nothing of ehsim is left: $(find "$root" -name '*ehsim*' -o -type f)" \
	test -z "$(find "$root" -name '*ehsim*' -o -type f)"
finish
