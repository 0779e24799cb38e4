"""What is taken out of a call before it is written: in any nesting, under any spelling."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.capture.redaction import BadRule, Redactor, Rules

SECRET = "hunter2-XYZZY"
ODD = 'p"a\\s s\nw\\"o r\'d, XYZZY'
"""One that has to be escaped, wherever it stands."""
LOOSE = (
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "a1B2" * 9,
    "sk-proj-" + "a1B2" * 9,
    "xoxb-123456789-abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVP",
    "AIza" + "a1B2_" * 7,
    "glpat-" + "a1B2" * 6,
    "sk_live_" + "a1B2" * 6,
    "npm_" + "a1B2" * 9,
    "hf_" + "a1B2" * 9,
)
NAMES = ("password", "API-Key", "access_token", "clientSecret", "Authorization", "db.passwd", "X-Api-Key")


def redacted(value: Any, rules: Rules | None = None) -> Any:
    """A document, redacted and read again."""
    return json.loads(Redactor(rules or Rules()).document(json.dumps(value)))


def unescaped(text: str) -> str:
    """What a text says to a reader who undoes all escapes, however deep."""
    while (
        read := re.sub(
            r"\\+(?:u([0-9a-fA-F]{4})|(.)?)",
            lambda found: chr(int(found[1], 16)) if found[1] else found[2] or "",
            text,
            flags=re.DOTALL,
        )
    ) != text:
        text = read
    return text


# ---- anywhere, in any spelling ---------------------------------------------------------------------------


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(sign):04x}" for sign in text)


def _spelt(value: Any, escapes: bool) -> str:
    """JSON text; with every character of its strings escaped where asked for."""
    if not escapes:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        return f'"{_escaped(value)}"'
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f'"{_escaped(key)}": {_spelt(each, True)}' for key, each in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(_spelt(each, True) for each in value) + "]"
    return json.dumps(value)


_WORDS = st.text(alphabet="abc \n\"'\\{}[]:,=<>é\u2028-", max_size=12)
_WRAPS: tuple[Callable[[Any, bool, str], Any], ...] = (
    lambda value, escapes, word: {"rows": [1, value], word: word},
    lambda value, escapes, word: [word, {"v": value}],
    lambda value, escapes, word: _spelt(value, escapes),
    lambda value, escapes, word: {"text": _spelt(value, escapes)},
    lambda value, escapes, word: f"{word} \n result: {_spelt(value, escapes)} \n{word}",
    lambda value, escapes, word: f"{_spelt({'n': 1}, False)}\n{_spelt(value, escapes)}\n",
    lambda value, escapes, word: _spelt(value, escapes)[:-1],
)
_NAMES, _SECRETS = st.sampled_from(NAMES), st.sampled_from((SECRET, ODD))
_PLANTED = st.one_of(
    st.builds(lambda name, secret: {"a": 1, name: secret}, _NAMES, _SECRETS),
    st.builds(lambda name, secret: {name: [secret, {"deep": secret}]}, _NAMES, _SECRETS),
    st.builds(lambda name, secret: {"name": name, "value": secret}, _NAMES, _SECRETS),
    st.builds(lambda loose: {"log": f"used {loose} here"}, st.sampled_from(LOOSE)),
    st.builds(lambda loose: {loose: "as a key"}, st.sampled_from(LOOSE)),
)


@given(
    _PLANTED,
    st.lists(st.tuples(st.sampled_from(range(len(_WRAPS))), st.booleans(), _WORDS), max_size=4),
)
def test_no_planted_secret_is_left(planted: Any, wraps: list[tuple[int, bool, str]]) -> None:
    """In JSON within JSON, in parts of documents, behind a prefix, in lines, with any character escaped: the
    secret stands in what is written in no spelling."""
    value = planted
    for which, escapes, word in wraps:
        value = _WRAPS[which](value, escapes, word)

    made = Redactor(Rules()).document(_spelt({"result": value}, False))

    said = unescaped(made)
    json.loads(made)
    assert "XYZZY" not in said
    assert not any(loose in said for loose in LOOSE)


@pytest.mark.parametrize(
    "text",
    [
        f"password={SECRET} user=bob",
        f"PASSWORD: {SECRET}",
        f"db:\n  password: '{SECRET}'\n",
        f"password: |\n  {SECRET}\n  more {SECRET}\nuser: x",
        f"Authorization: Bearer {SECRET}",
        f"curl -H 'Authorization: Bearer {SECRET}' https://x.example",
        f"deploy --token {SECRET} --dry-run",
        f"https://api.example/x?access_token={SECRET}&page=2",
        f"https://bob:{SECRET}@db.example/x",
        f"<user>x</user><password>{SECRET}</password>",
        f"{{'user': 'x', 'password': '{SECRET}'}}",
        f'INFO {{\\"token\\": \\"a\\\\\\"{SECRET}\\"}} sent',
        f"secrets = ['{SECRET}', \"{SECRET}\"]",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET}\n-----END OPENSSH PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n cut off",
        f"Cookie: a=1; session={SECRET}",
        f"export GITHUB_TOKEN={SECRET}",
        f"client_secret => {SECRET}",
    ],
)
def test_a_secret_in_a_plain_text_is_found(text: str) -> None:
    """Beside its name, as logs, settings and commands write that; in a URL; as a key file."""
    redactor = Redactor(Rules())

    assert SECRET not in redactor.text(text)
    assert SECRET not in redactor.document(json.dumps({"content": [{"type": "text", "text": text}]}))


# ---- what is left ----------------------------------------------------------------------------------------


def test_all_else_stays_as_it_was_spelt() -> None:
    """Number text, escapes, order, keys that stand twice and spaces: what is measured is what came."""
    text = '{ "a" : 1.10, "a":1E400,"b":"\\u00e9\\/ok","c":[true,null,-0], "d":"{\\"x\\": 3.10}" }'

    assert Redactor(Rules()).document(text) == text


def test_kinds_stay_what_they_are() -> None:
    """A string stays a string, a number a number of as many digits; true, false and null say nothing."""
    made = redacted({"password": "x", "token": 12345678, "secret": -1.5e3, "cookie": [True, None, ""]})

    assert re.fullmatch(r"\[redacted:[0-9a-f]{12}\]", made["password"])
    assert len(str(made["token"])) == 8
    assert made["token"] != 12345678
    assert isinstance(made["secret"], float)
    assert made["cookie"] == [True, None, ""]


def test_the_same_value_has_the_same_stand_in_in_one_session_alone() -> None:
    """So repeats stay repeats; but nobody can find a value out by trying what would give its stand-in."""
    text = json.dumps({"token": SECRET, "again": {"password": SECRET}, "other": {"password": "else"}})
    one, two = Redactor(Rules()), Redactor(Rules())

    first = json.loads(one.document(text))
    assert first["token"] == first["again"]["password"] != first["other"]["password"]
    assert one.document(text) == json.dumps(first)
    assert two.document(text) != one.document(text)


def test_a_blob_is_its_size() -> None:
    """Images, sound and binary resources are kept as how large they were."""
    made = redacted(
        [
            {"type": "image", "data": "AAAA" * 100, "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "x", "blob": "AAAA" * 100}},
            {"type": "text", "text": "fine", "data": "short"},
        ]
    )

    assert made[0]["data"] == "[300 bytes]"
    assert made[1]["resource"]["blob"] == "[300 bytes]"
    assert made[2] == {"type": "text", "text": "fine", "data": "short"}


# ---- the user's own rules --------------------------------------------------------------------------------


def test_own_names_and_patterns() -> None:
    """A glob for names of members; a regex for a part of any text, key or number."""
    rules = Rules(names=("*phone",), patterns=(r"cust-\d+", r"\b\d{16}\b"))
    made = redacted(
        {"Home-Phone": "555", "note": "of cust-123, and cust-45.", "card": 4111111111111111, "cust-9": 1},
        rules,
    )

    assert made["Home-Phone"].startswith("[redacted:")
    assert re.fullmatch(r"of \[redacted:\w+\], and \[redacted:\w+\]\.", made["note"])
    assert made["card"] != 4111111111111111
    assert not any(key.startswith("cust-9") for key in made)


def test_rules_from_a_file() -> None:
    """A line each, with comments; a bad one is named."""
    rules = Rules().with_file("# ours\nname *iban*\n\ntext cust-\\d+\n")

    assert (rules.names[-1], rules.patterns) == ("*iban*", ("cust-\\d+",))
    with pytest.raises(BadRule, match=r"line 2: write `name GLOB` or `text PATTERN`"):
        Rules().with_file("name x\nnames y\n")


@pytest.mark.parametrize(
    ("names", "patterns", "said"),
    [
        (("*",), (), "every name"),
        (("_-",), (), "every name"),
        ((), ("(",), "pattern '\\('"),
        ((), ("a*",), "found in every text"),
        ((), (r"(a)\1",), "back-reference"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(
    names: tuple[str, ...], patterns: tuple[str, ...], said: str
) -> None:
    """Before anything is captured: which rule, and why."""
    with pytest.raises(BadRule, match=said):
        Rules(names, patterns)


# ---- payloads made to hurt -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unit",
    [
        "eyJ",
        "password=",
        'token: "',
        "\\",
        "\\u0041",
        "://a:",
        "a-",
        "-----BEGIN PRIVATE KEY-----",
        "sk-",
        "'",
    ],
)
def test_no_text_takes_quadratic_time(unit: str) -> None:
    """Twice the text takes about twice the steps: a payload cannot keep the writer busy."""
    from time import thread_time

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = thread_time()
        Redactor(Rules()).text(text)
        return thread_time() - start

    seconds(1000)
    short, long = min(seconds(20_000) for _ in range(3)), seconds(160_000)
    assert long < 40 * short + 0.05


def test_deep_documents_are_read() -> None:
    """As deep as a reader goes; deeper is an error, and the line is dropped."""
    text = "[" * 900 + json.dumps({"password": SECRET}) + "]" * 900

    assert SECRET not in Redactor(Rules()).document(text)
    assert SECRET not in Redactor(Rules()).text("[" * 100_000 + json.dumps({"password": SECRET}))
