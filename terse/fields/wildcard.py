"""`*`, the only wildcard of the language: in names of servers and tools, in arguments, in keys."""

from __future__ import annotations


def matches(glob: str, text: str) -> bool:
    """Whether `glob` matches the whole of `text`: `*` stands for any run of characters, even none.

    Linear in the text for each `*`: every stretch between two stars takes its first place.
    """
    if "*" not in glob:
        return glob == text
    first, *middle, last = glob.split("*")
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    position, end = len(first), len(text) - len(last)
    for stretch in middle:
        found = text.find(stretch, position, end)
        if found < 0:
            return False
        position = found + len(stretch)
    return True
