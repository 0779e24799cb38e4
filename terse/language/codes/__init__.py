"""The table of codes: every finding terse can have, in order. A code is never used again for another."""

from __future__ import annotations

from terse.diagnostic import Code
from terse.language.codes import chains, fields, files, house, matching, tests, text, tools

CODES: tuple[Code, ...] = (
    *text.CODES,
    *files.CODES,
    *matching.CODES,
    *chains.CODES,
    *fields.CODES,
    *tools.CODES,
    *tests.CODES,
    *house.CODES,
)

BY_CODE: dict[str, Code] = {code.code: code for code in CODES}
BY_NAME: dict[str, Code] = {code.name: code for code in CODES}
