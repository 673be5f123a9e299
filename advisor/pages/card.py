"""What one gets, in at most LINES lines that can be pasted into a ticket: the verdict, the mount line, today → advised
with the harm avoided, the files by kind, and the one command that installs them.

The wizard's result, its prompts, `recommend --write-to` and the head of REPORT.md are this card."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from advisor.advice.model import Advice, Row, as_written
from advisor.advice.rows import bracketed_host, by_hand, has_mount, in_order, mount_line
from advisor.advice.supposed import presumed_facts
from advisor.advice.verdict import AdviceVerdict, unnamed, unsettled
from advisor.engine import word_list
from advisor.named_tuple import grouped
from advisor.pages.blocks import Block, Document, Text, TextLike, TextRun, code, dim, joined, text
from advisor.pages.layout import lines
from advisor.pages.phrases import counted, first_sentence, some
from advisor.pages.style import wrap
from advisor.pages.wording import OTHERWISE, POSSIBLY, setting_name
from advisor.regex import regex
from advisor.rulebase.counsel import CONSEQUENCES
from advisor.rulebase.values import absence_supports, told_name

LINES = 15
"""The most lines of a card, its mount lines each counted as one."""
_COLUMNS = 100
_MOUNTS, _REASONS = 3, 3
"""The most mount lines and reasons."""
_SPARED = ("reasons", "Price", "Assumed", "Files", "harm", "harm", "prose", "commands", "By hand")
_HARMS = 3
"""What is left out for want of room, in this order: further reasons, rows of pairs, harms beyond _HARMS, all but the
first sentence of a reason, what commands need."""
_WAIT = {"ready": "once it is named: ", "open": "once that is settled: ", "will-fail": "once that is corrected: "}
_TODAY = 14
"""Columns for what is there today."""
_APPLY, _EXPORTS = "apply.sh", "exports.d/"
_GROUP, _CRM = "cluster/nfs-group.sh", "cluster/nfs-group.crm"
_NEEDED, _CIB = regex(r"\$\{(\w+):\?"), regex(r"^CIB=\$\{1:-(.+)\}$", re.MULTILINE)
_CREATES = regex(r"^(?:pcs -f \S+ resource create |primitive )")
_LOADS = regex(r"^echo \"[^\"\n:]*To load it: ([^\"\n]+)\"$", re.MULTILINE)
"""What the script of the group needs, the file that it writes, and what it says of loading that."""
_OWN = (_APPLY, "verify.sh", "revert.sh", "reports", "answers.yaml")
"""Files that the card names elsewhere, or that need no mention."""


def card(
    advices: Sequence[Advice], found: AdviceVerdict, *,
    files: Mapping[str, Sequence[str]] = {}, folder: str = "", first: str = "", columns: int = _COLUMNS,
    fold: bool = False, ask: tuple[str, str] = ("give", "--{}"),
) -> list[Block]:
    """The card for the advice on all mounts, which `with_refusals` has judged. `found`: their verdict;
    `files`: path → lines without comments; `folder`: where they are, as the install command names it;
    `first`: what to do before it. Without room the least important is left out whole, in the order of `_SPARED`, then
    the mildest harms. `fold`: a mount line is broken between options at `columns`, to be read; else it is whole, to be
    copied. `ask`: how a name is given."""
    blocks: list[Block] = []
    harms, shown = _harms(_by_harm(advices), columns), _shown_lines(advices, files, columns - 4 if fold else 0)
    pairs = [*_pairs(advices, files, columns - 14), ("Names", _naming(advices, found, files, ask))]
    read = any(one.before or one.now or one.today for one in (advice.answers for advice in advices))
    look = "bad" if found.state == "will-fail" else "warn" if found.beside else "good"
    head = text(TextRun(found.badge, look), f": {found.beside}" if found.beside else "", f" · {_subject(advices)}")
    for spared in range(len(_SPARED) + _HARMS + 1):
        page, without = Document(), _SPARED[:spared]
        page.heading(head, 1, "" if look == "good" else "must")
        for reason in found.reasons[: 1 if "reasons" in without else _REASONS]:
            page.item(first_sentence(reason) if "prose" in without else reason)
        if shown:
            page.code("\n".join(shown), "fstab")
        page.table([dim(name) for name in ("today" if read else "by default", "advised", "harm avoided")],
                   harms[: max(len(harms) - without.count("harm"), _HARMS) - max(spared - len(_SPARED), 0)])
        install = _install(advices, found, files, folder, first, brief="commands" in without)
        page.pairs([pair for pair in (*pairs, ("Install", install)) if pair[0] not in without])
        blocks = page.blocks
        if len(lines(blocks, columns)) <= LINES:
            break
    return blocks


def _shown_lines(advices: Sequence[Advice], files: Mapping[str, Sequence[str]], width: int) -> list[str]:
    """What is exported and mounted, at most _MOUNTS lines of each. `width`: of the folded lines, 0 for whole ones."""
    shown: list[str] = []
    for made in (server_lines(files), [mount_line(advice) for advice in advices if has_mount(advice)]):
        made[_MOUNTS:] = [f"# and {len(made) - _MOUNTS} more"] if len(made) > _MOUNTS else []
        for line in made:
            shown += wrap(line, width, rest="#   " if line[:1] == "#" else "") if width else [line]
    return shown


def _naming(
    advices: Sequence[Advice], found: AdviceVerdict, files: Mapping[str, Sequence[str]], ask: tuple[str, str]
) -> str:
    """How the names are given that the files lack. `ask`: as for `card`."""
    if found.unnamed:
        naming = f"{ask[0]} {word_list(map(ask[1].format, found.unnamed), 'and')}"
        return f"{naming}, {until_named(found.unnamed, files)}" if _is_named(files) else naming
    names = [] if found.empty else unnamed(advice for advice in advices if advice.server or has_mount(advice))
    return f"write your own for {', '.join(names)}" if names else ""


def _install(
    advices: Sequence[Advice], found: AdviceVerdict, files: Mapping[str, Sequence[str]], folder: str, first: str, *,
    brief: bool,
) -> Text:
    before, commands = installing(found, files, folder, server=all(advice.server for advice in advices), brief=brief)
    undo = "" if before or first or _group(files) else "  check: verify.sh, undo: revert.sh"
    before = "" if found.state == "ready" else before  # the names have their own row
    return commands and text(before + first, commands, undo)


def details(advices: Sequence[Advice], columns: int) -> list[Block]:
    """What the card sums up: each setting below the harm that it avoids, all that is open, to be done by hand, and
    assumed."""
    page = Document()
    for harm, mine in _by_harm(advices).items():
        page.heading(harm[0].upper() + harm[1:])
        alike = grouped((now, _name(row, columns)) for now, row in mine)
        for now, names in alike.items():
            page.item(text(f"{now} → ", code(", ".join(dict.fromkeys(names)))))
    for title, told in (
        ("Open", _waiting(advices)), ("By hand", [_to_do(row, _COLUMNS) for row in _manual(advices, {}).values()]),
        ("Assumed", _taken(advices)),
    ):
        if told:
            page.heading(title)
        for one in told:
            page.item(one)
    return page.blocks


def server_lines(files: Mapping[str, Sequence[str]]) -> list[str]:
    """The lines of exports; of a failover cluster, the resources of its group in their order and what they export.
    `files`: path → lines without comments."""
    found: list[str] = []
    for path, written in files.items():
        if _EXPORTS in path:
            found += written
        elif path in _group(files):
            each = "\n".join(written).replace("\\\n", " ").replace(" params ", " ").split("\n")
            added = [words for line in each if (words := _CREATES.sub("", line).split()) != line.split()]
            found.append(f"# cluster group: {', '.join(words[0] for words in added)}")
            found += [f"# {' '.join(words[:1] + words[2:5])}" for words in added if words[1].endswith(":exportfs")]
    return found


def installing(
    found: AdviceVerdict, files: Mapping[str, Sequence[str]], folder: str = "", *, server: bool = False,
    brief: bool = False,
) -> tuple[str, Text]:
    """What has to happen before the files are installed, or "", and the commands that install them, with what they need
    filled in, or named if it is `brief`. `files`: as for `card`; `server`: all of them are for one."""
    run = {path: shlex.quote(f"{folder}/{path}" if folder else path) for path in files}
    group = _group(files)
    for_clients: list[Text] = []  # after what the server exports
    for_server = [text("fencing first")] if group else []
    only = _only_server_waits(found.unnamed, files) and found.state == "ready"
    for path in (path for path in files if path.rpartition("/")[2] == _APPLY):
        client = path.startswith("clients/") or not (server or path.startswith("server/"))
        where = "on each client " if client else "on every node " if group else "on the server "
        (for_clients if client else for_server).append(text(where, code(f"sudo sh {run[path]}")))
    for path in (path for path in group if path.endswith(_CRM)):
        fill = "on one node, with your devices and address in it, "
        for_server.append(text(fill, code(f"crm configure load update {run[path]}")))
    for path in (path for path in group if path.endswith(_GROUP)):
        script = "\n".join(files[path])
        needs = "".join(f"{name}=… " for name in _NEEDED.findall(script))
        then = "".join(_LOADS.findall(script)).replace("$CIB", "".join(_CIB.findall(script)))
        rest = (", as its head says",) if brief else (", then ", code(then))
        for_server.append(text("on one node ", code(f"{'' if brief else needs}sh {run[path]}"), *rest))
    if only:
        return "", joined([*for_clients, *(text("once it is named, ", each) for each in for_server)], "; ")
    waits = found.state != "ready" or (found.unnamed and _is_named(files))
    return _WAIT[found.state] if waits else "", joined([*for_server, *for_clients], "; ")


def until_named(names: Sequence[str], paths: Iterable[str]) -> str:
    """What the missing names hold up. `paths`: of the files, each below its side if there are two."""
    return f"else {'server/' * _only_server_waits(names, paths)}apply.sh changes nothing"


def _only_server_waits(names: Sequence[str], paths: Iterable[str]) -> bool:
    return [*names] == ["clients"] and any(path.startswith("clients/") for path in paths)


def _group(paths: Collection[str]) -> list[str]:
    """The file of the cluster's group: for pcs, else for crmsh."""
    return next(filter(None, ([path for path in paths if path.endswith(end)] for end in (_GROUP, _CRM))), [])


