"""What `ccagent --help` prints."""

HELP = """\
Usage: ccagent [PROMPT] [options]
       ccagent -p [PROMPT] [options]          one prompt, no screen; piped stdin is appended
       ccagent doctor | sessions | context [ID|--all] | rehearse      (each takes --help)

An interactive coding agent for the terminal whose context you can see, steer, trust and undo.

Ways to run
  -p, --print                        answer one prompt and exit: 0 done, 1 failed, 130/143 on signals
      --output-format FORMAT         text (default), json or stream-json; with --print
      --input-format FORMAT          text (default) or stream-json; with --print
      --include-partial-messages     stream-json: also the deltas, as stream_event lines
      --verbose                      accepted; changes nothing
      --plain                        a line REPL in the terminal's own scrollback
      --offline[=SCRIPT]             a rule-based rehearsal model on the loopback; no key, no network

Sessions
  -c, --continue                     go on with this folder's latest session
  -r, --resume [ID|FILE]             go on with that session; without ID, choose one
      --fork-session                 continue or resume into a new session; the old one stays as it is
      --session-id UUID              the id of the new session

Model and context
      --model ID                     an id, or opus, sonnet, haiku, fable
      --effort LEVEL                 low, medium, high, xhigh or max
      --context-window N             the model's window when nobody knows it
      --autocompact auto|off|N       when to compact, for this launch (120000, 500k, 1M)
      --max-turns N                  stop after N turns        --max-budget-usd X   stop when X dollars are spent
      --system-prompt TEXT           replace our system prompt (--system-prompt-file FILE)
      --append-system-prompt TEXT    add to it (--append-system-prompt-file FILE)

Rights
      --permission-mode MODE         default, acceptEdits, plan, dontAsk or bypassPermissions
      --dangerously-skip-permissions the last of them
      --allowed-tools RULES          such as "Read,Bash(git log:*)"; may be repeated (--allowedTools)
      --disallowed-tools RULES       the same, to deny (--disallowedTools)
      --add-dir DIR                  another folder to work in; may be repeated
      --settings FILE|JSON           more settings, above the files
      --trust                        this folder may run its hooks, rules and commands

  -v, --version    -h, --help        `--` ends the options
"""
