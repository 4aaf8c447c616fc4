_ubp() {
    local words=() word line lead= glued= at=0 i
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        # The word under the cursor, without backslashes.
        if ((i == COMP_CWORD)) && [[ $word != [:=] ]]; then word=${2//\\/}; fi
        # Readline splits words at : and =, and replaces only the last part.
        if ((i > 0)) && [[ $glued || $word == [:=] ]]; then
            lead=${words[${#words[@]} - 1]}
            words[${#words[@]} - 1]+=$word
            if [[ $word == [:=] ]]; then lead+=$word; fi
        else
            lead=
            words+=("$word")
        fi
        if [[ $word == [:=] ]]; then glued=1; else glued=; fi
        if ((i == COMP_CWORD)); then
            at=$((${#words[@]} - 1))
            break
        fi
    done
    COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$lead"}")
    done < <("$1" completions bash --at "$at" -- "${words[@]}" 2>/dev/null)
}
# As file names, so that spaces in names of pages are quoted.
complete -o filenames -F _ubp ubp
