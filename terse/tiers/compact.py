"""The text folds of the built-in chain `compact`, in the order in which it runs them."""

from __future__ import annotations

from terse.tiers import (
    fold_blame,
    fold_blocks,
    fold_columns,
    fold_csv,
    fold_findings,
    fold_history,
    fold_hits,
    fold_lines,
    fold_links,
    fold_lists,
    fold_log,
    fold_metrics,
    fold_paths,
    fold_repeats,
    fold_snapshot,
    fold_tables,
    fold_tests,
    fold_tree,
)
from terse.tiers.spec import Tier

TEXT_TIERS: tuple[Tier, ...] = (
    fold_repeats.TIER,
    fold_tree.TIER,
    fold_blame.TIER,
    fold_history.TIER,
    fold_metrics.TIER,
    fold_tables.TIER,
    fold_snapshot.TIER,
    fold_findings.TIER,
    fold_hits.TIER,
    fold_tests.TIER,
    fold_csv.TIER,
    fold_lists.TIER,
    fold_log.TIER,
    fold_paths.TIER,
    fold_columns.TIER,
    fold_links.TIER,
    fold_blocks.TIER,
    fold_lines.TIER,
)
"""Folds for one kind of text come before the folds for any: what a program wrote is told best by its own shape."""
