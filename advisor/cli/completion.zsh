# Asks for the words on demand: a command in a specification of _arguments would run when the script is loaded.
_advisor_words() {
  local -a found
  found=(${(f)"$(advisor completion --words $1 --typed="$PREFIX" 2>/dev/null)"})
  compadd -- $found
}
