# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of ehsim for bash. Options come from `ehsim --help`, keys from `ehsim --explain`.

# shellcheck disable=SC2207
_ehsim_options()
{
	"$1" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*=?' | sort -u
}

_ehsim_formats()
{
	"$1" --help 2>/dev/null | sed -n 's/.*--format=[^ ]* *\([a-z|-]*\).*/\1/p' | tr '|' ' '
}

_ehsim_keys()
{
	"$1" --explain 2>/dev/null | cut -d' ' -f1
}

# Words that a key may have, if it has words: those of its type, names of machines.
_ehsim_values()
{
	"$1" --explain="$2" 2>/dev/null | awk '
		/^  [a-z]/ { on = $1 == "found" || ($1 == "type" && ($2 == "one" || $2 == "true")) }
		on { sub(/^  (type +one of|found|type) */, ""); gsub(/,| or /, " "); print }'
}

_ehsim()
{
	local program=$1 cur prev option
	# '=' and ':' break words; take the part of the line before the cursor as it stands
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	[ "$cur" = = ] && cur=
	if [ "$prev" = = ]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	else
		option=$prev
	fi

	COMPREPLY=()
	case $option in
	--format | -f)
		COMPREPLY=($(compgen -W "$(_ehsim_formats "$program")" -- "$cur"))
		return
		;;
	--color | --progress)
		COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
		return
		;;
	--explain)
		COMPREPLY=($(compgen -W "$(_ehsim_keys "$program")" -- "$cur"))
		return
		;;
	--set | -s | --baseline)
		COMPREPLY=($(compgen -S = -W "$(_ehsim_keys "$program")" -- "$cur"))
		compopt -o nospace 2>/dev/null
		return
		;;
	--output | --trace | --status-file | -o)
		COMPREPLY=($(compgen -f -- "$cur"))
		return
		;;
	--results | --merge | --report)
		COMPREPLY=($(compgen -d -- "$cur"))
		compopt -o filenames 2>/dev/null
		return
		;;
	--seed | --point | --repeat | --trace-window | --slice | --jobs | -j | --memory)
		return
		;;
	esac
	if [ "$prev" = = ] && [[ $option == *.* ]]; then # --set KEY=
		COMPREPLY=($(compgen -W "$(_ehsim_values "$program" "$option")" -- "$cur"))
		return
	fi
	case $cur in
	-*)
		COMPREPLY=($(compgen -W "$(_ehsim_options "$program")" -- "$cur"))
		case ${COMPREPLY[0]-} in
		*=) compopt -o nospace 2>/dev/null ;;
		esac
		;;
	*)
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -f -X '!*.yaml' -- "$cur") $(compgen -f -X '!*.json' -- "$cur")
			$(compgen -d -- "$cur"))
		;;
	esac
}

complete -F _ehsim ehsim
