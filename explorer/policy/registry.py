"""All built-in testers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from explorer.policy.baselines import BreadthFirstTester, MonkeyTester, RandomTester
from explorer.policy.guided import GuidedTester
from explorer.policy.seam import BuiltInTester

TESTERS: Mapping[str, Callable[[], BuiltInTester]] = {
    tester.name: tester for tester in (GuidedTester, RandomTester, MonkeyTester, BreadthFirstTester)
}
