"""The reader takes what the writer writes, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.layout.read import read, read_text
from terse.layout.strict import NotLayout
from terse.payload.exact import dump
from terse.tiers.expand import expand

READS = {
    "pairs": (
        'JSON outline:\nid=7 name=Ann ok=true note="two words" gone=null',
        '{"id":7,"name":"Ann","ok":true,"note":"two words","gone":null}',
    ),
    "types": (
        'JSON outline:\na="1" b=1 c=1.0 d="" e=[] f={} g=007',
        '{"a":"1","b":1,"c":1.0,"d":"","e":[],"f":{},"g":"007"}',
    ),
    "inside": (
        'JSON outline:\na={x=1 y={z=[a b]} "odd key"=[1,"2",{n=null}]}',
        '{"a":{"x":1,"y":{"z":["a","b"]},"odd key":[1,"2",{"n":null}]}}',
    ),
    "block": ("JSON outline:\na:\n b=1 c=2\n d:\n  e=3\nf=4", '{"a":{"b":1,"c":2,"d":{"e":3}},"f":4}'),
    "items": ("JSON outline:\na: 2 items\n -:\n  b=1\n -=7", '{"a":[{"b":1},7]}'),
    "root items": ("JSON outline: 2 items\n-=1\n-:\n a=2", '[1,{"a":2}]'),
    "rows": ('JSON outline: 3 rows of a,b\n1,x y\n,null\n"2",', '[{"a":1,"b":"x y"},{"b":null},{"a":"2"}]'),
    "spaced rows": ('JSON outline: 2 rows of a b\n1 "x y"\n- null', '[{"a":1,"b":"x y"},{"b":null}]'),
    "one row": ("JSON outline:\nr: 1 row of a,b\n1,2", '{"r":[{"a":1,"b":2}]}'),
    "no rows": ("JSON outline:\nr: 0 rows of a,b\nx=1", '{"r":[],"x":1}'),
    "groups": (
        "JSON outline: 4 rows of a,u{n,m}\n1,x,2\n2,,\n3,=null,\n4,,3",
        '[{"a":1,"u":{"n":"x","m":2}},{"a":2},{"a":3,"u":null},{"a":4,"u":{"m":3}}]',
    ),
    "whole rows": ("JSON outline: 2 rows of a,b\n=null,\n1,2", '[null,{"a":1,"b":2}]'),
    "outer whole": ("JSON outline: 2 rows of u{v{a}},b\n==null,1\n===7,", '[{"u":null,"b":1},7]'),
    "child rows": (
        "JSON outline: 3 rows of id,items[]{s,q}\n1,2\n a,1\n b,\n2,0\n3,=null",
        '[{"id":1,"items":[{"s":"a","q":1},{"s":"b"}]},{"id":2,"items":[]},{"id":3,"items":null}]',
    ),
    "child of child": (
        "JSON outline: 2 rows of i[]{j[]{k}},n\n1,5\n 2\n  1\n  2\n,6",
        '[{"i":[{"j":[{"k":1},{"k":2}]}],"n":5},{"n":6}]',
    ),
    "keyed rows": (
        'JSON outline:\nu: 2 rows by key of a,b\nx,1,2\n"y z, w",3,',
        '{"u":{"x":{"a":1,"b":2},"y z, w":{"a":3}}}',
    ),
    "lists": ("JSON outline: 2 lists of #1,#2\n1,a\n2,b", '[[1,"a"],[2,"b"]]'),
    "constants": (
        'JSON outline: 2 rows of a,s=open,t="7",l=[x y],e={}\n1\n2',
        '[{"a":1,"s":"open","t":"7","l":["x","y"],"e":{}},{"a":2,"s":"open","t":"7","l":["x","y"],"e":{}}]',
    ),
    "usual": (
        "JSON outline: 3 rows of a,d?=false\n1,\n2,true\n3,-",
        '[{"a":1,"d":false},{"a":2,"d":true},{"a":3}]',
    ),
    "usual, spaced": (
        "JSON outline: 3 rows of a d?=false\n1 .\n2 true\n3 -",
        '[{"a":1,"d":false},{"a":2,"d":true},{"a":3}]',
    ),
    "text column": (
        "JSON outline: 3 rows of z:text,n\n0123,1\n12,2\nnull,3",
        '[{"z":"0123","n":1},{"z":"12","n":2},{"z":null,"n":3}]',
    ),
    "affixes": (
        'JSON outline: 3 rows of id=tenant-{},n\n7,1\n"",2\nnull,3',
        '[{"id":"tenant-7","n":1},{"id":"tenant-","n":2},{"id":null,"n":3}]',
    ),
    "templates": (
        'JSON outline: 2 rows of n,u{l,url=https://x/{u.l}},f=f"{u.url} {{/sha}} {n}"\n1,a\n2,b',
        '[{"n":1,"u":{"l":"a","url":"https://x/a"},"f":"https://x/a {/sha} 1"},'
        '{"n":2,"u":{"l":"b","url":"https://x/b"},"f":"https://x/b {/sha} 2"}]',
    ),
    "copies": ("JSON outline: 2 rows of a,b={a}\nnull\n[1]", '[{"a":null,"b":null},{"a":[1],"b":[1]}]'),
    "usual template": (
        'JSON outline: 3 rows of a,b?={a}/x\n1,\n2,""\n3,-',
        '[{"a":1,"b":"1/x"},{"a":2,"b":""},{"a":3}]',
    ),
    "key in a template": (
        "JSON outline: 2 rows by key=/v1/{} of id=op{#key}\na\nb",
        '{"/v1/a":{"id":"op/v1/a"},"/v1/b":{"id":"op/v1/b"}}',
    ),
    "keys with a space in common": (
        'JSON outline: 2 rows by key=f"step {}: {{x}}\\"" of a\n1,2\n2,3',
        '{"step 1: {x}\\"":{"a":2},"step 2: {x}\\"":{"a":3}}',
    ),
    "references": (
        'JSON outline: 2 rows of a,b\n*1 = {x=1}\n*2 = [*1]\n*1,"*1"\n*2,*1',
        '[{"a":{"x":1},"b":"*1"},{"a":[{"x":1}],"b":{"x":1}}]',
    ),
    "texts": ('JSON outline:\na: 2 lines\none\n "two"\nb=1', '{"a":"one\\n \\"two\\"","b":1}'),
    "texts in rows": (
        "JSON outline: 2 rows of a,b\n1,(2 lines)\none\ntwo\n2,x",
        '[{"a":1,"b":"one\\ntwo"},{"a":2,"b":"x"}]',
    ),
    "text in the legend": ("JSON outline:\n*1 = (2 lines)\none\ntwo\na=*1", '{"a":"one\\ntwo"}'),
    "kinds": (
        "JSON outline: 4 rows of 2 kinds: A 2B A\nA: 2 rows of t=x,a\n1\n2\nB: 2 rows of b\n3\n4",
        '[{"t":"x","a":1},{"b":3},{"b":4},{"t":"x","a":2}]',
    ),
    "kinds in a block": (
        "JSON outline:\na: 2 rows of 2 kinds: B A\n A: 1 row of x\n1\n B: 1 row of y\n2\nz=3",
        '{"a":[{"y":2},{"x":1}],"z":3}',
    ),
    "embedded": ("JSON outline:\na=json{b=1} c=json_spaced[1,2]", r'{"a":"{\"b\":1}","c":"[1, 2]"}'),
    "embedded table": (
        "JSON outline:\na: json 2 rows of b,c\n1,2\n3,4",
        r'{"a":"[{\"b\":1,\"c\":2},{\"b\":3,\"c\":4}]"}',
    ),
    "key twice": (
        "JSON outline:\na=1 b=2 a=3\nc:\n a=1\n a:\n  a=2\na={b=1 b={b=2 b=3} b=4}",
        '{"a":1,"b":2,"a":3,"c":{"a":1,"a":{"a":2}},"a":{"b":1,"b":{"b":2,"b":3},"b":4}}',
    ),
    "column twice": (
        'JSON outline: 3 rows of a,u{n,n},a,b=f"{a} {u.n}",a=0\n1,2,3,4\n5,6,,\n=null,,,',
        '[{"a":1,"u":{"n":2,"n":3},"a":4,"b":"1 2","a":0},{"a":5,"u":{"n":6},"b":"5 6","a":0},null]',
    ),
    "child column twice": (
        "JSON outline: 1 row of c[]{k},c[]{k}\n1,1\n 1\n 2",
        '[{"c":[{"k":1}],"c":[{"k":2}]}]',
    ),
    "key of a row twice": (
        "JSON outline: 3 rows by key of a\nx,1\nx,2\nx,",
        '{"x":{"a":1},"x":{"a":2},"x":{}}',
    ),
    "string with a key twice": (
        'JSON outline:\na=json{b=1 b=2} f=f"{g} {g}" f=f"{g}" g=x g=y',
        r'{"a":"{\"b\":1,\"b\":2}","f":"x x","f":"x","g":"x","g":"y"}',
    ),
    "not finite": (
        'JSON outline:\na=NaN b="NaN" c=[NaN,-Infinity] d={e=Infinity}\n'
        'r: 2 rows of x,y:text,z?=NaN\nNaN,NaN,\n"NaN",null,-',
        '{"a":NaN,"b":"NaN","c":[NaN,-Infinity],"d":{"e":Infinity},'
        '"r":[{"x":NaN,"y":"NaN","z":NaN},{"x":"NaN","y":null}]}',
    ),
}


@pytest.mark.parametrize(("layout", "text"), READS.values(), ids=READS.keys())
def test_a_layout_reads_as_it_says(layout: str, text: str) -> None:
    """Each form of the specification, and the document it stands for."""
    assert dump(read(layout)) == text


FORMS = {
    "lines": (
        "JSON lines outline (spaced ended): 2 rows of a,b\n1,2\n3,4",
        '{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n',
    ),
    "python": ("Python outline: 1 row of a,b,c\n1,null,it's", "[{'a': 1, 'b': None, 'c': \"it's\"}]"),
    "python numbers": ('Python outline: [NaN,-Infinity,Infinity,1.5,"nan"]', "[nan, -inf, inf, 1.5, 'nan']"),
    "python tuples": (
        "Python outline (tuples ended): 2 lists of #1 #2\na 1.50\nb [2]",
        "[('a', 1.50), ('b', [2])]\n",
    ),
    "python tuples of one": ("Python outline (tuples): [[1],[],{a=[2]}]", "[(1,), (), {'a': [2]}]"),
    "prose": (
        "2 lines, then JSON (indent2), then 1 line:\nFound:\n\nDone.\nJSON outline:\na=1",
        'Found:\n\n{\n  "a": 1\n}\nDone.',
    ),
}


@pytest.mark.parametrize(("layout", "text"), FORMS.values(), ids=FORMS.keys())
def test_a_layout_of_another_text_reads_to_the_byte(layout: str, text: str) -> None:
    """JSON lines, Python's repr, and JSON among prose come back as they were."""
    assert read_text(layout) == text
    with pytest.raises(NotLayout):
        read(layout)


