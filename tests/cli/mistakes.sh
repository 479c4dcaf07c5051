#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every kind of mistake in a scenario, and what is said: mistakes.txt has scenarios ("< " lines, as
# printf %b reads them) and the messages ("! " lines) without the source lines below them. None may crash
# the program or print to stdout, each message names line and column, nine of ten say how to mend it.
# EH_GOLD_UPDATE=1 writes the messages anew.
. "$(dirname "$0")/lib.sh"

table=$srcdir/tests/cli/mistakes.txt
export EHSIM_MACHINES=$srcdir/scenarios/machines

# How a hint begins, where it is not "did you mean".
hints='did you mean|for example| such as |it is one of|one of |it has [a-z]|must lie between|must be (at|above|below|larger|a power)'
hints+='|(;|document,) (say|write|save|name|close|start|put|remove|keep|give|take|widen|use) |; it must be|; no key needs|YAML wants spaces'
hints+='|needs .value. beside|is true or false|is a range|a list of values is written|names with dots are for|is 1%|is 20%|written preset:'
hints+='|must be one value or|must be a text|a range of .* is \{from'

judge()
{
	local text=$1 status

	printf %b "$text" >t.yaml
	timeout 20 "$EHSIM" --check t.yaml >out 2>err </dev/null
	status=$?
	grep -E '^[^ ]+: (error|note|warning): ' err >messages
	sed 's/^/! /' messages
	count=$((count + 1))
	grep -qE "$hints" messages && mended=$((mended + 1)) || unmended+="$(cat messages)"$'\n'
	[ $status -eq 2 ] || echo "exit status $status"
	[ ! -s out ] || echo "printed to stdout"
	grep -vE '^t\.yaml:[0-9]+:[0-9]+: ' messages | sed 's/^/no place: /'
	grep -qx 'ehsim: [0-9]* errors\?, nothing was simulated' err || echo "no last line"
}

count=0
mended=0
unmended=
text=
while IFS= read -r line; do
	case $line in
	'< '* | '<')
		line=${line#'<'}
		text+=${line# }'\n'
		printf '<%s\n' "$line"
		;;
	'! '*) ;;
	*)
		[ -z "$text" ] || judge "${text%\\e\\n}"
		text=
		printf '%s\n' "$line"
		;;
	esac
done <"$table" >got
if [ "${EH_GOLD_UPDATE-}" ]; then
	cp got "$table"
fi
expect "the messages are those of mistakes.txt" diff -u "$table" got
expect "at least 60 mistakes, not $count" test "$count" -ge 60
expect "nine of ten messages say how to mend it, not $mended of $count; these do not: $unmended" \
	test $((10 * mended)) -ge $((9 * count))
echo "$count mistakes, $mended with a hint; without: $unmended"
finish
