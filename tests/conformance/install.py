"""The official suite, its fixture server and its client: pinned, fetched by name, kept below `.cache`."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from pathlib import Path

from tests.servers import install

LEAST_NODE = 22
SDK = "mcp==2.3.0"
"""Its sdist holds the fixture server and the conformance client; both run in an environment of their own."""
STABLE = "0.1.16"
ALPHA = "0.2.0-alpha.12"
"""The first that knows 2026-07-28."""
PACKAGE = "@modelcontextprotocol/conformance"
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Fixture:
    """What the suite is run against.

    Attributes:
        python: the interpreter that has the SDK.
        server_folder: where the fixture server's package lies.
        client: the script of the conformance client.
    """

    python: str
    server_folder: str
    client: str

    def server(self, *, long: bool, port: int | None = None) -> list[str]:
        """The command that starts the server, on stdio if there is no port."""
        transport = "stdio" if port is None else str(port)
        options = ["--long"] if long else []
        # Its own deprecation warnings would fill the screen.
        python = [self.python, "-W", "ignore"]
        return [*python, str(HERE / "fixture.py"), self.server_folder, *options, transport]


def suite(version: str) -> list[str]:
    """The command that starts the suite of a version.

    Raises:
        Unavailable: it cannot be installed.
    """
    folder = install.installed(f"conformance-{version}", f"{PACKAGE}@{version}", build=install.node_package)
    return [install.node(LEAST_NODE)[0], str(folder / "node_modules" / PACKAGE / "dist" / "index.js")]


def fixture() -> Fixture:
    """The fixture server and the client.

    Raises:
        Unavailable: they cannot be installed.
    """
    folder = install.installed("conformance-fixture", SDK, build=_with_sdist)
    (source,) = (folder / "sdist").glob("mcp-*/")
    return Fixture(
        python=str(folder / "bin" / "python"),
        server_folder=str(source / "examples" / "servers" / "everything-server"),
        client=str(source / ".github" / "actions" / "conformance" / "client.py"),
    )


def _with_sdist(folder: Path, packages: tuple[str, ...]) -> None:
    install.python_packages(folder, packages)
    sdist = folder / "sdist"
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    install.run([*pip, "--no-deps", "--no-binary", ":all:", "--dest", str(sdist), *packages])
    (archive,) = sdist.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(sdist, filter="data")
