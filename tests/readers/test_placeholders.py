"""What a template will put there is one piece of the text, whatever stands in it."""

from __future__ import annotations

import pytest

from advisor.readers import autofs, exports
from advisor.readers.fstab import split_options
from advisor.readers.placeholders import masked

FILLED = "{{ opts | default('rw,hard', true) }}"


@pytest.mark.parametrize("blank", [FILLED, "${OPTS:-rw,hard=1}", "$(a b,c=d)", '{{ o|default("a,b") }}', "<% a,b %>"])
def test_a_placeholder_is_one_option(blank: str) -> None:
    items = split_options(f"ro,{blank},timeo={blank},x=1")
    assert [(one.text, one.name) for one in items] == [
        ("ro", "ro"), (blank, blank), (f"timeo={blank}", "timeo"), ("x=1", "x")]
    assert [one.start for one in items] == [0, 3, 4 + len(blank), 11 + 2 * len(blank)]
    assert len(masked(blank)) == len(blank)


def test_what_is_not_closed_separates_as_ever() -> None:
    assert [one.text for one in split_options("ro,{{ a,b")] == ["ro", "{{ a", "b"]
    assert [one.text for one in split_options("=a=b,=c,ro")] == ["=a=b", "=c", "ro"]
    assert [one.name for one in split_options("=a=b,=c,ro")] == ["=a", "=c", "ro"]


def test_an_export_with_placeholders() -> None:
    found = exports.read(f'/a {{{{ net | default("10.0.0.0/8 x") }}}}(rw,{FILLED},sync) $(host b)(ro)\n')
    assert [[part.text for part in one.options.parts] for one in found] == [["rw", FILLED, "sync"], ["ro"]]
    assert found[0].client.text.startswith("{{ net")
    assert [one.bad for one in found] == [None, None]


def test_an_entry_of_a_map_with_placeholders() -> None:
    mount, = autofs.read_mounts(f"a -fstype=nfs4,{FILLED},ro nas:/x\n", "auto.x", "autofs").mounts
    assert [part.text for part in mount.options.parts] == [FILLED, "ro"]
