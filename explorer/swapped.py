"""Another judge over runs that have scores already, for `explore-app agreement --swap-judge`: do orders travel?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from explorer.judged import Judging, scores_of
from explorer.rundir import CRITERIA
from instrument.errors import UsageError
from judge.agreement import Swap, swap
from judge.judging import JudgeSettings
from judge.pool import entry_of
from judge.rank import WEIGHTS
from judge.records import DIMENSIONS, Scores
from judge.roles import ModelSettings
from judge.scorefile import load_scores, save_scores


async def swapped(
    folders: Sequence[Path],
    models: ModelSettings,
    *,
    now: datetime,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Swap]:
    """Judges each run anew by the judge of `models`; for each dimension how both judges' scores go together.

    The same dimensions by the same criteria as the first time. What the second judge says is kept beside the first one's in
    swapped-scores.json. Raises UsageError where the judge is the one that scored already, or no model is there to ask.
    """
    first: dict[str, Mapping[str, float | None]] = {}
    second: dict[str, Mapping[str, float | None]] = {}
    for folder in folders:
        earlier = load_scores(folder)
        assert earlier is not None, "a judged run folder"
        scores = await scores_of(folder, _as_before(folder, earlier, models), now=now, say=say)
        if scores.judge == earlier.judge:
            raise UsageError(
                f"{folder} was judged by {earlier.judge} already: name another judge to swap with."
            )
        save_scores(scores, folder, swapped=True)
        first[folder.name] = entry_of(folder).raw
        second[folder.name] = entry_of(folder, swapped=True).raw
    return {
        dimension: found
        for dimension in WEIGHTS
        if (found := swap(_of(first, dimension), _of(second, dimension))).items
    }


def _as_before(folder: Path, earlier: Scores, models: ModelSettings) -> Judging:
    criteria = folder / CRITERIA
    judged = {score.dimension for score in earlier.scores}
    if not criteria.is_file():
        judged &= {"aesthetics", "usability"}
    settings = JudgeSettings(
        dimensions=tuple(name for name in DIMENSIONS if name in judged),
        single_round=earlier.protocol == "single-round",
    )
    wanted = criteria if judged - {"aesthetics", "usability"} else None
    return Judging(wanted, settings=settings, models=models)


def _of(raw: Mapping[str, Mapping[str, float | None]], dimension: str) -> dict[str, float]:
    return {name: value for name, scores in raw.items() if (value := scores.get(dimension)) is not None}
