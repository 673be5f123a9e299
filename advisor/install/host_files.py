"""Files for the whole host: settings, exports, a failover cluster, and what users need on both sides. Some sysctl
settings are written as module parameters, and the file for the number of threads depends on the release."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from typing import NamedTuple

from advisor.advice.advise import advise
from advisor.advice.model import Row
from advisor.advice.verdict import missing_export_options
from advisor.engine import holds
from advisor.install.context import Artefact, FileContext, Unwritable, plain, render, single_word, wrapped
from advisor.named_tuple import grouped
from advisor.pages.blocks import Document, code, strong
from advisor.pages.failover import mover, resources, storage
from advisor.pages.markup import markdown
from advisor.pages.wording import outcome, value_in_words
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import kernel_file, same, spell

_SLOTS_IN = "service.slot_table_file"
_THREADS_IN = "service.nfsd_threads_file"
THREADS = "nfs.conf.nfsd.threads"


class FileLine(NamedTuple):
    """A setting in a file. `line`: as it is written there; `about`: the comment above it; `place`, `other`: the files
    of the kernel with its value, and with the same limit in another unit, "" without one."""

    name: str
    value: str
    line: str
    about: list[str]
    row: Row
    place: str = ""

    @property
    def other(self) -> str:
        twin = self.row.definition.other_unit
        return kernel_file(twin) if twin else ""


def sysctls(context: FileContext) -> list[FileLine]:
    twins = _twins(context)
    return [
        FileLine(
            row.tunable.removeprefix("sysctl."), str(row.written), row.text, context.about(row), row,
            kernel_file(row.tunable),
        )
        for row in context.settled("sysctl") if row.tunable not in twins
    ]


def modules(context: FileContext) -> list[FileLine]:
    """The parameters of modules, named MODULE.PARAMETER, with the sysctl settings that last only as such."""
    twins = _twins(context)
    lines = []
    for row in (*context.settled("sysctl"), *context.settled("module-parameter")):
        if row.tunable in twins or row.kind == "module-parameter":
            tunable = twins.get(row.tunable, row.tunable)
            _, module, parameter = tunable.split(".", 2)
            lines.append(FileLine(
                f"{module}.{parameter}", str(row.written), f"options {module} {parameter}={row.written}",
                context.about(row), row, kernel_file(tunable),
            ))
    return lines


def _twins(context: FileContext) -> dict[str, str]:
    """sysctl → the module parameter that is the same variable; {} where files of sysctl are known to do."""
    decided = context.advice.find(_SLOTS_IN)
    if decided is not None and decided.value in ("/etc/sysctl.d", "keep"):
        return {}
    return context.base.ready(_same_variables)


def _same_variables(base: RuleBase) -> dict[str, str]:
    return {tunable.same_as: name for name, tunable in base.tunables.items() if tunable.same_as}


def nfs_conf(context: FileContext) -> dict[str, list[FileLine]]:
    """Section of nfs.conf → its settings."""
    lines = []
    for row in context.settled("nfs.conf"):
        if not (row.tunable == THREADS and threads_line(context)) and not _is_set_elsewhere(context, row):
            _, _, section, key = row.tunable.split(".", 3)
            lines.append((section, FileLine(key, str(row.written), f"{key}={row.written}", context.about(row), row)))
    return grouped(lines)


def reads_folder(context: FileContext) -> bool:
    """Whether nfs.conf.d is read as far as is known."""
    return not holds(context.base.engine, "folder:nfs.conf", context.advice.state)


def _is_set_elsewhere(context: FileContext, row: Row) -> bool:
    """Whether another file sets the same thing, so that this one must not."""
    rivals: dict[str, str] = context.data["not_with"].get(row.tunable, {})
    chosen = {name: context.advice.find(name) for name in rivals}
    return not row.pinned and any(
        choice is not None and choice.value == rivals[name] for name, choice in chosen.items()
    )


def threads_line(context: FileContext) -> tuple[str, str] | None:
    """The line for the number of nfsd threads and its file, if that is not nfs.conf."""
    threads = next((row for row in context.settled("nfs.conf") if row.tunable == THREADS), None)
    place = context.advice.find(_THREADS_IN)
    line = context.data["threads_lines"].get(place.value) if place else None
    if threads is None or place is None or line is None:
        return None
    return line.format(value=threads.written), str(place.value).rpartition(" ")[0]


def host_files(context: FileContext) -> Iterator[Artefact]:
    """The files for the settings of the whole host; none that would be empty."""
    kernel = sysctls(context)
    if kernel:  # what was seen before is put back at once; the rest is back after a restart
        seen = context.advice.answers.before
        before = [(line, seen[line.row.tunable].value) for line in kernel if line.row.tunable in seen]
        restore = [
            context.data["restore"].format_map({"setting": shlex.quote(f"{line.name}={value}")})
            for line, value in before if not same(value, line.row.written)
        ]
        restore += [context.data["reboot"]] * (len(before) < len(kernel))
        yield context.rendered("sysctl", {"settings": kernel}, more_verify=[check(line.row) for line in kernel],
                    more_undo=restore)
    parameters = modules(context)
    if parameters:
        yield context.rendered("modprobe", {"settings": parameters},
                    more_verify=[check(line.row) for line in parameters])
    sections = nfs_conf(context)
    if sections:
        checks = [check(line.row) for ours in sections.values() for line in ours]
        again = context.data["restart_cluster" if context.settled("cluster") else "restart_server"]
        after = again if {"nfsd", "mountd"} & sections.keys() else []
        file = "nfs-conf" if reads_folder(context) else "nfs-conf-lines"
        steps, text = context.data["files"][file], render("nfs-conf", head=context.head_of(file), sections=sections)
        yield context.artefact(file, text, more_verify=checks, apply=[*steps["apply"], *after],
                    undo=[*steps["undo"], *after])
    line_and_file, threads = threads_line(context), context.advice.find(THREADS)
    if line_and_file and threads:
        yield context.rendered("nfsd-threads", {"line": line_and_file[0], "about": context.about(threads)},
                    install=line_and_file[1], more_verify=[check(threads)])
    yield from _read_ahead(context)
    yield from _exports(context)


def check(row: Row) -> str:
    """The command that shows the value in effect; its output follows as a comment."""
    return f"{row.steps.verify}  # {row.steps.seen}"


def _read_ahead(context: FileContext) -> Iterator[Artefact]:
    """The udev rule for read-ahead. The rule base has its line, with KIB for the size."""
    rule, size = context.advice.find("bdi.read_ahead_rule"), context.advice.find("bdi.read_ahead_kb")
    if not (rule and size and rule.value == "udev-rule" and size.written is not None):
        return
    line = rule.steps.apply.splitlines()[-1].replace("KIB", str(int(size.written)))
    about = [*context.about(size), *context.about(rule)]
    yield context.rendered("udev", {"line": line, "about": about})


def _exports(context: FileContext) -> Iterator[Artefact]:
    if not context.is_server:
        return
    waiting = missing_export_options(context.advice)
    if waiting:
        context.remarks.append(
            f"The exports line waits for {' and '.join(option.tunable for option in waiting)} to be settled."
        )
        return
    first, skipped = context.data["export_order"], context.data["export_not_options"]
    ours = [
        option for option in context.advice.advised
        if option.kind == "export-option" and option.written is not None and option.tunable not in skipped
    ]
    if not ours:
        return
    ours.sort(key=lambda option: first.index(option.tunable) if option.tunable in first else len(first))
    options = ",".join(spell(option.definition, option.written) for option in ours)
    group = [recommendation for recommendation in context.settled("cluster") if recommendation.written]
    if resources(context.advice):  # a cluster withdraws what it finds in files, and loses what no resource has
        yield from cluster(context, group, ours, options)
    else:
        values = {"options": options, "about": context.argued(ours), "clients": context.clients}
        yield context.rendered("exports", values)


def cluster(context: FileContext, group: list[Row], exported: list[Row], options: str) -> Iterator[Artefact]:
    """All of them. `group`: what is advised for the cluster; `exported`, `options`: for its exports, and as exports(5)
    writes them. Raises Unwritable for a directory that the agent cannot export."""
    names = {row.tunable for row in group}
    bugs = {bug.erratum for bug in context.advice.bugs if bug.certain}
    given = [scope for bug, scope in context.data["cluster_scope"].items() if bug not in bugs]
    given += [server for name, server in context.data["cluster_server"].items() if name in names]
    clients, apart = context.clients, context.data["cluster_by_hand"]
    below = context.known("export.own_mount") is False  # without a path, mountpoint would mean the export itself
    given_options = [*options.split(","), *(() if below else context.data["cluster_options"])]
    values: dict[str, object] = {
        "directory": single_word(context.export),
        "options": ",".join(dict.fromkeys(given_options)),
        "below": below,
        "clients": clients, "server": given,
        "about": context.argued(row for row in [*group, *exported] if row.tunable not in apart),
        "apart": wrapped("Not made by this, see the report: " + "; ".join(
            f"{row.title}, {value_in_words(row)} ({row.tunable})" for row in group if row.tunable in apart)),
        "notify": "cluster.notify" in names,
        "stays": "cluster.stickiness" in names, "fencing": context.known("server.fencing_s") or 0,
        "volumes": "cluster.volume_group" in names, "replicated": "cluster.replication" in names,
    }
    moved = mover(context.advice)
    values["mover"] = {**context.data["cluster_address"][moved.agent], **moved._asdict()} if moved else None
    address = context.advice.answers.names.get("server", "")
    values["address"] = address = address if _is_address(address) else ""
    first = [step for step in context.data["cluster_first"] if "(cluster." not in step or any(
        f"({name})" in step for name in names)]
    values["first"] = [line for number, step in enumerate(first, 1) for line in wrapped(f"{number}. {step}")]
    distro, plain = context.known("server.distro"), all(map(_is_plain, (context.export, *clients)))
    if not plain or distro not in context.data["without_pcs"]:
        script = context.rendered("cluster", values, mode=0o755)
        for variable, read in (("ADDRESS", not address), ("VOLUME_GROUP", values["volumes"]), ("MOUNT_POINT", below)):
            if not read:
                script = script._replace(apply=tuple(step.replace(f"{variable}=… ", "") for step in script.apply))
        yield script._replace(apply=(*first, *script.apply))
    if plain and distro not in context.data["without_crmsh"]:
        group_file = context.rendered("cluster-crm", values)
        yield group_file._replace(apply=(*first, *group_file.apply))
    elif not plain:
        context.remarks.append("crmsh cannot read some of these names back, so it gets no file.")
    volumes = next((row for row in group if row.tunable == "cluster.volume_group"), None)
    if volumes is not None:
        yield context.rendered("cluster-lvm", {"about": context.about(volumes)})
    yield context.rendered("cluster-record", {}, mode=0o755)
    made_of = Document()
    for line in context.provenance(("server", "export", "clients")):
        made_of.item(line)
    figures = [estimate for estimate in context.advice.estimates if estimate.tunable.startswith("estimate.failover_")]
    yield context.rendered("cluster-test-plan", {
        **values, "figures": [estimate for estimate in figures if estimate.value is not None],
        "made": markdown(made_of.blocks).rstrip("\n"),
        "missing": sorted({fact for estimate in figures for fact in estimate.missing}),
    })
    grouped = resources(context.advice)
    yield context.rendered("cluster-picture", {
        "resources": grouped, "storage": storage(context.advice), "clients": clients,
    })


def _is_address(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


def _is_plain(text: str) -> bool:
    try:
        plain(text)
    except Unwritable:
        return False
    return " " not in text


_ROLE, _KIND = "host.role", "identity"


def identity(context: FileContext) -> Iterator[Artefact]:
    """The files, where users need more than a plain mount."""
    if context.settled(_KIND):
        sides = [(str(side["title"]), _of(context, str(side["role"]), side["settings"]))
                 for side in context.data["sides"]]
        yield context.artefact("identity", _steps(context, sides))
    domains = [row for kind in (_KIND, "service") for row in context.settled(kind)
               if row.tunable in context.data["id_domains"]]
    if domains:
        given = [row.written for row in domains if row.definition.type == "string"]
        domain = (*given, dns_domain(context.server) or "DOMAIN")[0]
        yield context.rendered("idmapd", {"about": [*map(context.about, domains)], "domain": domain})


def dns_domain(server: str) -> str:
    """The DNS domain of a server's full name; "" of an address or a short name."""
    try:
        ip_address(server.strip("[]").partition("%")[0])
    except ValueError:
        return server.partition(".")[2].strip(".").lower()
    return ""


