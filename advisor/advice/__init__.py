"""From answers to advice: what to set, why, what is still open, and what to ask next.

`advise` is the way in. It reads the compiled rule base and nothing else: no files, no host, no screen."""

from __future__ import annotations

from advisor.advice.answers import Answers
from advisor.advice.build import advise
from advisor.advice.model import Advice, Estimate, Open, Recommendation

__all__ = ["Advice", "Answers", "Estimate", "Open", "Recommendation", "advise"]
