#compdef ubp
_ubp() {
    local line
    local -a typed names shown
    typed=("${(@Q)words[1,CURRENT]}")
    typed[CURRENT]=${(Q)PREFIX}
    for line in "${(@f)$("${words[1]}" completions zsh --at $((CURRENT - 1)) -- "${typed[@]}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        names+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }")
    done
    compadd -V ubp -l -d shown -a names
}
if [[ $funcstack[1] == _ubp ]]; then
    _ubp "$@"
else
    compdef _ubp ubp
fi
