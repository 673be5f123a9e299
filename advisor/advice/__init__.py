"""From answers to advice: what to set, why, what is still open, and what to ask next.

`advise` is the way in. It reads the compiled rule base and nothing else: no files, no host, no screen. What is not
needed is not imported: `lint` types facts with `typed` alone."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.advice.build import advise
    from advisor.advice.model import Advice, Estimate, OpenSetting, Recommendation

__all__ = ["Advice", "Answers", "Estimate", "OpenSetting", "Recommendation", "advise"]

_WHERE = {"Answers": "answers", "advise": "build"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(f"{__name__}.{_WHERE.get(name, 'model')}"), name)
