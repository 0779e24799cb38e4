"""`fold-tree`: the branches of `tree` as indentation."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import tree
from terse.tiers.folding import Path, text_tier
from terse.tiers.spec import Context, Example

_BRANCHES = ("|--", "+--", "`--")
_BRANCH_WITHIN = 200


def _is_branch(line: str) -> bool:
    head = line[:_BRANCH_WITHIN]
    if head.isascii():
        return "--" in head and any(sign in head for sign in _BRANCHES)
    return "├─" in head or "└─" in head


def _paths(context: Context) -> Sequence[Path]:
    return [(tree.fold,)]


TIER = text_tier(
    name="fold-tree",
    sentence="Writes the branches of a drawn tree as indentation.",
    reads="One space more is one level deeper.",
    fits=lambda seen: seen.share(_is_branch) >= 0.4,
    paths=_paths,
    missing="no tree drawn in one style",
    example=Example(
        before=(
            ".\n"
            "├── docs\n"
            "│   ├── guide.md\n"
            "│   ├── install.md\n"
            "│   └── api\n"
            "│       ├── client.md\n"
            "│       └── server.md\n"
            "├── src\n"
            "│   ├── app.py\n"
            "│   ├── model.py\n"
            "│   └── web\n"
            "│       ├── routes.py\n"
            "│       └── views.py\n"
            "└── tests\n"
            "    ├── test_app.py\n"
            "    └── test_model.py\n"
        ),
        after=(
            "[terse: 16 lines; indentation stands for the branches of a tree (│ ├──)]\n"
            ".\n"
            " docs\n"
            "  guide.md\n"
            "  install.md\n"
            "  api\n"
            "   client.md\n"
            "   server.md\n"
            " src\n"
            "  app.py\n"
            "  model.py\n"
            "  web\n"
            "   routes.py\n"
            "   views.py\n"
            " tests\n"
            "  test_app.py\n"
            "  test_model.py\n"
        ),
    ),
)
