"""`fold-tree`: the branches of `tree` as indentation."""

from __future__ import annotations

from collections.abc import Sequence

from terse.folds import tree
from terse.tiers.folding import Path, share, text_tier
from terse.tiers.spec import Context, Example

_BRANCHES = ("├─", "└─", "|--", "+--", "`--")


def _paths(context: Context) -> Sequence[Path]:
    return [(tree.fold,)]


TIER = text_tier(
    name="fold-tree",
    sentence="Writes the branches of a drawn tree as indentation.",
    reads="One space more is one level deeper.",
    fits=lambda lines: share(lines, lambda line: any(sign in line for sign in _BRANCHES)) >= 0.4,
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