def _is_named(paths: Collection[str]) -> bool:
    """Whether apply.sh is among the files, and one that has names."""
    ends = {path.rpartition("/")[2] for path in paths}
    return _APPLY in ends and ("fstab" in ends or any(_EXPORTS in path for path in paths))


def _subject(advices: Sequence[Advice]) -> str:
    """What the advice is about: "/data from nas:/vol"; without the mount point if Linux does not mount it."""
    mounts = [advice for advice in advices if not advice.server]
    if len(mounts) > 1:
        return counted(len(mounts), "mount")
    name = (mounts or advices)[0].answers.name
    place = f"{bracketed_host(name('server'))}:{name('export')}"
    if not mounts:
        return f"{place} for {name('clients')}"
    return f"{name('target')} from {place}" if has_mount(mounts[0]) else place


def _by_harm(advices: Sequence[Advice]) -> dict[str, list[tuple[str, Row]]]:
    """Harm avoided, the worst first → what is there today or by default, and what is advised instead; of what is made
    by hand, what must be, for the worst harm."""
    manual = {row.tunable for advice in advices for row in by_hand(advice)
              if (row.strength, row.consequence) != ("must", CONSEQUENCES[0])}
    made = {(row.tunable, row.written): row for advice in advices for row in advice.part("set") if not row.refused}
    return grouped(
        (_harm(row, now), (now, row))
        for row in sorted(in_order(made.values()), key=lambda row: CONSEQUENCES.index(row.consequence))
        if row.tunable not in manual and row.consequence and row.rule and row.kind != "fstab-field"
        and not row.definition.places and (now := _today(advices, row)) != as_written(row.definition, row.written)
    )


