"""What NFS-Ganesha makes of a path that a client asks for."""

from __future__ import annotations

import pytest

from advisor.files.ganesha import GaneshaExports, GaneshaLookup, ganesha_exports, is_client
from advisor.files.kinds import read_settings
from advisor.files.source import HostsFile, parse_address
from advisor.rulebase.base import load
from tests.each import each

TWO = (
    "EXPORT { Export_Id = 1; Path = /srv; Pseudo = /data; Access_Type = RW; }\n"
    "EXPORT { Export_Id = 2; Path = /home; Pseudo = /deep/home; Protocols = 4; Access_Type = RO; SecType = krb5; }\n"
    "EXPORT { Export_Id = 3; Path = /shut; Pseudo = /shut; Access_Type = MDONLY; }\n"
)


def exports(text: str) -> GaneshaExports | None:
    return ganesha_exports(load(), read_settings("ganesha.conf", text, "/etc/ganesha/ganesha.conf"))


def answers(text: str, asked: str, clients: tuple[str, ...] = ("*",)) -> list[str]:
    """The replies to NFSv3 and to NFSv4."""
    made = exports(text)
    assert made is not None
    lookup = GaneshaLookup(made, lambda export: export.client in clients)
    (v4,) = lookup.v4(asked)
    return [f"{reply.how} {reply.other_path}".strip() for reply in (lookup.v3(asked), v4)]


@each(lambda: [
    ("/srv", "mounted", "ganesha-path-v4 /data"),
    ("/srv/a", "mounted", "ganesha-path-v4 /data/a"),
    ("/data", "ganesha-path-v3 /srv", "mounted"),
    ("/data//a/", "ganesha-path-v3 /srv/a", "mounted"),
    ("/", "ganesha-not-exported", "pseudo"),
    ("/deep", "ganesha-not-exported", "pseudo"),
    ("/deep/home", "ganesha-version", "mounted"),
    ("/home/a", "ganesha-version", "ganesha-path-v4 /deep/home/a"),
    ("/shut", "ganesha-refused", "ganesha-refused"),
    ("/none", "ganesha-not-exported", "ganesha-not-exported"),
])  # fmt: skip
def test_v3_asks_for_the_path_and_v4_for_the_pseudo_path(asked: str, v3: str, v4: str) -> None:
    assert answers(TWO, asked) == [v3, v4]


def test_v3_may_ask_for_the_pseudo_path_too() -> None:
    text = f"NFS_CORE_PARAM {{ Mount_Path_Pseudo = true; }}\n{TWO}"
    assert answers(text, "/data") == ["mounted", "mounted"]


@pytest.mark.parametrize(("text", "how"), [
    ("NFS_CORE_PARAM { Protocols = 4; }\n", ["ganesha-version", "mounted"]),
    ("NFS_CORE_PARAM { NFS_Protocols = 3; }\n", ["mounted", "ganesha-version"]),
    ("EXPORT_DEFAULTS { Protocols = NFSv4; }\n", ["ganesha-version", "mounted"]),
])  # fmt: skip
def test_versions_of_the_server_and_by_default(text: str, how: list[str]) -> None:
    assert answers(f"{text}EXPORT {{ Path = /srv; Pseudo = /srv; Access_Type = RW; }}\n", "/srv") == how


def rights(text: str, client: str) -> list[tuple[str, str, bool]]:
    """What each export of the version 4 says to a client: its name there, the first flavour, whether it may write."""
    made = exports(text)
    assert made is not None
    return [
        (entry.exported.client, flavour, own["exports.rw"] is True)
        for entries in made.by_version["4"].values() for entry in entries if entry.exported.client in (client, "*")
        for flavour, own in list(entry.exported.flavours.items())[:1]
    ]


@pytest.mark.parametrize(("own", "defaults", "told"), [
    ("Access_Type = RW;", "", [("*", "none", True)]),
    ("Access_Type = RW; CLIENT { Clients = 10.0.0.5; Access_Type = RO; }", "",
     [("10.0.0.5", "none", False), ("*", "none", True)]),
    ("SecType = sys; CLIENT { Clients = 10.0.0.9, 10.0.0.5; }", "Access_Type = RW;",
     [("10.0.0.5", "sys", True), ("*", "sys", True)]),
    ("Access_Type = RW;", "CLIENT { Clients = 10.0.0.5; SecType = krb5; }", [("10.0.0.5", "krb5", True),
                                                                             ("*", "none", True)]),
    # with a CLIENT block of its own an export has none of the defaults
    ("Access_Type = RW; CLIENT { Clients = 10.0.0.9; }", "CLIENT { Clients = 10.0.0.5; SecType = krb5; }",
     [("*", "none", True)]),
    ("", "", [("*", "none", False)]),
])  # fmt: skip
def test_the_innermost_block_that_says_something_counts(
    own: str, defaults: str, told: list[tuple[str, str, bool]]
) -> None:
    text = f"EXPORT_DEFAULTS {{ {defaults} }}\nEXPORT {{ Path = /srv; Pseudo = /srv; {own} }}\n"
    assert rights(text, "10.0.0.5") == told


def test_the_first_block_with_the_client_decides() -> None:
    text = "EXPORT { Path = /srv; Pseudo = /srv; Access_Type = RW; CLIENT { Clients = web; Access_Type = None; } }\n"
    assert answers(text, "/srv", ("web", "*")) == ["ganesha-refused", "ganesha-refused"]
    assert answers(text, "/srv") == ["mounted", "mounted"]


@pytest.mark.parametrize("text", [
    f'%include "more.conf"\n{TWO}', f"{TWO}EXPORT {{", f"{TWO}EXPORT {{ Path = {{{{ path }}}}; }}\n",
])
def test_what_is_not_known_as_a_whole_is_not_known(text: str) -> None:
    assert exports(TWO) is not None
    assert exports(text) is None


@each(lambda: [
    ("0.0.0.0/0", "10.0.0.5", True), ("::/0", "fd00::5", True), ("::/0", "10.0.0.5", False), ("0.0.0.0/0", None, None),
    ("10.0.0.0/8", "10.0.0.5", True), ("10.0.0.5", "10.0.0.6", False), ("@farm", "10.0.0.5", None),
])  # fmt: skip
def test_a_prefix_of_0_is_every_host(client: str, address: str | None, admitted: bool | None) -> None:
    """mountd makes something else of it."""
    assert is_client(client, parse_address(address) if address else None, HostsFile("")) is admitted
