"""The files in deploy/: what they start is what `terse serve` takes, and what they ask is what it answers."""

from __future__ import annotations

import copy
import re
import shlex
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from terse.cli import serve
from tests.redis_server import PASSWORD, binary, running
from tests.serve.served import Client, refused, served

ROOT = Path(__file__).parent.parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
KUBERNETES: list[dict[str, Any]] = list(yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text()))
PROBES = ("startupProbe", "livenessProbe", "readinessProbe")


def of_kind(kind: str, name: str) -> dict[str, Any]:
    (found,) = [each for each in KUBERNETES if each["kind"] == kind and each["metadata"]["name"] == name]
    return found


def container(kind: str, name: str) -> dict[str, Any]:
    (found,) = of_kind(kind, name)["spec"]["template"]["spec"]["containers"]
    return found


TERSE = container("Deployment", "terse")
VALKEY = container("StatefulSet", "terse-redis")
ARGUMENTS = {"compose": COMPOSE["services"]["terse"]["command"], "kubernetes": TERSE["args"]}


@pytest.mark.parametrize("version", ["1.28", "1.32", kubernetes_validate.latest_version()])
@pytest.mark.parametrize("one", KUBERNETES, ids=lambda one: f"{one['kind']} {one['metadata']['name']}")
def test_kubernetes_takes_the_manifest(one: dict[str, Any], version: str) -> None:
    """By the published schema of each kind, in which no field is unknown, of an old release and a new one."""
    kubernetes_validate.validate(one, version, strict=True)


