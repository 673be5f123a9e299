"""Files that are likely to be read wrongly: fields, separators and oddities thrown together."""

from __future__ import annotations

from hypothesis import strategies as st

_FIELDS = [
    *b"nas:/a /a nfs defaults rw,hard 0 1 -1 +5 0x0 4294967297 -99999999999 99999999999999999999".split(),
    *rb"""rw, , ,, a=b " x="a,b" # #note \040 \011 \012 \134 \043 \000 \777 \08 \\ \ \054 \075 \042 \303\251""".split(),
    *b"autofs noignore,ignore=3 none ' = $x `".split(),
    *(word.encode() for word in ("\u201c", "\u00a0", "\ufeff")),
    b"\xc3",
    b"\xa9",
    b"A" * 50,
]
_BLANKS = [b" ", b" ", b" ", b"\t", b"  ", b" \t ", b"", b"\r", b"\f", b"\v"]
_ENDS = [b"", b"", b"", b" ", b"\r", b" \r", b"\0", b" # note", b"\\", b"B" * 4090]

_piece = st.builds(lambda field, blank: field + blank, st.sampled_from(_FIELDS), st.sampled_from(_BLANKS))
_wild = st.lists(_piece, max_size=9).map(b"".join)
_number = st.sampled_from([b"0", b"0", b"1", b"-1", b"0x", b"0#", b"0\f", b"\f0", b"9" * 20])
_nearly_right = st.builds(
    lambda blanks, extra, number: b"nas:/a" + blanks[0] + b"/a" + extra + blanks[1] + b"nfs rw,hard 0 " + number,
    st.tuples(st.sampled_from(_BLANKS), st.sampled_from(_BLANKS)),
    st.sampled_from([b"", b"", *_FIELDS]),
    _number,
)
lines = st.builds(lambda line, end: line + end, st.one_of(_wild, _nearly_right), st.sampled_from(_ENDS))
files = st.builds(
    lambda parts, end: b"\n".join(parts) + end, st.lists(lines, max_size=8), st.sampled_from([b"\n", b""])
)
