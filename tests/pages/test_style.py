"""Where there are hyperlinks, and where there are none."""


from advisor.pages.style import Style, has_links, is_address
from tests.each import each


@each(lambda: [
    ({"TERM": "xterm-256color"}, False),
    ({}, False),
    ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, True),
    ({"TERM": "xterm-256color", "VTE_VERSION": "4205"}, False),
    ({"TERM": "xterm-256color", "VTE_VERSION": "soon"}, False),
    ({"TERM": "xterm-256color", "VTE_VERSION": "9" * 5000}, True),
    ({"TERM": "xterm-kitty"}, True),
    ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True),
    ({"TERM": "xterm-256color", "WT_SESSION": "0"}, True),
    ({"TERM": "screen-256color", "VTE_VERSION": "7600"}, False),
    ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, False),
    ({"TERM": "linux", "KONSOLE_VERSION": "220400"}, False),
    ({"TERM": "dumb", "FORCE_HYPERLINK": "1"}, True),
    ({"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, False),
])
def test_only_terminals_known_to_have_hyperlinks(environ, known):
    assert has_links(environ) is known


def test_a_link_needs_colour_and_a_plain_address():
    assert Style(True, True).link("nfs(5)", "https://x.example/a") == "\x1b]8;;https://x.example/a\x1b\\nfs(5)\x1b]8;;\x1b\\"
    assert Style(False, True).link("nfs(5)", "https://x.example/a") == "nfs(5)"
    assert Style(True, False).link("nfs(5)", "https://x.example/a") == "nfs(5)"
    assert Style(True, True).link("nfs(5)", None) == "nfs(5)"


@each(lambda: ["file:///etc/passwd", "javascript:x", "https://x/\x1b\\", "https://x/ y", "https://x/\x07", "https://é", "https://x)y"])
def test_an_address_that_could_end_early_leads_nowhere(text):
    assert not is_address(text)
    assert Style(True, True).link("there", text) == "there"
