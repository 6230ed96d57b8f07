"""`python -m agent.rehearsal`: the loopback Messages API alone."""

import sys

from agent.rehearsal.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
