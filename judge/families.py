"""Which family a model is of, by its name: a judge tends to favour its own kin. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FAMILIES = (
    ("Claude", r"claude|anthropic|sonnet|opus|haiku|fable"),
    ("GPT", r"gpt|openai|codex|chatgpt|o[1-9](?:-|$)|davinci"),
    ("Gemini", r"gemini|gemma|google|palm"),
    ("Llama", r"llama|meta"),
    ("Qwen", r"qwen|qwq|tongyi"),
    ("DeepSeek", r"deepseek"),
    ("Kimi", r"kimi|moonshot"),
    ("GLM", r"glm|zhipu|chatglm"),
    ("Grok", r"grok|xai"),
    ("Mistral", r"mistral|mixtral|codestral|devstral|magistral|ministral"),
    ("MiniMax", r"minimax|abab"),
    ("Doubao", r"doubao|seed-"),
    ("Nova", r"amazon|nova"),
    ("Command", r"command-|cohere"),
    ("Phi", r"phi-|microsoft"),
)


def family_of(model: str) -> str:
    """The family of a model; "" for a name that tells none, such as a built-in's. A provider before it does not count."""
    name = re.split(r"[/:]", model.strip().lower())[-1] or model.lower()
    for family, pattern in _FAMILIES:
        if re.match(rf"(?:{pattern})", name) or re.search(rf"(?<![a-z])(?:{pattern})", name):
            return family
    return ""


def kinship_warnings(judge: str, *, explorers: Iterable[str] = (), author: str = "") -> tuple[str, ...]:
    """A sentence for each model of the judge's own family that made or explored the app; () where there is none."""
    family = family_of(judge)
    if not family:
        return ()
    told = [
        f"The judge {judge} is of the same family ({family}) as {name}, which {what}: judges tend to favour their own kin; "
        "judge again with a model of another family."
        for name, what in (*((name, "explored the app") for name in explorers), (author, "made the app"))
        if name and family_of(name) == family
    ]
    return tuple(dict.fromkeys(told))
