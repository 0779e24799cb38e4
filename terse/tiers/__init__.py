"""The tiers: one file each, and this registry, in the order in which a chain uses them best."""

from __future__ import annotations

from terse.tiers.affixes import TIER as AFFIXES
from terse.tiers.constants import TIER as CONSTANTS
from terse.tiers.dictionary import TIER as DICTIONARY
from terse.tiers.embedded import TIER as EMBEDDED
from terse.tiers.json_lines import TIER as JSON_LINES
from terse.tiers.minify import TIER as MINIFY
from terse.tiers.outline import TIER as OUTLINE
from terse.tiers.prose_json import TIER as PROSE_JSON
from terse.tiers.python_repr import TIER as PYTHON_REPR
from terse.tiers.spec import Tier
from terse.tiers.tabularize import TIER as TABULARIZE
from terse.tiers.templates import TIER as TEMPLATES
from terse.tiers.texts import TIER as TEXTS

TIERS: tuple[Tier, ...] = (
    JSON_LINES,
    PYTHON_REPR,
    PROSE_JSON,
    MINIFY,
    EMBEDDED,
    TABULARIZE,
    OUTLINE,
    CONSTANTS,
    TEMPLATES,
    AFFIXES,
    DICTIONARY,
    TEXTS,
)

BY_NAME: dict[str, Tier] = {tier.name: tier for tier in TIERS}

CHAINS: dict[str, tuple[Tier, ...]] = {"compact": tuple(tier for tier in TIERS if not tier.needs_memory)}
"""The built-in chains by name: `compact` is every step that speaks of one result alone."""
