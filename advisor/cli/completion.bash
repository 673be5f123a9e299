# To bash, = ends a word; here FACT=VALUE is one, and --option=value is two.
_advisor_joined() {
  local -a joined=()
  local at=0 i word before=""
  for i in "${!COMP_WORDS[@]}"; do
    word="${COMP_WORDS[i]}"
    if [[ "$word" == "=" && "$before" == --* ]]; then
      (( i == COMP_CWORD )) && joined+=("")
      word=""
    elif [[ ${#joined[@]} -gt 0 && ( "$word" == "=" || "$before" == "=" ) ]]; then
      joined[-1]+="$word"
    else
      joined+=("$word")
    fi
    before="$word"
    (( i == COMP_CWORD )) && at=$(( ${#joined[@]} - 1 ))
  done
  COMP_WORDS=("${joined[@]}") COMP_CWORD=$at
  _shtab_advisor
  if [[ "${COMP_WORDS[at]}" == *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]#*=}")
  fi
}
complete -F _advisor_joined advisor
