"""References to what does not exist, names given twice, citations, rows of options that are not taken whole."""

from tests.rulebase.refusals import ABLE, CHECK, CLAIMS, FACTS, MOUNT, NCONNECT, SLOTS, VERS, Case

_FIGURES = "    figures: {connections: 4, seconds: 0.5}\n"

CASES: dict[str, Case] = {
    "unknown fact where a repetition is accepted": (
        MOUNT,
        "    forms: [{spelling: nconnect, takes: value}]",
        '    repeats_when: {‸client.kernell: ">=5.3"}\n    forms: [{spelling: nconnect, takes: value}]',
        ('unknown fact "client.kernell"', "did you mean client.kernel?"),
    ),
    "unknown claim of a kind": (
        "kb/kinds.yaml",
        "",
        "kinds: [{id: sysctl, scope: host, without: {why: Nothing reads it., cites: [‸handbook.slotts]}}]",
        ('unknown claim "handbook.slotts"',),
    ),
    "unknown layout of a host's file": (
        "kb/host-files.yaml",
        "",
        "host_files: [{id: a, title: A file, area: kernel, kind: fstab, at: [/etc/a], only: [‸sosreport]}]",
        ('unknown layout "sosreport"', "kb/layouts.yaml"),
    ),
    "unknown check that another one replaces": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        "host: {found: masked, instead: [‸intr-with-nconect]}",
        ('unknown check "intr-with-nconect"', "did you mean intr-with-nconnect?"),
    ),
    "expression for a part of a line": (
        CHECK,
        "on: {mount.intr: present",
        'on: {fstab.source: ‸"~ (a+)+b", mount.intr: present',
        ("a long text could keep it busy",),
    ),
    "expression that Python means to read in another way": (
        CHECK,
        "on: {mount.intr: present",
        'on: {fstab.source: ‸"~ [[x]", mount.intr: present',
        ("that is not a regular expression: Possible nested set",),
    ),
    "unknown fact": (
        NCONNECT,
        "when: {storage.platform: azure-files,",
        "when: {‸storage.plattform: azure-files,",
        ('unknown fact "storage.plattform"', "did you mean storage.platform?"),
    ),
    "unknown fact in not": (
        NCONNECT,
        "when: {storage.platform: azure-files, ",
        "when: {not: {any: [{‸data.place: here}]}, ",
        ('unknown fact "data.place"', "rules/facts/"),
    ),
    "unknown fact in an example": (
        NCONNECT,
        "{given: {storage.platform: azure-files},",
        "{given: {‸storage.platforms: azure-files},",
        ('unknown fact "storage.platforms"',),
    ),
    "unknown fact in needs": (
        MOUNT,
        "needs: {client.has_nconnect",
        "needs: {‸client.has_nconect",
        ("did you mean client.has_nconnect?",),
    ),
    "unknown tunable": (
        NCONNECT,
        "decision: mount.nconnect",
        "decision: ‸mount.nconect",
        ('unknown tunable "mount.nconect"', "did you mean mount.nconnect?"),
    ),
    "unknown tunable in a check": (
        CHECK,
        "on: {mount.intr: present",
        "on: {‸mount.inter: present",
        ('unknown tunable "mount.inter"', "did you mean mount.intr?"),
    ),
    "unknown tunable among settings that differ": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        'on: {mount.intr: present, mount.nconnect: ">=2"}\ndiffer: [‸mount.inter, mount.nconnect]',
        ('unknown tunable "mount.inter"', "did you mean mount.intr?"),
    ),
    "unknown name between two hosts": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        "sides: {of: mount, on: {‸sides.repply: mounted}}",
        ('"sides.repply"', "did you mean sides.reply?"),
    ),
    "unknown tunable between two hosts": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        "sides: {of: mount, on: {‸mount.inter: present}}",
        ('unknown tunable "mount.inter"', "did you mean mount.intr?"),
    ),
    "settings between two hosts that do not exist": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        "sides: {of: nodes, differ: [‸mount.inter]}",
        ('"mount.inter"', "did you mean mount.intr?"),
    ),
    "unknown tunable in a sum": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        "total: {of: ‸mount.nconect, each: [fstab.host], limit: 359}",
        ('unknown tunable "mount.nconect"', "did you mean mount.nconnect?"),
    ),
    "unknown tunable by which a sum is told apart": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        "total: {of: mount.nconnect, each: [‸fstab.hots], limit: 359}",
        ('unknown tunable "fstab.hots"', "did you mean fstab.host?"),
    ),
    "sum of what is not a number": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        "total: {of: ‸mount.intr, each: [fstab.host], limit: 359}",
        ("mount.intr is of type flag", "name a setting that is a number"),
    ),
    "settings that differ in no line": (
        CHECK,
        'on: {mount.intr: present, mount.nconnect: ">=2"}',
        "total: {of: mount.nconnect, each: [fstab.host], limit: 359}\ndiffer: ‸[mount.intr, mount.nconnect]",
        ("differ without on",),
    ),
    "unknown tunable of a fact": (
        FACTS,
        "setting: {tunable: mount.vers",
        "setting: {tunable: ‸mount.ver",
        ("did you mean mount.vers?",),
    ),
    "unknown layer": (
        NCONNECT,
        "layer: platform",
        "layer: ‸plattform",
        ('unknown layer "plattform"', "did you mean platform?"),
    ),
    "unknown claim": (
        NCONNECT,
        "cites: [handbook.nconnect]",
        "cites: [‸handbook.nconect]",
        ('unknown claim "handbook.nconect"', "did you mean handbook.nconnect?"),
    ),
    "unknown claim in better": (
        CLAIMS,
        "better: [handbook.nconnect]",
        "better: [‸handbook.ten]",
        ('unknown claim "handbook.ten"',),
    ),
    "unknown source": (
        CLAIMS,
        "    source: handbook\n    at: chapter 1",
        "    source: ‸handbok\n    at: chapter 1",
        ('unknown source "handbok"', "kb/sources/handbok.yaml does not exist", "did you mean handbook?"),
    ),
    "unknown rule": (
        NCONNECT,
        "    strength: should",
        "    overrides: [‸nconnect/defualt]\n    strength: should",
        ('unknown rule "nconnect/defualt"', "did you mean nconnect/default?"),
    ),
    "override of itself": (
        NCONNECT,
        "    strength: should",
        "    overrides: [‸nconnect/azure-files]\n    strength: should",
        ("overrides itself",),
    ),
    "duplicate rule id": (
        VERS,
        "id: vers/azure-public",
        "id: ‸nconnect/default",
        ('the id "nconnect/default" for the second time', "first at rules/mount/nconnect.yaml:4:"),
    ),
    "duplicate decision": (
        VERS,
        "decision: mount.vers",
        "decision: ‸mount.nconnect",
        ("first at rules/mount/nconnect.yaml:1:",),
    ),
    "duplicate fact": (ABLE, "id: client.has_nconnect", "id: ‸client.count", ("first at rules/facts/all.yaml:",)),
    "claim of another source": (CLAIMS, "id: handbook.eight", "id: ‸leaflet.eight", ("begins with its source",)),
    "source file name": (
        "kb/sources/guide.yaml",
        "",
        "source: ‸leaflet\ntitle: T\npublisher: P\nlanguage: en\ngrade: manual\n",
        ("rename the file to kb/sources/leaflet.yaml",),
    ),
    "unknown platform": (
        "kb/platforms/azure.yaml",
        "",
        "platform: ‸azure\ntitle: A\nsays: A.\n",
        ("storage.platform has no such value",),
    ),
    "citations all refuted": (
        SLOTS,
        '  - id: slots/v4\n    when: {mount.vers: "4.1"}\n    value: n/a\n    why: The session decides.'
        "\n    cites: [handbook.versions]",
        '  - id: slots/v4\n    when: {mount.vers: "4.1"}\n    value: n/a\n    why: The session decides.'
        "\n    cites: ‸[handbook.eight]",
        ("all refuted", "handbook.eight has the verdict wrong"),
    ),
    "empty citation": (
        NCONNECT,
        "cites: [handbook.nconnect]",
        "cites: ‸[]",
        ("no citation", "nothing is recommended without a source"),
    ),
    "option of a row that no rule takes": (
        CLAIMS,
        _FIGURES,
        _FIGURES + '    row: {mount.nconnect: 4, ‸mount.vers: "3"}\n',
        ('mount.vers is "3" in the row', "no rule that cites it uses it", "or left: {mount.vers: why none does}"),
    ),
    "option of a row that a rule takes otherwise": (
        CLAIMS,
        _FIGURES,
        _FIGURES + "    row: {‸mount.nconnect: 8}\n",
        ("mount.nconnect is the number 8 in the row", "rules that cite it say omit, 4"),
    ),
    "option of a row that is taken and left": (
        CLAIMS,
        _FIGURES,
        _FIGURES + "    row: {mount.nconnect: [8, 4]}\n    left: {‸mount.nconnect: Nobody needs it.}\n",
        ("mount.nconnect is said to be left", "a rule uses it"),
    ),
    "option that is left and in no row": (
        CLAIMS,
        _FIGURES,
        _FIGURES + "    row: {mount.nconnect: 4}\n    left: {‸mount.intr: Nobody needs it.}\n",
        ('"mount.intr" is left', "the row does not have it"),
    ),
    "unknown setting in a row": (
        CLAIMS,
        _FIGURES,
        _FIGURES + "    row: {mount.nconnect: 4, ‸mount.inter: true}\n",
        ('unknown tunable "mount.inter"', "did you mean mount.intr?"),
    ),
}
