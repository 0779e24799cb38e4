"""terse: rules in, smaller MCP tool results out. For other programs: `terse.load`, docs/python.md."""

__version__ = "0.1.0"

# Type checkers know the name; importing `typing` for it would delay the start of a proxy's server.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from terse.api import Applied, Call, Policy, Refused, RulesError, Session, load

__all__ = ["Applied", "Call", "Policy", "Refused", "RulesError", "Session", "__version__", "load"]


def __getattr__(name: str) -> object:
    # Each command of terse imports this module: it must not cost what it does not use.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from terse import api

    found: object = getattr(api, name)
    return found
