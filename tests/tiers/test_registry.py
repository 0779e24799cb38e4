"""The registry of tiers is complete, and what a tier says of itself is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import terse.tiers
from terse.payload.payload import Payload
from terse.tiers import BY_NAME, TIERS
from terse.tiers.expand import expand
from terse.tiers.spec import Applied, Context, Draft, Example, State, Tier
from terse.tokens import vocabulary

COUNT = vocabulary().count
FOLDER = Path(terse.tiers.__file__).parent


def test_every_tier_of_the_folder_is_registered() -> None:
    """A file that defines `TIER` is in `TIERS`, under the tier's own name."""
    files = {
        path.stem.replace("_", "-")
        for path in FOLDER.glob("*.py")
        if re.search(r"^TIER\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert files == set(BY_NAME)
    assert len(TIERS) == len(BY_NAME)


@pytest.mark.parametrize("tier", TIERS, ids=lambda tier: tier.name)
def test_a_tier_explains_itself(tier: Tier) -> None:
    """Sentence, way of reading, and at least one example."""
    assert tier.sentence.endswith(".")
    assert tier.reads.endswith(".")
    assert tier.examples or tier.needs_memory


EXAMPLES = [(tier, example) for tier in TIERS for example in tier.examples]


def draft_for(example: Example, tier: Tier) -> Draft:
    """The draft that the tier of an example works on."""
    draft = Draft.of(Payload.of(example.before))
    for name in example.following:
        before = BY_NAME[name].run(draft, defaults(BY_NAME[name]), Context(COUNT))
        assert isinstance(before, Applied)
        draft = before.draft
    return draft


def defaults(tier: Tier) -> dict[str, int | str]:
    return {option.name: option.default for option in tier.options}


@pytest.mark.parametrize(("tier", "example"), EXAMPLES, ids=lambda each: getattr(each, "name", ""))
def test_an_example_says_what_happens(tier: Tier, example: Example) -> None:
    """The tier makes of `before` what `after` says, and it comes back."""
    draft = draft_for(example, tier)
    options = defaults(tier) | dict(example.options or {})

    result = tier.run(draft, options, Context(COUNT))

    assert isinstance(result, Applied), result
    assert result.draft.text == example.after
    back = expand(result.draft.text)
    if draft.state in (State.JSON, State.LAYOUT) and Draft.of(Payload.of(example.before)).state is State.JSON:
        assert Payload.of(back).json == Payload.of(example.before).json
    else:
        assert back == example.before
