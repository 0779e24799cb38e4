"""A YAML document as the JSON text that it stands for: YAML 1.2, core schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from terse.payload.exact import MAX_DEPTH, JsonValue, Number, dump, is_number

MAX_TEXT = 2_000_000
"""Characters of a YAML file; a larger sample is saved as JSON, which is read a hundred times as fast."""
MAX_EXPANDED = 8_000_000
"""Characters of what aliases may stand for in all: a few lines of YAML can spell terabytes."""

_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("true", "True", "TRUE"))
_FALSE = frozenset(("false", "False", "FALSE"))
_NUMERIC = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+")
"""What the core schema takes for a number."""
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_OLD_BREAK = re.compile("[\x85\u2028\u2029]")
"""Line breaks to the parser, which reads YAML 1.1, and none in 1.2: it would change them or stumble."""
_TAG = "tag:yaml.org,2002:"


class NotYaml(ValueError):  # noqa: N818 — the name says what the text is
    """The text stands for no JSON document. The message is `line N: what is wrong`."""


def to_json(text: str) -> str:
    """The compact JSON text that a YAML document stands for; numbers keep their spelling.

    Dates, `yes` and `no` are texts, keys are always texts, and an alias is what its anchor marks.

    Raises:
        NotYaml: it is no YAML, no list or mapping, more than one document, has a key twice, a number that
            JSON cannot spell, or is too large or too deep.
    """
    import yaml

    if len(text) > MAX_TEXT:
        raise NotYaml(f"line 1: over {MAX_TEXT:,} characters of YAML: save it as JSON")
    if found := _OLD_BREAK.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise NotYaml(
            f"line {line}: U+{ord(found[0]):04X}, which ended lines in YAML 1.1: escape it in quotes"
        )
    loader: Any = getattr(yaml, "CLoader", yaml.Loader)
    try:
        # Events only: no object of any kind is made by the library.
        value = _Builder(yaml).build(iter(yaml.parse(text, Loader=loader)))
        return dump(value)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise NotYaml(f"line {line}: a character that YAML does not allow") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = " ".join(str(error.problem or error.context or "no YAML").split())
        raise NotYaml(f"line {mark.line + 1 if mark else 1}: {said}") from None
    except (yaml.YAMLError, UnicodeError):
        raise NotYaml("line 1: no YAML") from None


class _Open:
    """A list or mapping whose end was not read yet."""

    __slots__ = ("anchor", "key", "size", "value")

    def __init__(self, value: list[JsonValue] | dict[str, JsonValue], anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.key: str | None = None
        self.size = 2
        """Characters of its JSON text, about."""


class _Builder:
    """Puts a document together from the parser's events, without recursion."""

    def __init__(self, yaml: Any) -> None:
        self._yaml = yaml
        self._anchors: dict[str, tuple[JsonValue, int, int] | None] = {}
        """What an anchor marks, its size, and how deep it is; None while it is not complete."""
        self._expanded = 0

    def build(self, events: Iterator[Any]) -> JsonValue:
        yaml = self._yaml
        documents = 0
        made: JsonValue = None
        stack: list[_Open] = []
        depths: list[int] = []
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _wrong(event, "a second document: a sample is one")
            elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                self._check_container(event)
                if len(stack) == MAX_DEPTH:
                    raise _wrong(event, f"nested more than {MAX_DEPTH} deep")
                if stack and isinstance(stack[-1].value, dict) and stack[-1].key is None:
                    raise _wrong(event, "a key that is no text")
                fresh: list[JsonValue] | dict[str, JsonValue]
                fresh = [] if isinstance(event, yaml.SequenceStartEvent) else {}
                if event.anchor:
                    self._anchors[event.anchor] = None
                stack.append(_Open(fresh, event.anchor))
                depths.append(1)
            elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                done, depth = stack.pop(), depths.pop()
                if done.anchor:
                    self._anchors[done.anchor] = (done.value, done.size, depth)
                if stack:
                    depths[-1] = max(depths[-1], depth + 1)
                    self._put(stack[-1], done.value, done.size)
                else:
                    made = done.value
            elif isinstance(event, yaml.AliasEvent):
                value, size, depth = self._alias(event)
                if not stack:
                    raise _wrong(event, "an alias alone")
                if stack[-1].key is None and isinstance(stack[-1].value, dict):
                    if not isinstance(value, str):
                        raise _wrong(event, "a key that is no text")
                    self._key(stack[-1], event, value)
                    continue
                if len(stack) + depth > MAX_DEPTH:
                    raise _wrong(event, f"nested more than {MAX_DEPTH} deep")
                depths[-1] = max(depths[-1], depth + 1)
                self._put(stack[-1], value, size)
            elif isinstance(event, yaml.ScalarEvent):
                if not stack:
                    raise _wrong(event, "nothing but a scalar: a sample is a list or a mapping")
                if isinstance(stack[-1].value, dict) and stack[-1].key is None:
                    if event.value == "<<" and not event.style:
                        raise _wrong(event, "`<<` merges in YAML 1.1 only: write the keys out")
                    key: str = event.value
                    if event.anchor:
                        self._anchors[event.anchor] = (key, len(key) + 3, 0)
                    self._key(stack[-1], event, key)
                    continue
                scalar = _scalar(event)
                size = len(event.value) + 3
                if event.anchor:
                    self._anchors[event.anchor] = (scalar, size, 0)
                self._put(stack[-1], scalar, size)
        if not documents:
            raise NotYaml("line 1: there is no document in it")
        return made

    def _check_container(self, event: Any) -> None:
        kind = "seq" if isinstance(event, self._yaml.SequenceStartEvent) else "map"
        if event.tag not in (None, "!", _TAG + kind):
            raise _wrong(event, f"the tag {_tag(event.tag)}: JSON has no such type")

    def _alias(self, event: Any) -> tuple[JsonValue, int, int]:
        if event.anchor not in self._anchors:
            raise _wrong(event, f"*{event.anchor} has no anchor before it")
        marked = self._anchors[event.anchor]
        if marked is None:
            raise _wrong(event, f"*{event.anchor} stands inside itself")
        self._expanded += marked[1]
        if self._expanded > MAX_EXPANDED:
            raise _wrong(event, f"aliases stand for more than {MAX_EXPANDED:,} characters")
        return marked

    def _key(self, target: _Open, event: Any, key: str) -> None:
        if key in target.value:
            raise _wrong(event, f"the key {key!r} stands here a second time")
        target.key = key
        target.size += len(key) + 3

    def _put(self, target: _Open, value: JsonValue, size: int) -> None:
        target.size += size + 1
        if isinstance(target.value, dict):
            assert target.key is not None, "INVARIANT: a value follows its key"
            target.value[target.key] = value
            target.key = None
        else:
            target.value.append(value)


def _scalar(event: Any) -> JsonValue:
    text: str = event.value
    tag = event.tag
    if tag in ("!", _TAG + "str") or (tag is None and event.style):
        return text
    if tag not in (None, *(_TAG + name for name in ("null", "bool", "int", "float"))):
        raise _wrong(event, f"the tag {_tag(tag)}: JSON has no such type")
    if text in _NULL:
        value: JsonValue = None
    elif text in _TRUE or text in _FALSE:
        value = text in _TRUE
    elif is_number(text):
        value = Number(text)
    elif _NUMERIC.fullmatch(text) or _NO_NUMBER.fullmatch(text):
        raise _wrong(event, f"{text} is a number that JSON cannot spell so: spell it as JSON, or quote it")
    else:
        value = text
    if tag is not None and tag != _TAG + _type_of(value):
        raise _wrong(event, f"{text!r} is not what the tag {_tag(tag)} says")
    return value


def _type_of(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, Number):
        return "int" if value.lstrip("-").isdigit() else "float"
    return "str"


def _tag(tag: str) -> str:
    return f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag


def _wrong(event: Any, what: str) -> NotYaml:
    return NotYaml(f"line {event.start_mark.line + 1}: {what}")
