"""Servers read from an `mcpServers` document: what is understood, and what is said of the rest."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from terse.proxy.servers import Local, Remote, Unusable, expand_variables, read_servers, shown_url

DOCUMENT = """
{
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": {"TOKEN": "${GITHUB_TOKEN}"},
      "cwd": "${HOME}/work",
      "autoApprove": ["search"]
    },
    "docs": {"type": "http", "url": "https://docs.example/mcp", "headers": {"X-Key": "${KEY:-none}"}},
    "old": {"type": "sse", "url": "http://old.example/sse", "disabled": true}
  }
}
"""
AS_YAML = """
mcpServers:
  github:
    command: npx
    args: [-y, "@modelcontextprotocol/server-github"]
    env: {TOKEN: "${GITHUB_TOKEN}"}
    cwd: ${HOME}/work
  docs:
    type: streamable-http
    url: https://docs.example/mcp
    headers: {X-Key: "${KEY:-none}"}
  old: {type: sse, url: http://old.example/sse, disabled: true}
"""


@pytest.mark.parametrize("text", [DOCUMENT, AS_YAML, DOCUMENT.replace("mcpServers", "servers")])
def test_a_document_of_a_client_is_understood(text: str) -> None:
    """JSON and YAML, processes and URLs; what only some client knows is left alone."""
    servers = read_servers(text)

    assert servers == {
        "github": Local(
            "npx",
            ("-y", "@modelcontextprotocol/server-github"),
            {"TOKEN": "${GITHUB_TOKEN}"},
            "${HOME}/work",
        ),
        "docs": Remote("https://docs.example/mcp", {"X-Key": "${KEY:-none}"}, "http"),
        "old": Remote("http://old.example/sse", {}, "sse", disabled=True),
    }
    assert list(servers) == ["github", "docs", "old"]


def test_variables_are_expanded_for_one_server_at_a_time() -> None:
    """A variable that one server lacks is no trouble to the others."""
    servers = read_servers(DOCUMENT)

    assert servers["docs"].expanded({}) == Remote("https://docs.example/mcp", {"X-Key": "none"}, "http")
    local = servers["github"].expanded({"GITHUB_TOKEN": "t", "HOME": "/home/a"}, "github")
    assert isinstance(local, Local)
    assert local.env == {"TOKEN": "t"}
    assert local.cwd == "/home/a/work"
    with pytest.raises(Unusable, match=r"^github: env\.TOKEN: the environment has no GITHUB_TOKEN$"):
        servers["github"].expanded({"HOME": "/home/a"}, "github")


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("Bearer ${T}", "Bearer secret"),
        ("${env:T}${T}", "secretsecret"),
        ("${EMPTY}", ""),
        ("${EMPTY:-default}", "default"),
        ("${MISSING:-}", ""),
        ("${T:-default}", "secret"),
        ("$T {T} $ {} $$", "$T {T} $ {} $$"),
    ],
)
def test_the_ways_to_write_a_variable(text: str, expanded: str) -> None:
    """As clients have them; what is no variable stays."""
    assert expand_variables(text, {"T": "secret", "EMPTY": ""}) == expanded


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("1", "mcpServers.a: write an object with `command` or `url`, not a number"),
        ("{}", "mcpServers.a: it has neither `command` nor `url`"),
        ('{"command": 1}', "mcpServers.a.command: write a text, not a number: put it in quotes"),
        ('{"command": "x", "url": "http://h"}', "mcpServers.a: it has both `command` and `url`"),
        ('{"command": "x", "args": "-y"}', "mcpServers.a.args: write a list of texts, not a text"),
        ('{"command": "x", "args": ["a", 1]}', "mcpServers.a.args[1]: write a text, not a number"),
        ('{"command": "x", "env": ["A"]}', "mcpServers.a.env: write texts by name, not a list"),
        ('{"command": "x", "env": {"A": true}}', "mcpServers.a.env.A: write a text, not true or false"),
        ('{"command": "x", "env": {"A=B": ""}}', 'mcpServers.a.env: "A=B" is no name of a variable'),
        ('{"command": "x", "type": "http"}', "mcpServers.a.type: a server with a `command` is stdio"),
        ('{"url": "http://h", "type": "stdio"}', "mcpServers.a.type: a server with a `url` is http or sse"),
        ('{"url": "http://h", "type": "ws"}', 'mcpServers.a.type: write stdio, http or sse, not "ws"'),
        ('{"url": "http://h", "disabled": "no"}', "mcpServers.a.disabled: write true or false"),
    ],
)
def test_a_wrong_entry_gets_its_place(entry: str, said: str) -> None:
    """One line that says where, what is wrong, and what to write."""
    with pytest.raises(Unusable) as raised:
        read_servers(f'{{"mcpServers": {{"a": {entry}}}}}')

    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no document in it"),
        ("[]", 'write {"mcpServers": {…}}, not a list'),
        ("{}", 'there is no "mcpServers" at the top'),
        ('{"mcpServers": []}', "mcpServers: write servers by name, not a list"),
        ('{"mcpServers": {}}', "mcpServers: there is no server in it"),
        ('{\n  "mcpServers": {,}}', "line 2, column 18: "),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', '"a" stands twice'),
        ("mcpServers:\n  a: {command: x\n", "line "),
        ("{", "line 1, column 2: "),
        ('{"a":' * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_no_such_document_gets_one_line(text: str, said: str) -> None:
    """Empty, of another kind, broken, too deep."""
    with pytest.raises(Unusable) as raised:
        read_servers(text)

    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://h/x", "begins with https:// or http://"),
        ("https://", "begins with https:// or http://"),
        ("http://[::1", "no URL"),
        ("http://h:99999/", "no URL"),
        ("http://h/a b", "no spaces"),
    ],
)
def test_a_wrong_url_is_refused(url: str, said: str) -> None:
    """Before anything is sent anywhere."""
    with pytest.raises(Unusable, match=said):
        Remote(url).expanded({})


def test_no_message_and_no_repr_has_a_secret_in_it() -> None:
    """Headers and the environment hold tokens; URLs may."""
    secret = "s3cr3t"
    servers = [
        Remote("https://h/", {"Authorization": f"Bearer {secret}\nx"}),
        Remote("https://h/", {"Author ization": secret}),
        Remote("https://h/", {"A": secret + "${input:key}"}),
        Local("x", env={"A": secret + "${MISSING}"}),
    ]
    for server in servers:
        assert secret not in repr(server)
        with pytest.raises(Unusable) as raised:
            server.expanded({})
        assert secret not in str(raised.value)
    assert shown_url(f"https://user:{secret}@h:1/mcp?key={secret}") == "https://h:1/mcp"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ENTRY = st.dictionaries(
    st.sampled_from(["command", "args", "env", "cwd", "url", "type", "headers", "disabled"]), JSON, max_size=4
)


@given(st.dictionaries(st.sampled_from(["mcpServers", "servers"]), JSON | st.dictionaries(st.text(), ENTRY)))
def test_any_document_is_read_or_refused_in_one_line(document: object) -> None:
    """Nothing else is ever raised."""
    with suppress(Unusable):
        for server in read_servers(json.dumps(document)).values():
            server.expanded({})
