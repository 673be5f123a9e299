"""Random option lists to ask kernels about: what people write, and slips of every sort, in the words of the grammar.

    python -m tests.kernel.random_lists SEED COUNT
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

from advisor.rulebase.base import load
from advisor.rulebase.model import Form, Tunable

VERSIONS = ("vers=3", "vers=4", "vers=4.0", "vers=4.1", "vers=4.2", "nfsvers=3", "nfsvers=4.1", "v3", "v4", "v4.2")
UNREACHABLE = {"port", "mountport", "mounthost", "mountaddr", "addr", "clientaddr"}
"""Options whose numbers and names decide whether anything answers; only harmless values are written."""
LEFT_OUT = {"rdma", "helper", "uhelper", "context", "bind", "rbind", "move", "remount", "sec", "retry", "loop"}
BAD = ("", "abc", "-1", "0x10", "010", "08", "1k", "1M", "1.5", "4294967296", "8x", "+8", "none", "true", "17", "0")


class Words:
    """The spellings of the grammar, and what may be written behind them."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        tunables = [t for t in load().tunables.values() if t.kind == "mount-option" and not t.applies_to]
        self.forms = [
            (tunable, form) for tunable in tunables if not tunable.vendor for form in tunable.forms
            if form.spelling not in LEFT_OUT and "*" not in form.spelling and tunable.id != "mount.vers"
        ]
        self.misspelt = [word for tunable in tunables for word in tunable.misspellings]

    def good(self) -> str:
        tunable, form = self.random.choice(self.forms)
        name = str(form.spelling)
        if form.takes != "value":
            return name
        return f"{name}={self._value(tunable, form, name)}"

    def _value(self, tunable: Tunable, form: Form, name: str) -> str:
        if name in UNREACHABLE:
            return {"port": "2049", "mountport": "0"}.get(name, "127.0.0.1")
        words = form.values or tunable.values
        if words:
            return str(self.random.choice([word for word in words if not str(word).startswith(("rdma", "krb5"))]))
        low, high = tunable.minimum or 0, 100_000 if tunable.maximum is None else tunable.maximum
        return str(self.random.randint(low, min(high, max(low, 100_000))))

    def slip(self) -> str:
        name = str(self.random.choice(self.forms)[1].spelling)
        kinds = [name, f"{name}="]
        if name not in UNREACHABLE:
            kinds += [f"{name}={self.random.choice(BAD)}", f"no{name}", self.random.choice(self.misspelt), name.upper()]
            kinds.append(self._typing_error(name))
        return self.random.choice(kinds)

    def _typing_error(self, name: str) -> str:
        at = self.random.randrange(len(name))
        return self.random.choice((name[:at] + name[at + 1 :], name[:at] + name[at] + name[at:], f"{name}s"))


def option_lists(seed: str, count: int, versions: bool = True) -> Iterator[str]:
    """`count` different lists that a seed stands for; `versions`: half of them name the version."""
    words, seen = Words(seed), {""}
    draw = words.random
    while len(seen) <= count:
        items = [words.good() for _ in range(draw.choice((0, 1, 1, 2, 2, 3, 4)))]
        for _ in range(draw.choices((0, 1, 2, 3), (25, 50, 18, 7))[0]):
            items.insert(draw.randrange(len(items) + 1), words.slip())
        if versions and draw.random() < 0.5:
            items.insert(0, draw.choice(VERSIONS))
        if draw.random() < 0.05:
            items.insert(draw.randrange(len(items) + 1), draw.choice(("sloppy", "")))
        text = ",".join(items)
        if text.strip(",") and text not in seen:
            seen.add(text)
            yield text


if __name__ == "__main__":
    print(*option_lists(sys.argv[1], int(sys.argv[2])), sep="\n")