def _of(context: FileContext, role: str, settings: Sequence[str]) -> list[Row]:
    """What is advised of these settings to hosts of this role, in their order. A pin of another role's setting would
    contradict it."""
    answers, advice = context.advice.answers, context.advice
    if answers.facts.get(_ROLE) != role:
        pins = {name: value for name, value in answers.pins.items() if name in settings}
        advice = advise(context.base, answers._replace(facts={**answers.facts, _ROLE: role}, pins=pins))
    by_tunable = {row.tunable: row for row in advice.advised if row.written is not None}
    return [by_tunable[name] for name in settings if name in by_tunable]


def _steps(context: FileContext, sides: Sequence[tuple[str, list[Row]]]) -> str:
    page = Document()
    page.heading(context.data["files"]["identity"]["title"], 1)
    for line in context.provenance(("server", "export")):
        page.item(line)
    kerberos = any("krb5" in row.text or "Kerberos" in row.steps.apply for _, rows in sides for row in rows)
    if kerberos and not dns_domain(context.server):
        page.para(f"Kerberos needs the server's full name, and {context.server} is not one: write it in place of ",
                  code(context.server), " in these steps and in the mount line.")
    seen: set[str] = set()
    for title, settings in (side for side in sides if side[1]):
        page.heading(title)
        for row in settings:
            page.heading(f"{row.definition.title}: {outcome(row.value)}", 3)
            if row.tunable in seen:
                page.para("As above.")
                continue
            seen.add(row.tunable)
            page.para(row.why)
            page.code(row.steps.apply, "sh" if "\n" in row.steps.apply else "")
            page.para(strong("Check: "), f"{row.steps.verify} {row.steps.seen}.")
    return markdown(page.blocks)
