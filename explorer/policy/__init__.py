"""Testers: each looks at one View and chooses the next action; none of them touches a browser."""

from __future__ import annotations

from explorer.policy.seam import Choice, ClosingTester, Done, Tester, View

__all__ = ["Choice", "ClosingTester", "Done", "Tester", "View"]
