#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Are the committed schema and manual of keys those of the tables (`make docs` writes them)? Does each
# file name its schema, and do a public validator and ehsim agree about what is shipped and what is wrong?
. "$(dirname "$0")/lib.sh"

ehsim --schema >schema.json
ehsim --manual >ehsim.5
expect "scenarios/ehsim.schema.json is up to date (make docs)" \
	diff "$srcdir/scenarios/ehsim.schema.json" schema.json
expect "src/ehsim.5 is up to date (make docs)" diff "$srcdir/src/ehsim.5" ehsim.5
if command -v man >/dev/null; then
	for page in ehsim.1 ehsim.5 ehsim-model.7; do
		man --warnings -E UTF-8 -l "$srcdir/src/$page" 2>&1 >/dev/null | grep -v "can't chdir" >complaints
		expect "$page: $(cat complaints)" test ! -s complaints
	done
fi

for file in "$srcdir"/scenarios/*.yaml "$srcdir"/scenarios/validate/*.yaml "$srcdir"/scenarios/machines/*.yaml; do
	named=$(sed -n 's/^# yaml-language-server: \$schema=//p' "$file")
	expect "${file#"$srcdir/"} names its schema in a second line as the other scenarios do" \
		test -n "$named" -a -f "$(dirname "$file")/$named"
done

# One a line. ehsim refuses all of them, too.
cat >wrong.yaml <<'END'
{run: {sed: 1}}
{rum: {seed: 1}}
{run: {seed: one}}
{run: {seed: -1}}
{run: {length: 10}}
{run: {length: 10 minutes}}
{run: {until: {within: 0.01}}}
{run: {until: 1%}}
{run: {start: warm}}
{machine: {sockets: 9}}
{machine: {sockets: [1, 9]}}
{machine: {sockets: []}}
{machine: {clock: {value: 2GHz, origin: guess}}}
{machine: {clock: {origin: fitted}}}
{machine: {clock: 2.1}}
{machine: {file: [a.yaml, b.yaml]}}
{network: {rate: 10Gbps}}
{network: {queues: 1.5}}
{workload: {request: 1}}
{workload: {lock: {kind: tiket}}}
{workload: {threads: {from: 1, to: 4}}}
{workload: {threads: {from: 1, to: 4, step: 1, times: 2}}}
{network: {delay: {from: 1, to: 4us, step: 1us}}}
{workload: {kind: {from: line, to: lock, step: 1}}}
{zip: [workload.treads]}
{expect: [{metric: throughput, published: 1}]}
{expect: [{metric: ops_per_s}]}
{expect: [{metric: ops_per_s, published: 1, when: {kernel.conect: S0}}]}
END
while IFS= read -r line; do
	echo "$line" >one.yaml
	ehsim --check one.yaml 2>/dev/null
	expect "ehsim refuses $line" test $? -eq 2
done <wrong.yaml

cat >right.yaml <<'END'
machine: {clock: {from: 2GHz, to: 3GHz, step: 0.5GHz}, core: {path_ipc: {from: 0.5, to: 2, times: 2}}}
workload: {threads: {from: 1, to: 8, times: 2}, flows: [{value: 10, origin: chosen}, 20, 30, 40]}
network:
kernel: {hash_once: off}
zip: [[workload.threads, workload.flows]]
END
expect "ehsim takes right.yaml" ehsim -q --check right.yaml

if ! python3 -c 'import jsonschema, yaml' 2>/dev/null; then
	echo "install python3-jsonschema and python3-yaml to check the scenarios against the schema"
	finish
fi
validate()
{
	python3 "$srcdir/tests/cli/schema.py" schema.json "$@"
}
for scenario in "$srcdir"/scenarios/*.yaml; do
	ehsim --show "$scenario" >"shown-$(basename "$scenario")"
done
expect "scenarios keep to the schema" validate "$srcdir"/scenarios/*.yaml "$srcdir"/scenarios/validate/*.yaml \
	"$srcdir"/tests/gold/*.yaml shown-*.yaml right.yaml
expect "machine files keep to the schema" validate -m "$srcdir"/scenarios/machines/*.yaml
expect "wrong ones do not" validate -w wrong.yaml
finish
