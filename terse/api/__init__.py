"""Rules in other people's programs: results in, results out. docs/python.md."""

from terse.api.applied import Applied
from terse.api.policy import Policy
from terse.api.rules import RulesError, load
from terse.api.session import Session
from terse.payload.call import Call
from terse.proxy.retrieval import Refused

__all__ = ["Applied", "Call", "Policy", "Refused", "RulesError", "Session", "load"]
