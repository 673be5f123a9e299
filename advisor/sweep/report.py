"""The report on a sweep: what makes a difference, what does not, and how far to trust this."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from advisor.named_tuple import grouped
from advisor.pages.blocks import Bar, Block, Chart, Document, Paragraph, Table, TextLike, code, text
from advisor.pages.phrases import counted
from advisor.rulebase.model import Tunable, Value
from advisor.rulebase.values import spell
from advisor.sweep import model
from advisor.sweep.result import SweepResult

_MAX_REASONS = 3
"""For missing data, that are listed; the rest are only counted."""


def report(result: SweepResult, analysis: model.Analysis, tunables: Mapping[str, Tunable], top: int) -> list[Block]:
    """The document. `top`: how many of the fastest combinations of each direction to list."""
    return _Report(result, analysis, tunables).blocks(top)


def percent(ratio: float) -> str:
    """1.38 is "+38 %"."""
    change = (ratio - 1) * 100
    if abs(change) < 0.05:
        return "0.0 %"
    return f"{change:+.1f} %" if abs(change) < 10 else f"{change:+.0f} %"


class _Report:
    def __init__(self, result: SweepResult, analysis: model.Analysis, tunables: Mapping[str, Tunable]) -> None:
        self.result, self.analysis, self.tunables = result, analysis, tunables
        self.page = Document()

    def blocks(self, top: int) -> list[Block]:
        plan, page = self.result.plan, self.page
        page.heading(f"What {'the figures of' if self.result.printed else 'the sweep of'} {plan.export} show"
                     f"{'' if self.result.printed else 's'}", 1)
        self._where()
        page.listed("What these figures cannot prove", self.result.limits)
        self._effects()
        for interaction in self._significant_interactions(on_control=False):
            self._interaction(interaction)
        self._means()
        if self.result.printed:
            self._pairs()
        self._top(top)
        self._trust()
        return page.blocks

    def setting(self, name: str, value: Value) -> str:
        """As one writes it: "nconnect=4", "async"."""
        return spell(self.tunables[name], value) if name in self.tunables else f"{name}={value}"

    def settings(self, asked: model.Asked) -> str:
        return ",".join(self.setting(name, value) for name, value in asked.items())

    def _where(self) -> None:
        plan, environment = self.result.plan, self.result.environment
        rows: list[tuple[str, TextLike | None]] = []
        if environment is not None:
            rows = [
                ("Client", f"{environment.client}, Linux {environment.kernel}, {environment.tool}"),
                ("Server", environment.server + (f" ({environment.address})" if environment.address else "")),
                ("Begun", environment.started),
            ]
        mounts = len({run.plot for run in self.result.runs})
        many = counted(len(self.result.runs), "run")
        rows.append(("Runs", f"{many} that are printed" if self.result.printed else
                     f"{many} on {counted(mounts, 'mount')}, "
                     f"{counted(plan.blocks, 'block')} of {counted(len(plan.points), 'combination')}"))
        columns = list(zip(*plan.points))
        for at, first in enumerate(plan.factors):
            tied = [factor.tunable for factor, column in zip(plan.factors, columns) if column == columns[at]]
            if len(tied) > 1 and tied[0] == first.tunable:
                rows.append(("Changed together", f"{', '.join(map(_short, tied))}: reported as {_short(tied[0])}"))
        fixed = self.settings(plan.fixed)
        self.page.pairs([*rows, ("All mounts", code(fixed) if fixed else None)])

    def _effects(self) -> None:
        for verdict, title in (
            (model.EFFECT, "What makes a difference"),
            (model.NO_DIFFERENCE, f"What makes no difference that matters (less than {self.analysis.margin * 100:g}%)"),
            (model.CANNOT_TELL, "What these runs cannot tell"),
        ):
            chosen = [effect for effect in self.analysis.effects if effect.verdict == verdict]
            if not chosen:
                continue
            self.page.heading(title)
            heads = ["Setting", "Instead of", "Job", "Rate", "95 % interval"]
            extra = verdict == model.CANNOT_TELL
            self.page.table([*heads, *(["Would show"] if extra else [])], [
                [code(self.setting(effect.factor, effect.level)), code(self.setting(effect.factor, effect.against)),
                 _job(effect), percent(effect.ratio), f"{percent(effect.low)} to {percent(effect.high)}",
                 *([_share(effect.detectable)] if extra else [])]
                for effect in sorted(chosen, key=lambda effect: -abs(math.log(effect.ratio)))
            ])
        if any(effect.verdict == model.CANNOT_TELL for effect in self.analysis.effects):
            self.page.para("“Would show”: the smallest difference that 80 of 100 such sweeps would have found.")
        if not self.analysis.effects:
            self.page.heading("No conclusion is possible")
            self.page.para("There are too few runs with data.")

    def _significant_interactions(self, *, on_control: bool) -> list[model.Interaction]:
        """Those with a control, which can have none, or those without."""
        idle = {factor.tunable for factor in self.result.plan.factors if factor.control}
        return [interaction for interaction in self.analysis.interactions
                if interaction.holm < model.LEVEL and bool(idle.intersection(interaction.factors)) == on_control]

    def _interaction(self, interaction: model.Interaction) -> None:
        rows, columns = interaction.factors
        self.page.heading(f"What {_short(rows)} does depends on {_short(columns)}: {_job(interaction)}")
        heads = list(dict.fromkeys(cell.levels[1] for cell in interaction.cells))
        rates = {cell.levels: cell.rate for cell in interaction.cells}
        self.page.table(
            ["", *(code(self.setting(columns, head)) for head in heads)],
            [[code(self.setting(rows, level)), *(_mib(rates[level, head]) for head in heads)]
             for level in dict.fromkeys(cell.levels[0] for cell in interaction.cells)],
        )

    def _means(self) -> None:
        for direction, job in _summary_jobs(self.analysis.means).items():
            self.page.heading(f"Mean rate of each setting, {direction}, {job or 'all jobs'}")
            self.page.add([Chart("MiB/s", tuple(
                _bar(self.setting(mean.factor, mean.level), mean.rate)
                for mean in self.analysis.means if (mean.job, mean.direction) == (job, direction)
            ))])

    def _pairs(self) -> None:
        """Of each two factors, whether they interact or not."""
        for direction, job in _summary_jobs(self.analysis.interactions).items():
            charts = [
                Chart("MiB/s", tuple(
                    _bar(",".join(map(self.setting, pair.factors, cell.levels)), cell.rate) for cell in pair.cells
                ))
                for pair in self.analysis.interactions if (pair.job, pair.direction) == (job, direction)
            ]
            self.page.fold(f"Mean rate of each pair of settings, {direction}, {job or 'all jobs'}", charts)

    def _top(self, top: int) -> None:
        for direction in dict.fromkeys(run.direction for run in self.result.runs if run.rate):
            each = grouped(
                ((run.point, run.job), run.rate) for run in self.result.runs
                if run.direction == direction and run.rate and not run.drift
            )
            means = {key: math.exp(sum(map(math.log, rates)) / len(rates)) for key, rates in each.items()}
            fastest = sorted(means, key=lambda key: (-means[key], key))[:top]
            rows: list[Sequence[TextLike]] = [
                [str(rank), _mib(means[key]), f"{_mib(min(each[key]))} to {_mib(max(each[key]))}", key[1],
                 code(self.settings(self.result.plan.levels(key[0])))]
                for rank, key in enumerate(fastest, 1)
            ]
            if rows:
                heads = tuple(text(head) for head in ("", "Mean", "Between", "Job", "Settings"))
                table = Table(heads, tuple(tuple(text(cell) for cell in row) for row in rows))
                certain = "; the tables above say what is certain" if self.analysis.effects else ""
                note = Paragraph(text(f"The fastest of many is partly luck{certain}."))
                self.page.fold(f"Fastest {len(rows)} of {len(means)}, {direction}", [note, table])

    def _trust(self) -> None:
        analysis, page = self.analysis, self.page
        page.heading("How far to trust this")
        for effect in analysis.control:
            if effect.verdict == model.EFFECT:
                page.item(f"{self.setting(effect.factor, effect.level)}, which can have no effect, seems to have one "
                          f"({_job(effect)}, {percent(effect.ratio)}). Something else changed with it: trust no "
                          "difference of this size.")
        odd = self._significant_interactions(on_control=True)
        for pair in odd:
            what, on = map(_short, pair.factors)
            page.item(f"What {what} does seems to depend on {on} ({_job(pair)}). "
                      "One of them is a control and can have no effect: something else changed with it.")
        if analysis.control and not odd and all(effect.verdict != model.EFFECT for effect in analysis.control):
            names = ", ".join(dict.fromkeys(_short(effect.factor) for effect in analysis.control))
            page.item(f"The control ({names}), which can have no effect, shows none.")
        for fit in analysis.fits:
            if fit.job:
                blocks = f", blocks by {_share(fit.between_blocks)}" if self.result.plan.blocks > 1 else ""
                what = "run" if self.result.printed else "mount"
                page.item(f"{fit.job}, {fit.direction}: like {what}s differ by {_share(fit.noise)}{blocks} (standard "
                          f"deviations; {counted(fit.mounts, what)}).")
        for drift in analysis.drifts:
            if drift.low > 1 or drift.high < 1:
                page.item(f"{drift.job}, {drift.direction}: from the first run to the last the same mount changed by "
                          f"{percent(drift.ratio)} ({percent(drift.low)} to {percent(drift.high)}). The differences "
                          "above are corrected for it.")
        self._no_data()
        if analysis.unsteady:
            page.item(f"{counted(analysis.unsteady, 'run')} did not become steady by fio's criterion; "
                      "they are counted all the same.")
        for words in analysis.untold:
            page.item(f"These runs cannot tell: {words}.")
        if analysis.effects and not self.result.printed:
            page.para("If nothing makes a difference, at most 5 of 100 such sweeps would report any (Holm's "
                      "correction). That a difference does not matter is shown by two one-sided tests at 5 % each.")

    def _no_data(self) -> None:
        reasons = Counter(lost.why for lost in self.analysis.no_data)
        if not reasons:
            return
        words = [f"{why} ({count})" for why, count in reasons.most_common(_MAX_REASONS)]
        rest = len(reasons) - len(words)
        more = f"; and {counted(rest, 'other reason')}" if rest else ""
        self.page.item(f"{counted(sum(reasons.values()), 'run')} gave no data: {'; '.join(words)}{more}.")


def _summary_jobs(results: Iterable[model.Mean | model.Interaction]) -> dict[str, str]:
    """Direction → "" for all jobs if there are several, else its only job."""
    jobs: dict[str, str] = {}
    for each in results:
        if not each.job:
            jobs[each.direction] = ""
        jobs.setdefault(each.direction, each.job)
    return jobs


def _job(result: model.LevelEffect | model.Interaction) -> str:
    return f"{result.job or 'all jobs'}, {result.direction}"


def _bar(label: str, rate: float) -> Bar:
    return Bar(label, _round(rate), _round(rate))


def _short(name: str) -> str:
    return name[len("mount.") :] if name.startswith("mount.") else name


def _mib(rate: float) -> str:
    return f"{_round(rate):,.10g} MiB/s"


def _round(rate: float) -> float:
    """MiB/s with four significant digits."""
    mib = rate / (1 << 20)
    return round(mib, max(0, 3 - math.floor(math.log10(mib)))) if mib > 0 else 0.0


def _share(part: float) -> str:
    """0.04 is "4.0%"."""
    return f"{part:.1%}" if part >= 0.0005 else "less than 0.1%"