def test_a_slip_in_the_manifest_is_found() -> None:
    """A schema that took everything would prove nothing."""
    slip = copy.deepcopy(of_kind("Deployment", "terse"))
    slip["spec"]["template"]["spec"]["containers"][0]["readinessProb"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(slip, "1.32", strict=True)


def test_compose_takes_the_file() -> None:
    """By the Compose specification, in which no field is unknown."""
    compose_spec = pytest.importorskip("compose_spec", reason="there is no wheel of it for this platform")
    text = (ROOT / "deploy" / "compose.yaml").read_text()
    found = compose_spec.PyCompose.from_yaml(text).to_spec()
    assert set(found.services) == {"terse", "redis", "front"}
    for name, slip in (("read_only:", "read_onyl:"), ("service_healthy", "service_helthy")):
        with pytest.raises(ValueError, match=slip.rstrip(":")):
            compose_spec.PyCompose.from_yaml(text.replace(name, slip)).to_spec()


@pytest.mark.parametrize("where", ARGUMENTS)
def test_every_option_is_one_of_the_command(where: str) -> None:
    """And it is listened on the port that is told to others; the password is no argument."""
    given, rest = serve._split(list(ARGUMENTS[where]))
    assert rest[-1:] == ["https://mcp.example.com/mcp"]
    assert all(word.partition("=")[0] in serve.HELP for word in ARGUMENTS[where][:-1])
    assert serve._address(given["--listen"][0]) == ("0.0.0.0", 8000)
    assert re.fullmatch(r"redis://[a-z-]+:6379/0", given["--redis"][0])
    assert given["--token-env"] == ["TERSE_TOKENS"]


@pytest.mark.parametrize("where", ARGUMENTS)
def test_a_replica_starts_with_these_arguments(where: str, tmp_path: Path) -> None:
    """In front of a real server, with the environment that the file gives it, and says that it is ready."""
    (tmp_path / "rules.terse").write_text(of_kind("ConfigMap", "terse-rules")["data"]["rules.terse"])
    token = "token-of-anna-0123456789"
    with running(binary(), tmp_path, "--requirepass", PASSWORD) as redis:
        options = [
            re.sub(r"redis://[^/]+", redis.url.removesuffix("/0"), word).replace("/etc/terse", str(tmp_path))
            for word in ARGUMENTS[where][:-1]
            if not word.startswith("--listen=")
        ]
        environment = {"TERSE_REDIS_PASSWORD": PASSWORD, "TERSE_TOKENS": f"anna {token}"}
        names = (
            {each["name"] for each in TERSE["env"]}
            if where == "kubernetes"
            else set(COMPOSE["services"]["terse"]["environment"])
        )
        assert names == set(environment)
        with served(*options, **environment) as service:
            client = Client(service.url, headers={"Authorization": f"Bearer {token}"}).begin()
            assert client.call("say", text="hello") == "hello"
            paths = {TERSE[probe]["httpGet"]["path"] for probe in PROBES}
            assert paths == {"/healthz", "/readyz"}
            for path in paths:
                assert client.http.get(service.base + path).json() == {"status": "ok", "redis": "ok"}


def test_what_is_named_is_there() -> None:
    """Ports by their names, services by the address that is asked, volumes, secrets, selectors."""
    ports = {each["name"]: each["containerPort"] for each in TERSE["ports"]}
    assert ports == {"http": 8000}
    assert {TERSE[probe]["httpGet"]["port"] for probe in PROBES} == {"http"}
    assert of_kind("Service", "terse")["spec"]["ports"][0]["targetPort"] == "http"
    assert of_kind("Service", "terse-redis")["spec"]["ports"][0]["port"] == 6379
    assert VALKEY["ports"] == [{"name": "redis", "containerPort": 6379}]
    for name, one in (("terse", TERSE), ("terse-redis", VALKEY)):
        kind = "Deployment" if name == "terse" else "StatefulSet"
        spec = of_kind(kind, name)["spec"]
        assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"] == {"app": name}
        assert of_kind("Service", name)["spec"]["selector"] == {"app": name}
        volumes = spec["template"]["spec"].get("volumes", ()), spec.get("volumeClaimTemplates", ())
        known = {each["name"] for each in volumes[0]} | {each["metadata"]["name"] for each in volumes[1]}
        assert {each["name"] for each in one["volumeMounts"]} == known
    assert of_kind("Deployment", "terse")["spec"]["replicas"] >= 2
    budget = of_kind("PodDisruptionBudget", "terse")["spec"]
    assert budget["selector"]["matchLabels"] == {"app": "terse"}
    services = COMPOSE["services"]
    assert services["terse"]["deploy"]["replicas"] >= 2
    assert "redis" in services
    assert "server terse:8000;" in COMPOSE["configs"]["front"]["content"]
    assert "8000/healthz" in services["terse"]["healthcheck"]["test"][-1]


@pytest.mark.parametrize("where", ["compose", "kubernetes"])
def test_the_redis_of_the_files_is_one_that_may_be_used(where: str, tmp_path: Path) -> None:
    """Started with the options that they give it, a replica does not refuse it."""
    script = (COMPOSE["services"]["redis"] if where == "compose" else VALKEY)["command"][-1]
    options = shlex.split(script.replace("$$", "$").replace("$TERSE_REDIS_PASSWORD", PASSWORD))[2:]
    with running(binary(), tmp_path, *options) as server:
        code, said = refused(
            "--redis", server.url, "--max-body", "no size", "x", TERSE_REDIS_PASSWORD=PASSWORD
        )
        assert (code, "--max-body" in said) == (2, True)
        told = server.client(PASSWORD).config_get("maxmemory-policy")
        assert list(told.values()) in ([b"noeviction"], ["noeviction"])


@pytest.mark.parametrize("where", ["compose", "kubernetes"])
def test_answers_have_time_to_be_given(where: str) -> None:
    """The process is given more time to end than it gives to what is under way."""
    given, _ = serve._split(list(ARGUMENTS[where]))
    grace = float(given["--grace"][0])
    if where == "compose":
        allowed = float(COMPOSE["services"]["terse"]["stop_grace_period"].removesuffix("s"))
    else:
        spec = of_kind("Deployment", "terse")["spec"]["template"]["spec"]
        allowed = spec["terminationGracePeriodSeconds"]
        allowed -= float(TERSE["lifecycle"]["preStop"]["exec"]["command"][-1])
    assert allowed > grace + 2
