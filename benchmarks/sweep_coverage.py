"""How often the intervals of a sweep hold the truth, and how often it finds what is not there: many made-up sweeps of
24 points, 5 blocks and 3 jobs each, with luck of blocks and mounts, drift and noise.

    python benchmarks/sweep_coverage.py [how many, 400]

The intervals should hold the truth 95 % of the time. Of sweeps in which nothing has an effect, at most 5 % may report
one, all that is looked at taken together."""

from __future__ import annotations

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from advisor.sweep.analysis import analyse
from advisor.sweep.model import EFFECT, NO_DIFFERENCE
from tests.sweep.made_up import FACTORS, nothing, plan, runs, some


def main(count: int) -> None:
    told = plan()
    held = looked = false = control = idle = matters = 0
    for seed in range(count):
        shown = analyse(told, runs(told, seed, some))
        for one in shown.effects:
            if one.job:
                at = next(number for number, factor in enumerate(FACTORS) if factor.tunable == one.factor)
                levels = [0] * len(FACTORS)
                levels[at] = FACTORS[at].levels.index(one.level)
                held += math.log(one.low) <= some(tuple(levels), one.direction) <= math.log(one.high)
                looked += 1
        control += any(one.verdict == EFFECT for one in shown.control)
        quiet = analyse(told, runs(told, count + seed, nothing))
        chances = [one.holm for one in quiet.effects] + [one.holm for one in quiet.interactions]
        false += min(chances) < 0.05
        idle += len(quiet.effects)
        matters += sum(one.verdict != NO_DIFFERENCE for one in quiet.effects)
    print(f"{count} sweeps with effects: {held / looked:.1%} of {looked} intervals hold the truth; "
          f"{control / count:.1%} find an effect of the control")
    print(f"{count} sweeps without: {false / count:.1%} find any; {1 - matters / idle:.1%} of {idle} differences are "
          "shown not to matter")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
