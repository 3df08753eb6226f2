"""Where the program begins: `explore-app` and `python -m explorer`. Loads nothing before a Ctrl-C can be heard."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command; Ctrl-C while its modules are being loaded ends it like any other."""
    try:
        from explorer.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("explore-app: stopped.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