def _today(advices: Sequence[Advice], row: Row) -> str:
    """What is there today, else the default."""
    has = row.now and (row.now.in_effect or row.now.set)
    for answers in (advice.answers for advice in advices):
        if row.tunable in answers.today:
            return answers.today[row.tunable] or "not set"
        has = has or answers.before.get(row.tunable)
    value = has.value if has else row.definition.default
    text = "not set" if value is None else as_written(row.definition, value)
    return "not set" if value is False and "=" in text else text  # no option says that the flag is off


def _harm(row: Row, today: str) -> str:
    """What is avoided; it is only possible if another value is negotiated, or what it rests on is assumed."""
    sure = today != "not set" or absence_supports(row.value, row.definition.default) is False
    harm = row.consequence or ""
    return OTHERWISE[harm] if sure and not row.rests_on else POSSIBLY.get(harm, OTHERWISE[harm])


def _harms(by_harm: Mapping[str, Sequence[tuple[str, Row]]], columns: int) -> list[tuple[str, TextLike, str]]:
    """The harms as rows of a table, each in one line, with the reason if there is room."""
    harms: list[tuple[str, str, str, str]] = []
    room = columns - _TODAY - 8 - max(map(len, by_harm), default=0)
    for harm, mine in by_harm.items():
        advised = some((_name(row, room - 12 * (len(mine) > 1)) for _, row in mine), room)
        first = f"{_name(mine[0][1], room - 3)}, …"
        advised = next((one for one in (advised, first) if len(one) <= room), counted(len(mine), "setting"))
        named = mine[: advised.count(", ") + 1]  # what is named has its value of today
        harms.append((some(dict.fromkeys(now for now, _ in named), _TODAY), f"→ {advised}", harm, mine[0][1].why))
    left = columns - 8 - sum(max(map(len, column), default=0) for column in [*zip(*harms)][:2])
    return [
        (now, code(advised), f"{harm}: {why}" if len(harm) + len(why) <= left else harm)
        for now, advised, harm, why in ((*one[:3], first_sentence(one[3])) for one in harms)
    ]


