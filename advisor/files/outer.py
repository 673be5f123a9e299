"""The language of a file that may contain NFS configuration inside other text: a script, a playbook, a recipe. Its name
or its `#!` line tells; only where neither does, the content. What is inside never decides."""

from __future__ import annotations

import re

SHELL, YAML, HCL, RUBY, NIX, PUPPET, DOCKERFILE, GROOVY, CRMSH, LDIF, SECTIONS, DOCUMENT, PROGRAM = (
    "shell", "yaml", "hcl", "ruby", "nix", "puppet", "dockerfile", "groovy", "crmsh", "ldif", "sections", "document",
    "program",
)
"""SECTIONS: headings with keys and values below, as Quadlet and Proxmox VE have them. DOCUMENT: for people, who find
commands and lines of files in it. PROGRAM: any other programming language, in which
nothing is read."""
_SUFFIXES = {
    **dict.fromkeys(("sh", "bash", "dash", "ash", "ksh", "zsh", "bats", "ks", "mk", "command", "run"), SHELL),
    **dict.fromkeys(("yml", "yaml", "sls", "eyaml", "bu"), YAML),
    **dict.fromkeys(("tf", "tfvars", "hcl", "nomad", "tofu", "json"), HCL),
    **dict.fromkeys(("rb", "rake"), RUBY), "nix": NIX, "pp": PUPPET, "groovy": GROOVY, "jenkinsfile": GROOVY,
    **dict.fromkeys(("dockerfile", "containerfile"), DOCKERFILE), "crm": CRMSH, "crmsh": CRMSH, "ldif": LDIF,
    "volume": SECTIONS,
    **dict.fromkeys((
        "py", "pl", "pm", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "rs", "c", "h", "cc", "cpp", "hpp", "java",
        "kt", "scala", "php", "lua", "tcl", "awk", "el", "lisp", "clj", "hs", "ml", "swift", "cs", "r", "jl", "ps1",
        "bat", "cmd", "vim", "css", "scss", "html", "htm", "sql", "fish", "vue", "tex", "m4",
    ), PROGRAM),
    **dict.fromkeys(("md", "markdown", "mdx", "qmd", "rst", "adoc", "asciidoc", "org"), DOCUMENT),
}
"""End of the name → language."""
_NAMES = {
    "vagrantfile": RUBY, "berksfile": RUBY, "gemfile": RUBY, "rakefile": RUBY, "dockerfile": DOCKERFILE,
    "containerfile": DOCKERFILE, "jenkinsfile": GROOVY, "makefile": SHELL, "gnumakefile": SHELL, "justfile": SHELL,
    "crontab": SHELL,
}
"""First part of the name, up to a dot or a dash → language."""
_TEMPLATES = ("j2", "jn2", "jinja", "jinja2", "jinja2.html", "tpl", "tmpl", "tftpl", "tftemplate", "template", "erb",
              "epp", "in", "gotmpl", "orig", "example", "sample", "dist", "bak")
