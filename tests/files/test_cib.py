"""cib.xml: resources, groups and their order, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.files.cib import MAX_DEPTH, MAX_ELEMENT, MAX_ORDERED, MAX_SIZE
from advisor.files.kinds import read_settings
from tests.each import each

CIB = """\
<cib>
  <configuration>
    <crm_config>
      <cluster_property_set id="options">
        <nvpair id="o-1" name="stonith-enabled" value="false"/>
      </cluster_property_set>
    </crm_config>
    <resources>
      <group id="nfs">
        <primitive id="server" class="ocf" provider="heartbeat" type="nfsserver">
          <instance_attributes id="s">
            <nvpair id="s-1" name="nfs_server_scope" value="nfs"/>
          </instance_attributes>
          <operations>
            <op id="m" name="monitor" interval="10s">
              <instance_attributes id="op"><nvpair id="n" name="nfs_server_scope" value="b"/></instance_attributes>
            </op>
          </operations>
          <meta_attributes id="x"><nvpair id="x-1" name="target-role" value="Started"/></meta_attributes>
        </primitive>
        <primitive id="a" class="ocf" provider="heartbeat" type="exportfs"/>
        <primitive id="b" class="ocf" provider="heartbeat" type="exportfs"/>
      </group>
      <clone id="c">
        <primitive id="ping" class="ocf" provider="pacemaker" type="ping"/>
      </clone>
    </resources>
  </configuration>