def _name(row: Row, room: int) -> str:
    told = told_name(row.definition)
    name = setting_name(row).replace(f"{row.tunable.partition('.')[2]}: ", f"{told}: ", 1)
    whole = (len(name) <= room and "," not in name) or row.definition.type == "flag"  # whose name may be the opposite
    return name if whole else told


def _to_do(row: Row, room: int) -> str:
    """What to do by hand: the step if there is room for it, else what to look at."""
    step, name = first_sentence(row.steps.apply or "").rstrip("."), _name(row, room)
    return step if step and len(step) <= room else f"check {name if name[:2].isupper() else name[0].lower() + name[1:]}"


def _manual(advices: Sequence[Advice], files: Mapping[str, Sequence[str]]) -> dict[str, Row]:
    """What must or should be done by hand, and by none of the scripts."""
    left = "\n".join(line for path, said in files.items() if path.rpartition("/")[2] == _APPLY for line in said)
    return {row.tunable: row for advice in advices for row in by_hand(advice)
            if row.strength != "may" and (not left or f"({row.tunable})" in left)}


def _waiting(advices: Sequence[Advice]) -> list[str]:
    """Each harm that an open setting leaves, with those settings, the worst first."""
    rows = [row for advice in advices for row in unsettled(advice)]
    waiting = grouped((OTHERWISE[row.consequence or ""], told_name(row.definition))
                      for row in sorted(rows, key=lambda row: CONSEQUENCES.index(row.consequence)))
    return [f"{harm}: {', '.join(dict.fromkeys(names))}" for harm, names in waiting.items()]


def _taken(advices: Sequence[Advice]) -> list[str]:
    """What was assumed."""
    usual = {taken.fact: taken for advice in advices for row in advice.assumed for taken in row.rests_on}
    usual |= {taken.fact: taken for taken in presumed_facts(advices) if taken.fact not in usual}
    return [first_sentence(taken.why)[:-1] for taken in usual.values()]


def _pairs(
    advices: Sequence[Advice], files: Mapping[str, Sequence[str]], room: int
) -> list[tuple[str, TextLike | None]]:
    """Files by kind, what is better settled, what must or should be done beside them, the price of what is advised, and
    what was assumed."""
    kinds = Counter(path.partition("/")[0].removesuffix(".d") for path in files)
    named = [f"{kind} {number}" if number > 1 else kind for kind, number in kinds.items()
             if kind not in _OWN and not kind.startswith("REPORT")]
    todo = _manual(advices, files)
    manual = [_to_do(row, room // min(len(todo), 2)) for row in todo.values()]
    until = "; until you answer, the defaults"
    waiting = _waiting(advices)
    harms = [one.partition(":")[0] for one in waiting]
    listed = (f"{some(each, room - len(end), joint)}{end}" for each, joint in ((waiting, " · "), (harms, ", "))
              for end in (until, ""))
    waits = next((one for one in listed if len(one) <= room), harms[0]) if waiting else ""
    made = in_order(row for advice in advices for row in advice.part("set") if not row.refused)
    prices = (first_sentence(row.rule.risk) for row in made if row.rule and row.rule.risk)
    return [("Files", some(named, room, " · ")), ("Open", waits),
            ("By hand", some(manual, room, "; ")), ("Price", next((one for one in prices if len(one) <= room), "")),
            ("Assumed", some(_taken(advices), room, "; "))]
