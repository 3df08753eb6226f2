"""The exceptions of this project, one tree; each says what to do next and knows its exit code.

    ExplorerError (exit 2)
    ├── UsageError (2)          the caller asked for something that cannot be done
    ├── AppError (3)            the app could not be read, built, served or opened
    └── BrowserError (3)        no browser, or one that does not start

A fault of the app under test is never an exception: it is a Finding in the trace.
"""

from __future__ import annotations


class ExplorerError(Exception):
    """Base of all errors of this project; `str()` is one sentence for the user."""

    exit_code = 2


class UsageError(ExplorerError):
    """The call or the command line is wrong."""


class AppError(ExplorerError):
    """The app could not be read, built, served or opened."""

    exit_code = 3


class BrowserError(ExplorerError):
    """No usable browser, or it could not be started again."""

    exit_code = 3
