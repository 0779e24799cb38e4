"""A recorded conversation: its messages go the way of those of a real client and a real server."""

from __future__ import annotations

import json
from collections.abc import Iterable

from terse.proxy.session import ProxySession
from terse.proxy.wire import LISTS, Wire


class Recorded:
    """One client and one server of which only calls and results are known. Nothing runs beside anything else.

    Args:
        session: what rewrites results; as many may be made of it as connections began.
        tools: the server's tools, each with whether it has an `outputSchema`.

    Attributes:
        listed: the message with the tools that the client got.
    """

    def __init__(self, session: ProxySession, tools: Iterable[tuple[str, bool]]) -> None:
        self._session = session
        self._wire = Wire(lambda introduction: True)
        self._last = 0
        schema = '{"type":"object"}'
        listed = ",".join(
            f'{{"name":{json.dumps(name)},"inputSchema":{schema}'
            + (f',"outputSchema":{schema}}}' if is_typed else "}")
            for name, is_typed in tools
        )
        self.listed = self._ask(LISTS, "{}", f'{{"tools":[{listed}]}}')

    def call(self, tool: str, arguments: str, result: str) -> bytes:
        """The message that the client gets for a call.

        Args:
            arguments, result: as JSON text.
        """
        return self._ask("tools/call", f'{{"name":{json.dumps(tool)},"arguments":{arguments}}}', result)

    def _ask(self, method: str, params: str, result: str) -> bytes:
        self._last += 1
        head = f'{{"jsonrpc":"2.0","id":{self._last},'
        self._wire.from_client(f'{head}"method":"{method}","params":{params}}}\n'.encode())
        self._wire.read()
        message = f'{head}"result":{result}}}\n'.encode()
        answer = self._wire.from_server(message)
        if answer is None or not answer.touched_by(self._session):
            return message
        sent = answer.rewritten_by(self._session)
        self._session.settle(rewritten=True)
        return sent
