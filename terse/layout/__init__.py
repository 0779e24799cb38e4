"""The layout: one text format for JSON documents, its model, its writer and its strict reader."""
