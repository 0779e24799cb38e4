"""A real browser without a window, driven over a pipe with the DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import zlib
from pathlib import Path
from select import select
from time import monotonic
from typing import Any

FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60
"""Until an answer: a loaded machine is slow, a hung browser must not hang the tests."""

_PIPES = 'exec 18<&"$1" 19>&"$2"; exec 3<&18 4>&19 18<&- 19>&-; shift 2; exec "$@"'
"""The protocol is spoken on 3 and 4."""


def executable() -> str | None:
    """Where a Chromium is; None where there is none."""
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Page:
    """One page of a browser of its own."""

    def __init__(self, program: str, profile: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        flags = [*FLAGS]
        if os.geteuid() == 0:
            # Chromium has no sandbox for root.
            flags.append("--no-sandbox")

        self._process = subprocess.Popen(
            [
                *("bash", "-c", _PIPES, "bash", str(to_read), str(to_write)),
                *(program, *flags, f"--user-data-dir={profile}", "about:blank"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(to_read, to_write),
        )
        os.close(to_read)
        os.close(to_write)
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        target = next(
            each for each in self._ask("Target.getTargets")["targetInfos"] if each["type"] == "page"
        )
        found = self._ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = found["sessionId"]
        self._ask("Page.enable")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def open(self, path: Path, fragment: str = "", *, scripts: bool = True) -> None:
        """Show a file, and wait until it is loaded."""
        self._ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self._ask("Page.navigate", url="about:blank")
        self._ask("Page.navigate", url=path.as_uri() + fragment)
        end = monotonic() + SECONDS
        there = f"document.readyState == 'complete' && location.href.startsWith({json.dumps(path.as_uri())})"
        while self.ask(there) is not True:
            assert monotonic() < end, "the page does not load"

    def size(self, width: int, height: int) -> None:
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def scheme(self, name: str) -> None:
        """`light` or `dark`."""
        self._ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def point_at(self, selector: str) -> None:
        """Move the mouse over an element, as a person does."""
        self._mouse("mouseMoved", selector)

    def click(self, selector: str) -> None:
        self._mouse("mouseMoved", selector)
        self._mouse("mousePressed", selector)
        self._mouse("mouseReleased", selector)

    def press(self, key: str) -> None:
        """Press a key such as Tab, Enter or Escape."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self._ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=codes[key],
                **(text if kind == "keyDown" else {}),
            )

    def screenshot(self) -> bytes:
        """What is painted, as PNG."""
        return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])

    def _mouse(self, kind: str, selector: str) -> None:
        box = self.ask(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect();"
            "return [r.x + Math.min(8, r.width / 2), r.y + r.height / 2]; })()"
        )
        pressed = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        self._ask("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], **pressed)

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = monotonic() + SECONDS
        while True:
            found, mark, rest = self._rest.partition(b"\0")
            if not mark:
                assert select([self._from], [], [], max(0.0, end - monotonic()))[0], f"no answer to {method}"
                data = os.read(self._from, 1 << 20)
                assert data, "the browser ended"
                self._rest += data
                continue
            self._rest = rest
            answer = json.loads(found)
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]


def picture(png: bytes) -> tuple[int, int, int]:
    """Width and height of a PNG, and how many different rows are stored: of a blank one, few."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    place, data = 8, b""
    width = height = 0
    while place < len(png):
        length = int.from_bytes(png[place : place + 4], "big")
        kind, body = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
        elif kind == b"IDAT":
            data += body
        place += 12 + length
    stored = zlib.decompress(data)
    row = len(stored) // height
    return width, height, len({stored[start : start + row] for start in range(0, len(stored), row)})