"""Ends of a name behind that of what the template becomes."""
_INTERPRETER = r"#! ?(?:\S*/)?(?:env (?:-\S+ )*)?([A-Za-z]+)"
_INTERPRETERS = {**dict.fromkeys(("sh", "bash", "dash", "ash", "ksh", "zsh", "busybox", "bats"), SHELL), "ruby": RUBY}
_CONTENT = (
    (CRMSH, r"(?:crm\(live\)[^#]*# ?|crm configure |configure )?primitive [\w.-]+ (?:\\|[\w:.-]+)"),
    (DOCKERFILE, r"FROM [\w./:@${}-]+(?: AS \S+)?$"),
    (NIX, r"\{ ?(?:[\w?]+ ?, ?)*(?:\.\.\.|\w+) ?\} ?:(?: |$)"),
    (HCL, r'(?:resource|data|variable|module|provider) "[^"]*"(?: "[^"]*")? ?\{'),
    (RUBY, r"Vagrant\.configure\b|require '[^']*'$|(?:mount|directory|template|execute) ['\"][^'\"]*['\"] do$"),
    (PUPPET, r"(?:class|define|node) (?:\{ ?)?[\w:'.-]+(?: ?\([^)]*\))? ?[{}]$"),
    (SHELL, r"(?:SHELL|MAILTO)=|@reboot |(?:[\d*][\d*/,-]* ){5}\S"),  # a crontab
    (YAML, r"---(?: |$)|#cloud-config\b|\{%-? (?:load|import)_yaml "),
)
"""A language and the form of its first line, comments left out, with single spaces; for names that tell nothing."""
_RESOURCE = r"(?m)^primitive [\w.{} -]+\\?(?:\n[ \t]*)?\b(?:ocf:\w|exportfs\b|Filesystem\b)"
_STORAGE = r"(?m)^nfs: [\w.-]+\n[ \t]+(?:path|server|export|content|options|disable|nodes|shared|prune-backups)[ \t]"
"""The heading of a storage of Proxmox VE, with a key of it."""
_SCRIPTLET = r"(?m)^%(?:pre|post)(?:[ \t][^\n]*)?$|^d-i[ \t]+[\w/-]+[ \t]+(?:string|boolean|(?:multi)?select|note)\b"
"""The heading of a script in a kickstart file, or an answer to the installer of Debian, which may be a command."""
_DATA = r"(?m)^\{%-? ?set \w+ ?= ?(?:salt\[[^]\n]*\]\()?\{$"
"""The heading of data in Jinja, in which Python's notation is like HCL's."""
_MODE = r"-\*- *(?:mode: *)?([\w-]+)|\bvim?:.{0,300}\b(?:ft|filetype)=(\w+)|# *shellcheck shell=(\w+)"
"""What tells an editor the language, in a comment."""
SAMPLE = 1 << 16
"""Characters that are searched for a resource of a cluster or a heading."""
MAX_COMMENTS = 100
"""Lines of comments before the first other line."""


def plain_name(name: str) -> str:
    """The name without the ends that templates and copies have."""
    stem, _, end = name.rpartition(".")
    return plain_name(stem) if stem and "/" not in end and end.lower() in _TEMPLATES else name


def outer_language(text: str, name: str = "") -> str:
    """The language, "" for a file that is not known to contain other text. `name`: the path, "" for none."""
    if text.startswith("#!"):
        interpreter = re.match(_INTERPRETER, " ".join(text[:200].partition("\n")[0].split()))
        return _INTERPRETERS.get(interpreter[1], PROGRAM) if interpreter else PROGRAM
    parts = plain_name(name).rpartition("/")[2].lower().split(".")
    language = _SUFFIXES.get(parts[-1]) if len(parts) > 1 else None
    language = language or _NAMES.get(parts[0].partition("-")[0])
    return language or _by_content(text)


def _by_content(text: str) -> str:
    if re.search(_RESOURCE, text[:SAMPLE]):
        return CRMSH
    if re.search(_STORAGE, text[:SAMPLE]):
        return SECTIONS
    if re.search(_SCRIPTLET, text[:SAMPLE]):
        return SHELL
    if "load_yaml" not in text and re.search(_DATA, text[:SAMPLE]):
        return HCL
    at = 0
    for _ in range(MAX_COMMENTS):
        end = text.find("\n", at)
        words = " ".join(text[at : end if end >= 0 else len(text)][:400].split())
        mode = re.search(_MODE, words) if words[:1] == "#" else None
        if mode:
            language = _SUFFIXES.get((mode[1] or mode[2] or mode[3]).lower().partition("-")[0].replace("shell", "sh"))
            if language:
                return language
        if words and (words[0] not in "#;" or words.startswith("#cloud-config")):
            return next((language for language, form in _CONTENT if re.match(form, words)), "")
        if end < 0:
            break
        at = end + 1
    return ""
