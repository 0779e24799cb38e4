"""Counting tokens: exactly, offline, from vocabularies that are part of the package."""

from __future__ import annotations

from terse.tokens.counting import TokenizerError, UnknownVocabulary, Vocabulary, vocabulary

__all__ = ["TokenizerError", "UnknownVocabulary", "Vocabulary", "vocabulary"]
