"""The tiers: one file each, and this registry, in the order in which a chain uses them best."""

from __future__ import annotations

from terse.tiers.affixes import TIER as AFFIXES
from terse.tiers.constants import TIER as CONSTANTS
from terse.tiers.dedup import TIER as DEDUP
from terse.tiers.dictionary import TIER as DICTIONARY
from terse.tiers.diff import TIER as DIFF
from terse.tiers.embedded import TIER as EMBEDDED
from terse.tiers.fold_blame import TIER as FOLD_BLAME
from terse.tiers.fold_blocks import TIER as FOLD_BLOCKS
from terse.tiers.fold_columns import TIER as FOLD_COLUMNS
from terse.tiers.fold_csv import TIER as FOLD_CSV
from terse.tiers.fold_findings import TIER as FOLD_FINDINGS
from terse.tiers.fold_history import TIER as FOLD_HISTORY
from terse.tiers.fold_hits import TIER as FOLD_HITS
from terse.tiers.fold_lines import TIER as FOLD_LINES
from terse.tiers.fold_links import TIER as FOLD_LINKS
from terse.tiers.fold_lists import TIER as FOLD_LISTS
from terse.tiers.fold_log import TIER as FOLD_LOG
from terse.tiers.fold_metrics import TIER as FOLD_METRICS
from terse.tiers.fold_paths import TIER as FOLD_PATHS
from terse.tiers.fold_repeats import TIER as FOLD_REPEATS
from terse.tiers.fold_snapshot import TIER as FOLD_SNAPSHOT
from terse.tiers.fold_tables import TIER as FOLD_TABLES
from terse.tiers.fold_tests import TIER as FOLD_TESTS
from terse.tiers.fold_tree import TIER as FOLD_TREE
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
    # Folds for one kind of text come before the folds for any: its own shape tells it best.
    FOLD_REPEATS,
    FOLD_TREE,
    FOLD_BLAME,
    FOLD_HISTORY,
    FOLD_METRICS,
    FOLD_SNAPSHOT,
    FOLD_FINDINGS,
    FOLD_HITS,
    FOLD_TESTS,
    FOLD_CSV,
    FOLD_LISTS,
    FOLD_LOG,
    FOLD_PATHS,
    FOLD_COLUMNS,
    FOLD_TABLES,
    FOLD_LINKS,
    FOLD_BLOCKS,
    FOLD_LINES,
    DEDUP,
    DIFF,
)

BY_NAME: dict[str, Tier] = {tier.name: tier for tier in TIERS}

CHAINS: dict[str, tuple[Tier, ...]] = {"compact": tuple(tier for tier in TIERS if not tier.needs_memory)}
"""The built-in chains by name: `compact` is every step that speaks of one result alone."""
