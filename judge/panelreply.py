"""The shape of an answer in a deliberation: the same for advocate, critic and judge, so that their prefix is cached once."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from judge.aspects import RUBRICS
from judge.records import Said

Number = Annotated[float, Field(allow_inf_nan=False)]


def _as_named(text: str) -> str:
    """ "First impression" and "first_impression" are the aspect first-impression."""
    return "-".join(text.lower().replace("_", " ").replace("-", " ").split())


AspectName = Annotated[Said, AfterValidator(_as_named)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ClaimReply(_Answer):
    """An observation."""

    aspect: AspectName
    text: Said
    citations: list[Said]
    quote: Said


class AdjustmentReply(_Answer):
    """What an aspect adds or takes."""

    aspect: AspectName
    amount: Number
    reason: Said
    citations: list[Said]


class PanelReply(_Answer):
    """Claims, or a judgement; the validator's words go back to the model once, so they say what is wanted."""

    kind: Literal["claims", "judgement"]
    claims: list[ClaimReply]
    base: Number | None
    base_reason: Said
    base_citations: list[Said]
    adjustments: list[AdjustmentReply]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.kind == "claims":
            return self
        if self.base is None:
            raise ValueError("a judgement needs a base from 0 to 5")
        if not self.base_citations:
            raise ValueError("base_citations: cite at least one exhibit for the base")
        named = [each.aspect for each in self.adjustments]
        if not any(sorted(named) == sorted(rubric.names) for rubric in RUBRICS.values()):
            raise ValueError(
                f"adjustments: one for each of the seven aspects, by its name, not {', '.join(named) or 'none'}"
            )
        return self