</cib>
"""


def found(text: str) -> dict[tuple[str, str], str]:
    return {(one.section, one.key.text): one.value.text for one in read_settings("cib", text, "cib.xml").settings}


def test_parameters_of_the_resource_count_and_those_of_an_operation_do_not() -> None:
    told = found(CIB)
    assert told["nfsserver", "nfs_server_scope"] == "nfs"
    assert told["property", "stonith-enabled"] == "false"
    assert ("nfsserver", "target-role") not in told


def test_a_value_stands_where_it_is_written() -> None:
    (scope,) = [one for one in read_settings("cib", CIB, "cib.xml").settings if one.key.text == "nfs_server_scope"]
    line, column, end = scope.value.span
    assert CIB.split("\n")[line - 1][column - 1:end - 1] == "nfs"


def test_order_is_told_within_a_group() -> None:
    assert [key for _, key in found(CIB) if "-before-" in key] == ["nfsserver-before-exportfs"]


def test_a_constraint_orders_what_it_names() -> None:
    def told(constraint: str) -> bool:
        more = f'<constraints><rsc_order id="z" first="nfs" then="c"{constraint}/></constraints></configuration>'
        return ("group", "nfsserver-before-pacemaker_ping") in found(CIB.replace("</configuration>", more))

    assert told("")
    assert told(' first-action="promote" kind="Mandatory"')
    assert not any(map(told, (' kind="Optional"', ' score="0"', ' first-action="stop"')))


def test_each_resource_is_a_block_of_its_group() -> None:
    blocks = read_settings("cib", CIB, "cib.xml").blocks
    inside = [(one.heading.text, None if one.inside is None else blocks[one.inside].heading.text) for one in blocks]
    assert inside == [("property", None), ("group", None), ("nfsserver", "group"), ("exportfs", "group"),
                      ("exportfs", "group"), ("group", None), ("pacemaker_ping", "group"), ("resources", None)]


def test_a_document_type_is_refused_and_nothing_is_expanded() -> None:
    text = '<!DOCTYPE cib [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n' + CIB.replace("nfs_server", "&b;")
    file = read_settings("cib", text, "cib.xml")
    assert not file.settings
    assert "document type" in file.bad[0][1]


@pytest.mark.parametrize("encoding", ["utf-7", "utf-16", "latin-1", "none", "idna", ""])
def test_the_text_is_decoded_whatever_the_declaration_says(encoding: str) -> None:
    declared = read_settings("cib", f'<?xml version="1.0" encoding="{encoding}"?>\n{CIB}', "cib.xml")
    assert [one.value.text for one in declared.settings] == [
        one.value.text for one in read_settings("cib", CIB, "cib.xml").settings if encoding
    ]


def test_what_is_cut_off_too_deep_or_too_large_is_said() -> None:
    cut = read_settings("cib", CIB[:CIB.index("</group>")], "cib.xml")
    assert cut.settings
    assert "not well-formed" in cut.bad[0][1]
    assert "too deep" in read_settings("cib", "<cib>" * (MAX_DEPTH + 1), "cib.xml").bad[0][1]
    assert "MiB" in read_settings("cib", " " * (MAX_SIZE + 1), "cib.xml").bad[0][1]


def test_the_order_of_a_group_with_very_many_resources_is_left_out() -> None:
    members = "".join(f'<primitive id="p{n}" class="ocf" type="t{n}"/>' for n in range(MAX_ORDERED + 1))
    told = found(f"<cib><configuration><resources><group id='g'>{members}</group></resources></configuration></cib>")
    assert not [key for _, key in told if "-before-" in key]


def test_an_init_script_of_that_name_is_another_agent() -> None:
    text = CIB.replace('class="ocf" provider="heartbeat" type="nfsserver"', 'class="lsb" type="nfsserver"')
    assert "nfsserver" not in {section for section, _ in found(text)}
    assert ("lsb_nfsserver", "agent") in found(text)


def test_parameters_that_stand_elsewhere_are_not_missing() -> None:
    own = '<instance_attributes id="s">'
    text = CIB.replace(own, f'<instance_attributes id-ref="shared"/>{own}')
    assert ("nfsserver", "agent") not in found(text)


def test_a_value_far_behind_its_element_is_not_looked_for() -> None:
    resource = f'<primitive {" " * MAX_ELEMENT}class="ocf" type="exportfs"/>'
    text = f"<cib><configuration><resources>{resource}</resources></configuration></cib>"
    (agent,) = [one for one in read_settings("cib", text, "cib.xml").settings if one.key.text == "agent"]
    assert agent.value.span.column == text.index("<primitive") + 1


NAMES = ["fs", "export", "address", "drbd", "server"]
PLACED = [
    '<primitive id="fs" class="ocf" provider="heartbeat" type="Filesystem"><instance_attributes id="f">'
    '<nvpair id="f-1" name="directory" value="/srv"/></instance_attributes></primitive>',
    '<primitive id="export" class="ocf" provider="heartbeat" type="exportfs"><instance_attributes id="e">'
    '<nvpair id="e-1" name="directory" value="/srv/data"/></instance_attributes></primitive>',
    *(f'<primitive id="{name}" class="ocf" provider="heartbeat" type="{name}"/>' for name in NAMES[2:]),
]


def tied(constraints: str, resources: str = "".join(PLACED)) -> set[str]:
    """What is missing between the export and its file system."""
    told = found(f"<cib><configuration><resources>{resources}</resources><constraints>{constraints}</constraints>"
                 "</configuration></cib>")
    return {key for section, key in told if section == "exportfs" and key.startswith("may-")}


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(["", "INFINITY", "100", "0",
                                                                                           "-INFINITY"]))))
def test_what_colocations_hold_together(pairs: list[tuple[str, str, str]]) -> None:
    constraints = "".join(f'<rsc_colocation id="c{number}" rsc="{one}" with-rsc="{other}" score="{score}"/>'
                          for number, (one, other, score) in enumerate(pairs))
    near = {"fs"}
    for _ in NAMES:
        near |= {name for one, other, score in pairs if score not in ("0", "-INFINITY") and near & {one, other}
                 for name in (one, other)}
    assert ("may-run-apart" in tied(constraints)) is ("export" not in near)
    assert "may-start-first" in tied(constraints)


@pytest.mark.parametrize(("constraints", "missing"), [
    ("", {"may-run-apart", "may-start-first"}),
    ('<rsc_order id="o" first="fs" then="export"/>', {"may-run-apart"}),
    ('<rsc_order id="o" first="fs" then="server"/><rsc_order id="p" first="server" then="export"/>', {"may-run-apart"}),
    ('<rsc_order id="o" kind="Optional" first="fs" then="export"/>', {"may-run-apart", "may-start-first"}),
    ('<rsc_order id="o"><resource_set id="s"><resource_ref id="fs"/><resource_ref id="export"/></resource_set>'
     "</rsc_order>", {"may-run-apart"}),
    ('<rsc_colocation id="c" rsc="export" with-rsc="a-tag"/>', {"may-start-first"}),
])  # fmt: skip
def test_what_is_missing_between_an_export_and_its_file_system(constraints: str, missing: set[str]) -> None:
    assert tied(constraints) == missing


def test_a_group_holds_together_and_a_clone_is_everywhere() -> None:
    whole = "".join(PLACED)
    assert tied("", f'<group id="g">{whole}</group>') == set()
    assert tied("", f'<clone id="c">{PLACED[0]}</clone>{PLACED[1]}') == set()
    assert tied("", PLACED[1]) == set()


def test_all_properties_are_of_one_block() -> None:
    more = '<nvpair id="o-2" name="no-quorum-policy" value="stop"/></cluster_property_set>'
    file = read_settings("cib", CIB.replace("</cluster_property_set>", more), "cib.xml")
    numbers = {one.key.text: one.block for one in file.settings if one.section == "property"}
    assert list(numbers) == ["stonith-enabled", "no-quorum-policy"]
    (number,) = [at for at, block in enumerate(file.blocks) if block.heading.text == "property"]
    assert set(numbers.values()) == {number}


def test_each_part_of_a_resource_is_placed() -> None:
    def place(key: str) -> tuple[str, str]:
        (setting,) = [one for one in read_settings("cib", CIB, "cib.xml").settings if one.key.text == key]
        return tuple(  # type: ignore[return-value]
            CIB.split("\n")[span.line - 1][span.column - 1:span.end_column - 1]
            for span in (setting.key.span, setting.value.span)
        )

    assert place("nfs_server_scope") == ('<nvpair id="s-1" name="nfs_server_scope" value="nfs', "nfs")
    assert place("stonith-enabled") == ('<nvpair id="o-1" name="stonith-enabled" value="false', "false")


def in_resources(resources: str) -> str:
    return f"<cib><configuration><resources>{resources}</resources></configuration></cib>"


def test_a_value_is_looked_for_within_the_length_of_an_element() -> None:
    written = 'type="exportfs"'
    for length, column in ((MAX_ELEMENT, MAX_ELEMENT + 23), (MAX_ELEMENT + 1, 32)):
        text = in_resources(f"{'<primitive '.ljust(length - len(written))}{written}/>")
        (agent,) = [one for one in read_settings("cib", text, "cib.xml").settings if one.key.text == "agent"]
        end = column + len("exportfs") if column > 32 else len(text) + 1
        assert agent.value.span == (1, column, end)


def test_an_empty_value_is_marked_with_one_character() -> None:
    text = in_resources('<primitive class="ocf" type="a"><instance_attributes>\n<nvpair name="b" value=""/>\n'
                        "</instance_attributes></primitive>")
    (setting,) = [one for one in read_settings("cib", text, "cib.xml").settings if one.key.text == "b"]
    assert (setting.key.span, setting.value.span) == ((2, 1, 26), (2, 25, 26))


def test_limits_are_not_passed_by_what_is_as_long_as_they_are() -> None:
    assert read_settings("cib", "<a>" * MAX_DEPTH + "</a>" * MAX_DEPTH, "cib.xml").bad == ()
    assert read_settings("cib", f"<a>{' ' * (MAX_SIZE - 7)}</a>", "cib.xml").bad == ()
    (_, words), = read_settings("cib", " " * (MAX_SIZE + 1), "cib.xml").bad
    assert words == "the file has more than 8 MiB and is not read"
    members = "".join(f'<primitive id="p{n}" class="ocf" type="t{n}"/>' for n in range(MAX_ORDERED))
    pairs = [key for section, key in found(in_resources(f"<group>{members}</group>")) if "-before-" in key]
    assert len(pairs) == MAX_ORDERED * (MAX_ORDERED - 1) // 2


@pytest.mark.parametrize(("later", "ordered"), [(6, 60), (7, 0)])
def test_a_constraint_of_very_many_pairs_is_left_out(later: int, ordered: int) -> None:
    def group(name: str, count: int) -> str:
        members = "".join(f'<primitive id="{name}{n}" class="ocf" type="{name}{n}"/>' for n in range(count))
        return f'<group id="{name}">{members}</group>'

    constraint = '<constraints><rsc_order first="a" then="b"/></constraints></configuration>'
    text = in_resources(group("a", 10) + group("b", later)).replace("</configuration>", constraint)
    assert len([key for _, key in found(text) if key.startswith("a") and "-before-b" in key]) == ordered


def test_what_cannot_be_read_is_marked_as_a_line() -> None:
    assert [tuple(span) for span, _ in read_settings("cib", "<cib>\n  <a></b>\n</cib>", "cib.xml").bad] == [(2, 1, 10)]
    assert [tuple(span) for span, _ in read_settings("cib", "", "cib.xml").bad] == [(1, 1, 1)]
    assert [tuple(span) for span, _ in read_settings("cib", "<cib>\n", "cib.xml").bad] == [(2, 1, 1)]


def test_what_all_resources_are_together() -> None:
    placed = PLACED[0].replace('"/srv"', '"/srv/a/"') + PLACED[0].replace('"/srv"', '"/"') + PLACED[1]
    file = read_settings("cib", in_resources(placed), "cib.xml")
    told = [one.key.text for one in file.settings if one.section == "resources"]
    assert {(one.key.span, one.value.span) for one in file.settings if one.section == "resources"} == {
        ((1, 1, 2), (1, 1, 2))}
    assert (file.blocks[-1].heading.text, tuple(file.blocks[-1].heading.span)) == ("resources", (1, 1, 2))
    assert told == ["has-Filesystem", "has-exportfs", "mounts", "mounts-srv-a"]


@each(lambda: [
    ("/srv", "/srv", True), ("/srv/", "/srv/a/", True), ("/srv/a", "/srv/ab", False), ("/", "/srv", True),
    ("/srv/a", "/srv", False), ("/srv", "/srv/a /other", True), ("/srv", "", False),
])  # fmt: skip
def test_the_file_system_of_an_export(directory: str, exported: str, apart: bool) -> None:
    resources = PLACED[0].replace('"/srv"', f'"{directory}"') + PLACED[1].replace('"/srv/data"', f'"{exported}"')
    assert tied("", resources) == ({"may-run-apart", "may-start-first"} if apart else set())


@pytest.mark.parametrize(("attributes", "agent"), [
    ('class="ocf" provider="heartbeat" type="a"', "a"), ('class="ocf" type="a.b"', "a_b"),
    ('class="ocf" provider="linbit" type="drbd"', "linbit_drbd"), ('class="systemd" type="a"', "systemd_a"),
    ('class="ocf"', "unknown"),
])  # fmt: skip
def test_the_name_of_an_agent(attributes: str, agent: str) -> None:
    assert (agent, "agent") in found(in_resources(f"<primitive {attributes}/>"))


def test_attributes_deeper_than_those_of_the_resource_do_not_count() -> None:
    inner = "<instance_attributes><nvpair name='{}' value='1'/></instance_attributes>"
    resource = f"<primitive class='ocf' type='a'>{inner.format('b')}<x>{inner.format('c')}</x></primitive>"
    assert {key for section, key in found(in_resources(f"<group>{resource}</group>")) if section == "a"} == {
        "agent", "b"}


def test_a_carriage_return_begins_no_line() -> None:
    (setting,) = (one for one in read_settings("cib", in_resources(
        "<primitive\rid='s'\rclass='ocf' type='a'/>"), "cib.xml").settings if one.key.text == "agent")
    assert setting.key.span.line == 1
