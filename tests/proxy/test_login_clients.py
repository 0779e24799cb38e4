"""Logging in as a client that an authorization server knows beforehand: by an id, a key, or a document."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from terse.cli import proxy
from terse.proxy.oauth_client import OAuthClient
from tests.proxy.process import call, started, text_of
from tests.proxy.test_login import World, world
from tests.proxy.test_remote import INIT, INITIALIZED, PROXY, error_of
from tests.proxy.web import free_port

__all__ = ["world"]


def refused(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """What `terse proxy` says of arguments that it ends with."""
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        assert proxy.main(arguments) == 2
    finally:
        signal.signal(signal.SIGINT, interrupt)
    return capfd.readouterr().err


SECRET = "a secret: with a colon"


def test_a_client_that_was_given_an_id_does_not_register(world: World, tmp_path: Path) -> None:
    """It is called back at its port, and shows its secret, which is kept nowhere; refreshes need it, too."""
    port = free_port()
    secret = tmp_path / "secret"
    secret.write_text(SECRET + "\n")
    registered = world.authorization.registered
    registered["given"] = world.authorization.client("given", f"http://127.0.0.1:{port}/callback", SECRET)
    options = ["--client-id", "given", "--client-secret-file", str(secret), "--callback-port", str(port)]
    with world.session(*options) as (client, said):
        world.begin(client)
        world.authorization.expire_all()
        client.send(call(2, "echo", text="still in"))
        assert text_of(client.receive()) == "still in"
        assert "log in at" in said.get()
        assert said.empty()
    (file,) = world.tokens()
    assert SECRET not in file.read_text()
    assert (list(registered), world.authorization.issued) == (["given"], {"login": 1, "refresh": 1})

    with world.session(*options, opens=False) as (client, said):
        world.begin(client)
    with world.session() as (client, said):
        # Another client: what that one has is not its own.
        world.begin(client)
    assert len(registered) == 2
    assert world.authorization.issued["login"] == 2


def test_the_secret_goes_to_no_other_server(world: World) -> None:
    """Wherever the MCP server sends it: what is told is told before anything secret is sent."""
    options = [
        "--client-id",
        "given",
        "--client-secret-env",
        "SECRET",
        "--client-issuer",
        "https://login.example",
    ]
    for more in ([], ["--client-credentials"]):
        with started(
            [*PROXY, *options, *more, world.url], SECRET=SECRET, XDG_STATE_HOME=str(world.state)
        ) as client:
            client.send(INIT)
            assert "the login failed: " in (said := error_of(client.receive()))
            assert SECRET not in said
    assert world.tokens() == []
    assert world.authorization.registered == {}


def test_a_machine_logs_in_by_itself(world: World) -> None:
    """Nobody is asked; a token that expired is changed for another one, by the same way."""
    world.authorization.machines["robot"] = SECRET
    config = {
        "url": world.url,
        "oauth": {"clientId": "robot", "clientSecret": "${SECRET}", "grant": "client_credentials"},
    }
    command = [*PROXY, "--config", json.dumps({"mcpServers": {"guarded": config}})]
    for expected in (2, 2):
        with started(command, SECRET=SECRET, XDG_STATE_HOME=str(world.state)) as client:
            client.send(INIT, INITIALIZED, call(1, "echo", text="in"))
            client.receive()
            assert text_of(client.receive()) == "in"
            if world.authorization.issued["machine"] < expected:
                world.authorization.expire_all()
                client.send(call(2, "echo", text="again"))
                assert text_of(client.receive()) == "again"
            client.close()
            client.wait()
            assert client.errors() == ""
        assert world.authorization.issued == {"login": 0, "refresh": 0, "machine": expected}


@pytest.mark.parametrize(
    "key",
    [
        ec.generate_private_key(ec.SECP256R1()),
        ed25519.Ed25519PrivateKey.generate(),
        rsa.generate_private_key(65537, 2048),
    ],
    ids=["EC", "Ed25519", "RSA"],
)
def test_a_machine_signs_with_its_key(
    key: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey,
    world: World,
    tmp_path: Path,
) -> None:
    """The algorithm is that of the key."""
    pem = serialization.Encoding.PEM
    file = tmp_path / "key.pem"
    file.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    world.authorization.machines["robot"] = public.decode()
    options = ["--client-id", "robot", "--client-credentials", "--client-key-file", str(file)]
    with world.session(*options, "--client-issuer", f"{world.issuer}/", opens=False) as (client, said):
        world.begin(client)
        assert said.empty()


def test_a_key_that_is_none_is_an_error_of_the_request(world: World, tmp_path: Path) -> None:
    """In words, and without the key."""
    file = tmp_path / "key.pem"
    file.write_text("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
    options = ["--client-id", "robot", "--client-credentials", "--client-key-file", str(file)]
    with world.session(*options, opens=False) as (client, _):
        client.send(INIT)
        assert "the client's key is no private key in PEM" in error_of(client.receive())


def test_a_document_is_the_client(world: World) -> None:
    """Where the server takes such ids; nothing is registered."""
    port = free_port()
    document = "https://terse.example/client.json"
    world.authorization.documents[document] = f"http://127.0.0.1:{port}/callback"
    with world.session("--client-metadata-url", document, "--callback-port", str(port)) as (client, _):
        world.begin(client)
    assert world.authorization.registered == {}
    assert {each.client_id for each in world.authorization.access.values()} == {document}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--client-credentials"], "--client-credentials is of no use without --client-id"),
        (["--client-id", "a", "--client-credentials"], "--client-credentials needs --client-secret-file or"),
        (
            ["--client-id", "a", "--client-key-file", "/dev/null"],
            "--client-key-file is for --client-credentials",
        ),
        (["--client-secret-file", "nowhere"], "--client-secret-file: cannot read nowhere: No such file"),
        (["--client-secret-file", "/dev/null"], "--client-secret-file: /dev/null is empty"),
        (
            ["--client-secret-env", "TERSE_NO_SUCH"],
            "--client-secret-env: the environment has no TERSE_NO_SUCH",
        ),
        (
            ["--client-id", "a", "--client-issuer", "x"],
            "--client-issuer is no such URL: write one such as https://",
        ),
        (["--client-metadata-url", "https://a.example"], "--client-metadata-url is no such URL: write one"),
        (
            ["--client-id", "a", "--client-metadata-url", "https://a.example/c"],
            "are two clients: leave out one",
        ),
        (["--callback-port", "x"], "--callback-port 'x': write a port, 1 to 65535"),
        (["--callback-port", "70000"], "--callback-port 70000: write a port, 1 to 65535"),
        (["--client-id", "a", "--no-login"], "--client-id: there is no login: --no-login"),
        (
            ["--client-id", "a", "-H", "Authorization: b"],
            "--client-id: there is no login: an Authorization header",
        ),
    ],
)
def test_a_client_that_makes_no_sense(
    options: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """One line, exit code 2."""
    line = refused([*options, "https://mcp.example/mcp"], capfd)

    assert said in line
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("oauth", "said"),
    [
        ("1", 'oauth: write {"clientId": …}, not a number'),
        ('{"clientId": 1}', "oauth.clientId: write a text, not a number"),
        (
            '{"clientId": "a", "grant": "password"}',
            "oauth.grant: write authorization_code or client_credentials",
        ),
        ('{"clientSecret": "s3cr3t"}', "oauth.clientSecret is of no use without mcpServers.a.oauth.clientId"),
        ('{"callbackPort": "8080"}', "oauth.callbackPort: write a number, not a text"),
        ('{"clientId": "a", "issuer": "login.example"}', "oauth.issuer is no such URL"),
        ('{"clientId": "${TERSE_NO_SUCH}"}', "a: oauth.clientId: the environment has no TERSE_NO_SUCH"),
    ],
)
def test_a_wrong_client_of_a_document(oauth: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Its place, what is wrong, what to write; never the secret."""
    server = f'{{"url": "https://a.example", "oauth": {oauth}}}'
    line = refused(["--config", f'{{"mcpServers": {{"a": {server}}}}}', "a"], capfd)

    assert said in line
    assert "s3cr3t" not in line


def test_a_client_does_not_print_its_secrets() -> None:
    """In a log, a traceback, a message."""
    assert "s3cr3t" not in repr(OAuthClient("a", "s3cr3t", key="s3cr3t"))
