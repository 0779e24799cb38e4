"""What `terse test` has to tell, whatever the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Line = Literal["rule", "when", "field"]


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that a test expects and that is not so.

    Attributes:
        expected, actual: a few words each: `rule issues`, `rule everything`.
        at: the `expect` line, or the line of what could not be done; `path:line`.
        code: the code of the table it is an instance of, if there is one.
    """

    expected: str
    actual: str
    at: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class Tested:
    """One `test` block, run.

    Attributes:
        title: its sentence.
        at: where it stands.
        failures: empty when it passed.
        explain: the command line that shows why; empty where there is no result to explain.
    """

    title: str
    at: str
    failures: tuple[Failure, ...] = ()
    explain: str = ""

    @property
    def passed(self) -> bool:
        return not self.failures


@dataclass(frozen=True, slots=True)
class Covered:
    """A rule, a `when` line or a field line, and whether a test made it act.

    Attributes:
        rule: the name of the rule it belongs to.
        text: the line in the language's words; of a rule, `rule NAME`.
        gap: why no test covers it; empty when one does.
        follows: the gap follows from another one that is told: the rule never applied.
    """

    line: Line
    rule: str
    at: str
    text: str
    gap: str = ""
    follows: bool = False


@dataclass(frozen=True, slots=True)
class TestRun:
    """All tests of a policy.

    Attributes:
        policy: the paths that were asked for, as given.
        covered: every line that can be covered; None when coverage was not asked for.
        at_least: percent of lines that must be covered; None for any.
    """

    policy: str
    tests: tuple[Tested, ...]
    covered: tuple[Covered, ...] | None = None
    at_least: float | None = None

    @property
    def failed(self) -> tuple[Tested, ...]:
        return tuple(test for test in self.tests if not test.passed)

    @property
    def gaps(self) -> tuple[Covered, ...]:
        return tuple(line for line in self.covered or () if line.gap)

    @property
    def percent(self) -> float:
        """Share of lines that tests cover; 100 where there is none."""
        total = len(self.covered or ())
        return 100.0 * (total - len(self.gaps)) / total if total else 100.0

    @property
    def enough(self) -> bool:
        """Whether the coverage is what was asked for."""
        return self.at_least is None or self.percent >= self.at_least

    @property
    def passed(self) -> bool:
        return not self.failed and self.enough
