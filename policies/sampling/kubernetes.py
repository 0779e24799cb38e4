"""mcp-server-kubernetes: its short lists, kubectl's whole objects, and kubectl's texts."""

from __future__ import annotations

from collections.abc import Iterator

from sampling.facts import Facts, Module, Sample, number_of, pick, pretty, sha_of

STATES = ("Running", "Running", "Running", "Running", "Running", "CrashLoopBackOff", "Pending")


def samples(facts: Facts) -> Iterator[Sample]:
    pods = [_pod_name(module) for module in facts.modules]
    items = [
        {
            "name": name,
            "namespace": module.room,
            "kind": "Pod",
            "status": pick(name, STATES),
            "createdAt": f"2026-11-{1 + number_of(name) % 28:02}T06:12:44Z",
        }
        for name, module in zip(pods, facts.modules, strict=True)
    ]
    yield "kubernetes/kubectl_get/pods.json", pretty({"items": items})
    yield "kubernetes/kubectl_get/events.json", pretty({"events": list(_events(facts.modules[:45]))})
    yield "kubernetes/kubectl_get/pod.json", pretty(_pod(facts.modules[0]))
    yield "kubernetes/kubectl_get/wide.txt", _wide(facts.modules)
    yield "kubernetes/kubectl_describe/pod.txt", _described(facts.modules[0])


def _pod_name(module: Module) -> str:
    name = module.path.rsplit("/", 1)[1].removesuffix(".py").replace("_", "-").strip("-")
    return f"{module.room}-{name}-{sha_of(module.path)[:9]}-{sha_of(module.sentence)[:5]}"


def _events(modules: tuple[Module, ...]) -> Iterator[dict[str, object]]:
    for module in modules:
        name = _pod_name(module)
        for reason, kind, message in (
            (
                "Scheduled",
                "Normal",
                f"Successfully assigned {module.room}/{name} to node-{number_of(name) % 3}",
            ),
            ("Pulled", "Normal", "Container image already present on machine"),
            ("BackOff", "Warning", f"Back-off restarting failed container app in pod {name}"),
        ):
            yield {
                "type": kind,
                "reason": reason,
                "message": message,
                "involvedObject": {"kind": "Pod", "name": name, "namespace": module.room},
                "firstTimestamp": "2026-11-20T06:12:44Z",
                "lastTimestamp": f"2026-11-20T07:{number_of(name + reason) % 60:02}:10Z",
                "count": number_of(name + reason) % 40,
            }


def _pod(module: Module) -> dict[str, object]:
    name = _pod_name(module)
    labels = {"app": "terse", "room": module.room, "pod-template-hash": sha_of(module.path)[:9]}
    container = {
        "name": "app",
        "image": "ghcr.io/terse-dev/terse:0.1.0",
        "imagePullPolicy": "IfNotPresent",
        "args": ["proxy", "--", "python", "-m", module.path.removesuffix(".py").replace("/", ".")],
        "env": [{"name": part.name.upper(), "value": part.sentence} for part in module.parts],
        "resources": {
            "limits": {"cpu": "500m", "memory": "256Mi"},
            "requests": {"cpu": "50m", "memory": "64Mi"},
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                "name": "kube-api-access",
                "readOnly": True,
            }
        ],
    }
    last_applied = pretty({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container]}})
    managed = [
        {
            "apiVersion": "v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": {"f:labels": {f"f:{key}": {} for key in labels}},
                "f:spec": {"f:containers": {'k:{"name":"app"}': {f"f:{key}": {} for key in container}}},
            },
            "manager": manager,
            "operation": "Update",
            "time": "2026-11-20T06:12:44Z",
        }
        for manager in ("kube-controller-manager", "kubelet", "kubectl-client-side-apply")
    ]
    conditions = [
        {
            "lastProbeTime": None,
            "lastTransitionTime": "2026-11-20T06:12:50Z",
            "status": "True",
            "type": kind,
        }
        for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": last_applied},
            "creationTimestamp": "2026-11-20T06:12:44Z",
            "generateName": f"{name[:-5]}",
            "labels": labels,
            "managedFields": managed,
            "name": name,
            "namespace": module.room,
            "resourceVersion": str(number_of(name, 7)),
            "uid": "a6b0e2f4-3c55-4f5e-9a6b-0f1d2c3b4a59",
        },
        "spec": {
            "containers": [container],
            "dnsPolicy": "ClusterFirst",
            "nodeName": "node-1",
            "restartPolicy": "Always",
            "serviceAccountName": "default",
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300}
                for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
            ],
        },
        "status": {
            "conditions": conditions,
            "containerStatuses": [
                {
                    "containerID": f"containerd://{sha_of(name)}",
                    "image": "ghcr.io/terse-dev/terse:0.1.0",
                    "name": "app",
                    "ready": True,
                    "restartCount": 4,
                    "started": True,
                    "state": {"running": {"startedAt": "2026-11-20T06:12:49Z"}},
                }
            ],
            "hostIP": "10.0.0.11",
            "phase": "Running",
            "podIP": "10.244.1.17",
            "qosClass": "Burstable",
            "startTime": "2026-11-20T06:12:44Z",
        },
    }


def _wide(modules: tuple[Module, ...]) -> str:
    rows = [("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES")]
    for module in modules:
        name = _pod_name(module)
        state = pick(name, STATES)
        address = f"10.244.1.{number_of(name) % 250}"
        ready = "1/1" if state == "Running" else "0/1"
        restarts = str(number_of(name) % 9)
        node = f"node-{number_of(name) % 3}"
        rows.append((name, ready, state, restarts, "9d", address, node, "<none>", "<none>"))
    widths = [max(map(len, column)) + 3 for column in zip(*rows, strict=True)]
    lines = (
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
    return "\n".join(lines) + "\n"


def _described(module: Module) -> str:
    name = _pod_name(module)
    lines = [
        f"Name:             {name}",
        f"Namespace:        {module.room}",
        "Priority:         0",
        "Service Account:  default",
        "Node:             node-1/10.0.0.11",
        "Start Time:       Fri, 20 Nov 2026 06:12:44 +0000",
        "Labels:           app=terse",
        f"                  room={module.room}",
        "Annotations:      <none>",
        "Status:           Running",
        "IP:               10.244.1.17",
        "Containers:",
        "  app:",
        "    Image:          ghcr.io/terse-dev/terse:0.1.0",
        "    Port:           <none>",
        "    State:          Running",
        "    Last State:     Terminated",
        "      Reason:       OOMKilled",
        "      Exit Code:    137",
        "    Environment:",
    ]
    lines += [f"      {part.name.upper()}:  {part.sentence}" for part in module.parts]
    lines += ["Events:", "  Type     Reason     Age                   From               Message"]
    lines += ["  ----     ------     ----                  ----               -------"]
    for minute in range(90):
        lines.append(
            f"  Warning  BackOff    {minute}m (x{90 - minute} over 90m)     kubelet            "
            f"Back-off restarting failed container app in pod {name}"
        )
    return "\n".join(lines) + "\n"
