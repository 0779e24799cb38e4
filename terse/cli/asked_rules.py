"""The rules that the options of a proxy ask for, and where what they set aside is kept.

Everything is imported when it is asked for: the server boots meanwhile, and a fault in what is imported is
one of loading the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from terse.cli.live import LivePolicy
    from terse.cli.policy import FixedPolicy
    from terse.cli.proxy_options import Options
    from terse.memory.store import Store
    from terse.plan.model import Plan
    from terse.proxy.complaints import Complaints
    from terse.proxy.connection import Refused


def as_refused(given: Options, error: BaseException) -> Refused | None:
    """What the failure of loading the rules means where rules were asked for; None: what it says itself."""
    from terse.proxy.complaints import place_of
    from terse.proxy.connection import Refused

    if given.rules is None or isinstance(error, (Refused, KeyboardInterrupt, SystemExit)):
        return None
    # INVARIANT: rules that were asked for hold, or nothing is sent: a guard, a `remove`, a hidden tool.
    fault = f"{type(error).__name__} at {place_of(error)}"
    return Refused(f"the rules could not be loaded: a fault of terse's own ({fault})")


def policy_of(given: Options, complaints: Complaints, *, is_alone: bool = True) -> FixedPolicy | LivePolicy:
    """The rules that hold, and will.

    Args:
        is_alone: there is one server, and rules that name one need its name.

    Raises:
        Refused: they must not run.
    """
    from terse.cli.policy import DoesNotCompile, FixedPolicy, default_plan, load_plan
    from terse.proxy.connection import Refused

    def refusal(plan: Plan) -> str | None:
        from terse.proxy.rules_at_hand import named_server

        named = named_server(plan)
        if named is None or not is_alone or given.server_name is not None:
            return None
        server, place = named
        return f"the rules name the server {server} ({place}): say which one this is, with --server-name NAME"

    made: FixedPolicy | LivePolicy
    try:
        if given.rules is None:
            made = FixedPolicy(default_plan())
        elif not given.watches:
            made = FixedPolicy(load_plan(given.rules))
        else:
            from terse.cli.live import LivePolicy

            made = LivePolicy(given.rules, complaints, refusal)
    except DoesNotCompile as reason:
        raise Refused(str(reason)) from None
    if (why := refusal(made.plan)) is not None:
        raise Refused(why)
    made.start()
    return made


def store_in(path: str) -> Store:
    """Where `--store` keeps what is set aside.

    Raises:
        Refused: what is set aside cannot be kept there.
    """
    from terse.memory.sqlite_store import SqliteStore, Unusable
    from terse.proxy.connection import Refused

    try:
        return SqliteStore(path)
    except Unusable as reason:
        raise Refused(f"--store {path}: {reason}") from None
