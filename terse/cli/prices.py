"""The table of prices that `terse stats` is given: a number, a file, or the user's own."""

from __future__ import annotations

import os
from collections.abc import Mapping

from terse.cli.console import fail
from terse.cli.files import read_text, shown
from terse.report.prices import MOST, Prices

OPTION = "--prices"


def place(environment: Mapping[str, str]) -> str:
    """Where a user's own table is: below the configuration folder (XDG)."""
    folder = environment.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, "terse", "prices.toml")


def prices(given: str | None, model: str | None) -> Prices | None:
    """The table; None where there is none.

    Args:
        given: `--prices`: a number, or a file in TOML or JSON. None: the user's own file, if there is one.
        model: `--model`: what every client runs.

    Raises:
        CommandError: it is no price and no table, or has no such model.
    """
    own = place(os.environ)
    if given is None and not os.path.exists(own):
        if model is not None:
            fail(f"--model {shown(model)}: there are no prices: write {shown(own)}, or name --prices FILE")
        return None
    if given is not None and (price := _number(given)) is not None:
        return Prices.flat(price)
    path = own if given is None else given
    where = f"{OPTION} {shown(path)}" if given is not None else shown(path)
    try:
        table = Prices.read(_document(path, read_text(path)))
    except ValueError as error:
        fail(f"{where}: {' '.join(str(error).split())}")
    if model is None:
        return table
    try:
        return table.with_model(model)
    except KeyError:
        fail(f"--model {shown(model)}: {shown(path)} has {', '.join(map(shown, sorted(table.models)))}")


def _document(path: str, text: str) -> object:
    """
    Raises:
        ValueError: it is neither TOML nor JSON.
    """
    import json
    import tomllib

    try:
        return json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError):
        # What a parser says of a file that is none of its own helps nobody.
        raise ValueError("neither a number nor a table in TOML or JSON: docs/stats.md") from None


def _number(given: str) -> float | None:
    try:
        price = float(given)
    except ValueError:
        return None
    return price if 0 <= price <= MOST else None
