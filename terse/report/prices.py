"""What tokens cost: a table that the user writes, by model. None comes with terse: prices change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MOST = 1e6
"""Of a million tokens; what is more is a slip."""
ANY = "*"


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens of input.

    Attributes:
        cached_input: of those that are read from a cache, as a conversation's earlier turns mostly are; None
            where it is not known.
    """

    input: float
    cached_input: float | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """A table.

    Attributes:
        models: by name.
        clients: the model that a client of this name runs; `*` stands for all others.
        currency: what stands behind amounts; may be empty.
        source: where the prices are from, and of which day; may be empty.
    """

    models: Mapping[str, Price]
    clients: Mapping[str, str] = field(default_factory=dict)
    currency: str = ""
    source: str = ""

    @classmethod
    def flat(cls, price: float) -> Prices:
        """One price, whatever the model."""
        return cls({ANY: Price(price)}, {ANY: ANY})

    @classmethod
    def read(cls, document: object) -> Prices:
        """A table as TOML or JSON has it.

        Raises:
            ValueError: it is none. The message says what to write.
        """
        if not isinstance(document, dict):
            raise ValueError("it is no table: write [models.NAME] with input = PRICE")
        if unknown := sorted(set(document) - {"models", "clients", "currency", "source"}):
            raise ValueError(f"there is no {unknown[0]!r}: write models, clients, currency and source")
        models = document.get("models")
        if not isinstance(models, dict) or not models:
            raise ValueError("it has no models: write [models.NAME] with input = PRICE")
        clients = document.get("clients", {})
        if not isinstance(clients, dict):
            raise ValueError("clients is no table: write CLIENT = MODEL")
        for client, model in clients.items():
            if not isinstance(model, str) or model not in models:
                raise ValueError(f"clients.{client}: there is no model {model!r} in it")
        currency, source = document.get("currency", ""), document.get("source", "")
        if not isinstance(currency, str) or not isinstance(source, str):
            raise ValueError("currency and source are texts")
        return cls({name: _price(name, row) for name, row in models.items()}, clients, currency, source)

    def with_model(self, model: str) -> Prices:
        """As if every client ran this model.

        Raises:
            KeyError: it is not in the table.
        """
        return Prices({model: self.models[model]}, {ANY: model}, self.currency, self.source)

    def of(self, client: str) -> Price | None:
        """The price of what a client of this name reads; None where its model is not known."""
        if not self.clients and len(self.models) == 1:
            return next(iter(self.models.values()))
        model = self.clients.get(client, self.clients.get(ANY))
        return None if model is None else self.models[model]


def _price(name: str, row: object) -> Price:
    if not isinstance(row, dict) or "input" not in row or set(row) - {"input", "cached_input"}:
        raise ValueError(f"models.{name}: write input = PRICE, and cached_input = PRICE where there is one")
    for key, value in row.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MOST:
            raise ValueError(f"models.{name}.{key} is no price of a million tokens: write a number like 3.0")
    return Price(row["input"], row.get("cached_input"))
