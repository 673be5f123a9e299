"""A source's row of options that is not taken whole."""

from tests.rulebase.refusals import CLAIMS, Case

_FIGURES = "    figures: {connections: 4, seconds: 0.5}\n"

CASES: dict[str, Case] = {
    "option of a row that no rule takes": (
        CLAIMS,
        _FIGURES,
        _FIGURES + '    row: {mount.nconnect: 4, ‸mount.vers: "3"}\n',
        ('mount.vers is "3" in the row', "no rule that cites it takes it", "under left"),
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
        ("mount.nconnect is said to be left", "a rule takes it"),
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
