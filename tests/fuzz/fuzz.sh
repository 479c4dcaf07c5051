#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fuzz.sh FOLDER SECONDS TARGET... -- SOURCE...: builds the targets with clang, libFuzzer and the address and
# undefined sanitizers in FOLDER, and lets each look for inputs for so many seconds from its corpus. A
# crash, a leak, 2 GiB of memory or more than ten seconds for one input (about one without sanitizers)
# fail, and leave the input in FOLDER. `make fuzz FUZZ_SECONDS=600`.
set -euo pipefail

src=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 seconds=$2 targets=()
shift 2
while [ "$1" != -- ]; do
	targets+=("$1")
	shift
done
shift
cc=${FUZZ_CC:-clang}
command -v "$cc" >/dev/null || { echo "skipped: fuzzing wants clang"; exit 0; }
mkdir -p "$folder/o"
: >"$folder/todo"
libraries="glib-2.0 yaml-0.1 gsl json-glib-1.0"
# shellcheck disable=SC2207,SC2086
flags=(-std=gnu11 -O1 -g -DEH_LIBFUZZER -DEH_PKGDATADIR='""' -DEH_BUILD='""' -DEH_SOURCE='""' -I. -Isrc/cli -I"$src/include"
	-fsanitize=address,undefined -fno-sanitize-recover=undefined $(pkg-config --cflags $libraries))

# a header may change what all are made of
if [ ! -e "$folder/built" ] || [ -n "$(find "$src/include" "$src/src" src/cli -name '*.h' -newer "$folder/built" -print -quit)" ]; then
	rm -f "$folder"/o/*
fi
touch "$folder/built"
echo "building ${#targets[@]} targets"
objects=()
for source; do
	case $source in *.c) ;; *) continue ;; esac
	object=$folder/o/$(tr / _ <<<"${source%.c}").o
	objects+=("$object")
	[ "$object" -nt "$src/$source" ] || printf '%s\0%s\0' "$object" "$src/$source" >>"$folder/todo"
done
xargs -0 -r -n 2 -P "${FUZZ_JOBS:-2}" "$cc" "${flags[@]}" -fsanitize=fuzzer-no-link -c -o <"$folder/todo"
failed=0
for target in "${targets[@]}"; do
	# shellcheck disable=SC2046,SC2086
	"$cc" "${flags[@]}" -fsanitize=fuzzer "$src/tests/fuzz/$target.c" "${objects[@]}" \
		$(pkg-config --libs $libraries) -lm -o "$folder/$target"
	corpus=$src/tests/fuzz/corpus
	[ "$target" = load ] || corpus=$corpus-$target
	dict=()
	[ ! -e "$src/tests/fuzz/$target.dict" ] || dict=(-dict="$src/tests/fuzz/$target.dict")
	mkdir -p "$folder/new-$target"
	if "$folder/$target" ${dict[@]+"${dict[@]}"} -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-max_len=16384 -artifact_prefix="$folder/bad-$target-" -print_final_stats=1 \
		"$folder/new-$target" "$corpus" >"$folder/$target.log" 2>&1; then
		result=fine
	else
		result=FAILED
		failed=1
	fi
	printf '%-8s %-6s %s executions in %s s, %s edges covered, %s features, slowest %s s\n' "$target" "$result" \
		"$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log")" "$seconds" \
		"$(grep -oE ' cov: [0-9]+' "$folder/$target.log" | tail -n 1 | tr -dc 0-9)" \
		"$(grep -oE ' ft: [0-9]+' "$folder/$target.log" | tail -n 1 | tr -dc 0-9)" \
		"$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$folder/$target.log")"
	[ $result = fine ] || tail -n 30 "$folder/$target.log"
done
exit $failed