REFUSED = {
    "no mark": "id=1",
    "python key twice": "Python outline:\na=1 a=2",
    "tuples in no list": "Python outline (tuples):\na=1",
    "JSON of tuples": "JSON outline (tuples): [[1]]",
    "JSON lines of tuples": "JSON lines outline (tuples): [[1]]",
    "mark alone": "JSON outline",
    "no space": "JSON outline:x=1",
    "empty block": "JSON outline:\n",
    "line left over": "JSON outline: 1 row of a\n1\n2",
    "too few rows": "JSON outline: 3 rows of a\n1\n2",
    "wrong number": "JSON outline: 1 rows of a\n1",
    "wide row": "JSON outline: 1 row of a,b\n1,2,3",
    "narrow row": "JSON outline: 1 row of a,b\n1",
    "place twice": "JSON outline: 1 list of #1,#1\n1,2",
    "open object": "JSON outline:\na={b=1",
    "open string": 'JSON outline:\na="b',
    "text after a string": 'JSON outline:\na="b"c',
    "needless look-alike": "JSON outline: 1 row of a,b\n1,*1",
    "reference to nothing": "JSON outline:\na=*1",
    "legend out of order": "JSON outline:\n*2 = x\na=*2",
    "reference to itself": "JSON outline:\n*1 = [*1]\na=*1",
    "template of itself": "JSON outline: 1 row of a,b={c},c={b}\n1",
    "template of nothing": "JSON outline: 1 row of a,b={c}x\n1",
    "template of null": "JSON outline: 1 row of a,b={a}x\nnull",
    "template of absent": "JSON outline: 2 rows of a,b,c={a}x\n,1\n1,1",
    "no cells": "JSON outline: 2 rows of a=1",
    "cells beside a whole value": "JSON outline: 1 row of u{a,b}\n=null,1",
    "whole value of no group": "JSON outline: 2 rows of a,b\n1,=2\n1,2",
    "bad count of children": "JSON outline: 1 row of a[]{b}\n01",
    "children not indented": "JSON outline: 1 row of a[]{b}\n1\n1",
    "too few lines of text": "JSON outline:\na: 3 lines\nx",
    "trailing space": "JSON outline: 1 row of a,b\n1,x ",
    "indented too far": "JSON outline:\na:\n  b=1",
    "kind without a table": "JSON outline: 2 rows of 2 kinds: A B\nA: 1 row of x\n1",
    "rows of no kind": "JSON outline: 3 rows of 2 kinds: A B\nA: 1 row of x\n1\nB: 1 row of y\n2",
    "endless kinds": "JSON outline: 999999999 rows of 2 kinds: 999999998A B\nA: 1 row of x",
    "scalar": "JSON outline: 7",
    "no such style": "JSON outline:\na=json_odd{b=1}",
    "words of a style": "JSON lines outline (odd): 1 row of a\n1",
    "depth": "JSON outline:\na=" + "[" * 5000 + "]" * 5000,
    "depth of blocks": "JSON outline:\n" + "\n".join(" " * at + "a:" for at in range(3000)),
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_layout_comes_back_as_it_is(text: str) -> None:
    """One wrong sign, and the text is no form of ours."""
    with pytest.raises(NotLayout):
        read_text(text)
    assert expand(text) == text


LAYOUTS = [layout for layout, _ in [*READS.values(), *FORMS.values()]]


@given(st.sampled_from(LAYOUTS), st.data())
def test_a_damaged_layout_never_crashes_the_reader(layout: str, data: st.DataObject) -> None:
    """Any cut, insertion or swap reads as something or is refused; what is read can be written as JSON."""
    at = data.draw(st.integers(0, len(layout)))
    end = data.draw(st.integers(at, min(len(layout), at + 3)))
    signs = st.text(st.sampled_from(list('abn01,= -.:?*#{}[]()"\\\n~')) | st.characters(), max_size=3)
    damaged = layout[:at] + data.draw(signs) + layout[end:]

    try:
        read_text(damaged)
    except NotLayout:
        assert expand(damaged) == damaged


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but `NotLayout` comes out of the reader, with our mark before the text or without."""
    for candidate in (
        text,
        f"JSON outline:\n{text}",
        f"JSON outline: {text}",
        f"JSON outline: 1 row of a\n{text}",
    ):
        assert isinstance(expand(candidate), str)


def test_a_long_table_reads_the_same_in_pieces() -> None:
    """Thousands of rows, with child rows, come back as they would at once."""
    rows = "\n".join(f"{at},n{at},1\n c{at}" for at in range(5000))
    layout = f"JSON outline:\nbefore=1\nrows: 5000 rows of id,name,items[]{{c}}\n{rows}\nafter=2"

    assert read_text(layout) == dump(read(layout))
