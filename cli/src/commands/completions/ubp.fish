function __ubp_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor | string unescape)
    command ubp completions fish --at (count $words) -- $words "$current" 2>/dev/null
end
complete --command ubp --no-files --keep-order --arguments '(__ubp_complete)'
