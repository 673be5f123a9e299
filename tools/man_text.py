"""What the manual pages say beyond the parsers: descriptions, exit codes, files, examples."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """`runs`: it ends by itself, and needs no more than the files that the tests make."""

    command: str
    says: str
    runs: bool = True


class Text(NamedTuple):
    """Of one command. `description`: paragraphs. `findings`: what exit code 1 means. `files`: name → what it is.
    `also`: other pages."""

    description: tuple[str, ...]
    examples: tuple[Example, ...] = ()
    findings: str = ""
    files: tuple[tuple[str, str], ...] = ()
    also: tuple[str, ...] = ()


PROGRAM = Text(
    (
        "`advisor` checks the NFS configuration of Linux clients and servers, recommends settings for an environment, "
        "and finds the cause of a message or a slow mount. Each recommendation names its reason and its sources.",
        "It judges with a rule base that is part of the program. Only `advisor probe`, which asks the server that you "
        "name, and `advisor sweep run`, which mounts and measures, use the network. The other commands leave the host "
        "as it is, apart from the files that you tell them to write.",
        "On a terminal, `advisor` without a command starts the wizard.",
    ),
    (
        Example("advisor check", "Check this host.", runs=False),
        Example("advisor lint fstab", "Check a file."),
        Example("advisor explain nconnect", "What is known of an option."),
    ),
    "Findings; the page of each command tells what that means there.",
)

COMMANDS: dict[str, Text] = {
    "wizard": Text(
        (
            "Asks about your environment, one question after the other, and shows what follows from each answer. "
            "At the end, or at any time before, it writes files that you install yourself; the host stays as it is.",
            "Facts found on this host are offered as answers. Answers are saved for the next start.",
        ),
        (
            Example("advisor wizard --no-host", "Offer no facts found on this host.", runs=False),
            Example("advisor wizard --plain --answers answers.yaml",
                    "Start from earlier answers, with numbered prompts.", runs=False),
        ),
    ),
    "check": Text(
        (
            "Checks every file of this host that concerns NFS, and compares it with what is in effect: the mounts, the "
            "settings of the kernel, the units. `--root` checks a copy of another host instead: a folder, a tar "
            "archive, or a sosreport.",
            "With `--server` and `--client` it compares what a server exports with what its clients mount.",
        ),
        (
            Example("advisor check", "Check this host.", runs=False),
            Example("advisor check --root web1", "Check a copy of another host's files."),
            Example("advisor check --root web1 --area server", "Only what it serves."),
        ),
        "A finding is at least as severe as --fail-on; or, with --write-to, a file that you have edited was kept.",
        also=("nfs(5)", "exports(5)"),
    ),
    "fleet": Text(
        ("Judges many hosts at once. `report` groups them by identical configuration, and shows what is found on them "
         "and which of them stand out. Each host is a bundle that `advisor facts --bundle` wrote, or a copy of its "
         "files.",),
        (
            Example("advisor fleet report bundles", "All bundles in a folder.", runs=False),
            Example("advisor fleet report web1", "A copy of one host's files."),
        ),
        "A finding is at least as severe as --fail-on.",
    ),
    "diagnose": Text(
        ("Finds the causes of a message, a log, or a question as people post it, the most likely first, each with a "
         "check that confirms it.",),
        (
            Example("advisor diagnose 'mount.nfs: access denied by server while mounting nas:/data'",
                    "From a message to its cause."),
            Example("advisor diagnose post.txt --redact", "Mask addresses and names in the answer."),
        ),
        "No cause could be named.",
        also=("nfs(5)", "mount.nfs(8)"),
    ),
    "probe": Text(
        (
            "Asks an NFS server, without mounting and without privilege, what it would answer a mount: who it is, "
            "which versions and flavours it offers, what it exports to this host, and whether the path can be read and "
            "written. What decides is said first.",
            "Only the server that is named is asked. Sessions and client ids are destroyed at the end, also after a "
            "signal. `--mnt` asks the mount service too: rpc.mountd logs that, and keeps a line in rmtab until UMNT, "
            "which follows. As root the questions come from a port below 1024, as those of a mount do.",
        ),
        (
            Example("advisor probe nas:/srv/x", "May this host mount it, and if not, why?", runs=False),
            Example("advisor probe nas:/srv/x --vers 3 --mnt", "Over NFSv3.", runs=False),
        ),
        "Something would keep a mount from working.",
        also=("rpcinfo(8)", "showmount(8)", "nfs(5)"),
    ),
    "observe": Text(
        ("Reads the kernel's counters of each NFS mount twice, and tells where the time of a call goes, what limits "
         "the work, and which settings would change that.",),
        (
            Example("advisor observe --for 10m --mount /data", "Watch one mount for ten minutes.", runs=False),
            Example("advisor observe --root web1", "Averages since each mount was made, from a copy of a host.",
                    runs=False),
        ),
        also=("nfsstat(8)", "mountstats(8)"),
    ),
    "sweep": Text(
        ("Mounts an export with each combination of options in turn, measures with `fio`, and tells which settings "
         "make a difference. `run` mounts and writes to the server; it continues after an interruption, and `clean` "
         "undoes what a killed sweep left.",),
        (
            Example("advisor sweep plan nas:/data --factor mount.nconnect=1,4,8 -o plan.yaml", "Write a plan.",
                    runs=False),
            Example("advisor sweep run plan.yaml", "Measure.", runs=False),
            Example("advisor sweep show kb:nfs-tuning-blog", "What the figures of a published article show."),
        ),
        also=("fio(1)",),
    ),
    "lint": Text(
        (
            "Checks files of NFS configuration: fstab, exports, autofs maps, sysctl settings, units and more. The kind "
            "of a file follows from its name and content. Findings whose answer depends on the environment need facts: "
            "`--set`, `--facts`, `--from-host`.",
            "A comment on the line before a finding accepts it: `# advisor: ignore[RULE] reason`.",
        ),
        (
            Example("advisor lint", "Check /etc/fstab.", runs=False),
            Example("advisor lint fstab --set client.kernel=6.1", "Tell it what the clients run."),
            Example("advisor lint --diff fstab", "Show what --fix would change."),
            Example("advisor lint - --kind fstab --output-format json", "Check standard input, for a program."),
        ),
        "A finding is at least as severe as --fail-on.",
        (("/etc/fstab", "What is checked where no file is named."),
         ("FILE.advisor~", "The old text of a file that --fix changed.")),
        ("fstab(5)", "nfs(5)", "exports(5)"),
    ),
    "lsp": Text(
        ("A language server: an editor starts it and shows the findings of `advisor lint` while you type. It speaks on "
         "standard input and output, and needs the extra `lsp`.",),
        (Example("advisor lsp --from-host", "Take facts from this host.", runs=False),),
    ),
    "mcp": Text(
        ("A server for assistants, by the Model Context Protocol on standard input and output. It takes texts and "
         "facts, never paths, changes nothing, and needs the extra `mcp`.",),
        (Example("advisor mcp", "An assistant starts it.", runs=False),),
    ),
    "recommend": Text(
        ("Recommends settings for what is known of an environment. A setting is settled if it follows from the known "
         "facts, assumed if it also rests on usual values, and open otherwise; each names its reason. `--write-to` "
         "writes the files to install, and how to undo them.",),
        (
            Example("advisor recommend --set storage.platform=anf --set client.kernel=6.1", "From two facts."),
            Example("advisor recommend --from-host --compare /etc/fstab", "For this host, beside what it has.",
                    runs=False),
        ),
        "With --write-to: a file that you have edited was kept.",
        also=("nfs(5)",),
    ),
    "why": Text(
        ("Shows the argument for the recommended value of one setting: the facts, the rules that won and lost, and "
         "their sources.",),
        (Example("advisor why nconnect --set storage.platform=anf", "Why this number of connections."),),
    ),
    "why-not": Text(
        ("Shows why a setting should not have a value, or that nothing speaks against it.",),
        (Example("advisor why-not soft", "What speaks against soft mounts."),),
    ),
    "what-if": Text(
        ("Lists the changes to the facts that would change the recommended value of one setting.",),
        (Example("advisor what-if nconnect --set storage.platform=anf", "What nconnect depends on."),),
    ),
    "facts": Text(
        ("Shows what this host, or a copy of one, reveals about itself: its kernel, distribution, mounts and more, "
         "each with the place where it was read. Facts of one host can be used on another.",),
        (
            Example("advisor facts --root web1 --output-format yaml", "In the form that --facts reads."),
        ),
    ),
    "explain": Text(
        ("Explains a name: an option, a sysctl, a rule, a check, a claim, a source or a fact. Of an exports file, or "
         "of a line of one, it shows every option in force.",),
        (
            Example("advisor explain nolock", "What an option does, and which rules concern it."),
            Example("advisor explain nconnect/anf", "One rule, with its sources."),
        ),
        also=("nfs(5)", "exports(5)"),
    ),
    "kb": Text(
        ("Shows the knowledge base that the rules rest on: sources with their grade of evidence, the claims taken from "
         "them, and where they disagree.",),
        (
            Example("advisor kb search nconnect", "Claims, sources and settings that contain a word."),
            Example("advisor kb disputes", "Where sources disagree, and what was decided."),
        ),
        "Nothing was found.",
    ),
    "rules": Text(
        ("Lists the rules, verifies them, prints the JSON Schema of their files, and writes templates for your own "
         "rules.",),
        (
            Example("advisor rules list nconnect", "The rules for one setting."),
            Example("advisor rules list --facts", "The facts that rules use."),
            Example("advisor rules test our-rules", "Test your own rules.", runs=False),
        ),
        "The rules have a problem.",
    ),
    "completion": Text(
        ("Prints a script with which a shell completes commands and options.",),
        (Example("advisor completion bash", "The script for bash."),),
    ),
}
