"""What a consumer process tells of itself while it runs: health, metrics, stuck handlers."""

import json
import re
import signal
import socket
import urllib.error
import urllib.request

import pytest

from streamapp.models import Alert, Worker
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("kafka"), pytest.mark.timeout(180)]


def free_port(count: int = 1) -> int:
    """Return a port that nobody listens on, nor on the next ones."""
    while True:
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
        if all(is_free(port + number) for number in range(count)):
            return port


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def ask(port: int, path: str) -> tuple[int, str]:
    """Return status and body; status 0 while nobody listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()
    except OSError:
        return 0, ""


def status(port: int, path: str) -> int:
    return ask(port, path)[0]


def value(port: int, metric: str, **labels: str) -> float | None:
    """Return the value of the one sample of a metric that has these labels."""
    for line in ask(port, "metrics")[1].splitlines():
        if line.startswith((f"{metric}{{", f"{metric} ")) and all(
            f'{n}="{v}"' in line for n, v in labels.items()
        ):
            return float(line.rpartition(" ")[2])
    return None


def test_a_worker_is_live_and_ready_once_it_knows_its_shards_and_says_why_when_it_is_not(stage):
    stage = stage()
    port = free_port()
    process = stage.start("--health-port", str(port))
    await_true(lambda: status(port, "ready") == 200, "readiness", 60)
    assert json.loads(ask(port, "live")[1]) == {"ok": True, "problems": []}
    stage.publish({"id": 0, "do": "sleep:6"})
    await_true(stage.calls, "the call")
    process.send_signal(signal.SIGTERM)
    await_true(lambda: "stopping" in ask(port, "ready")[1], "the reason")
    assert (status(port, "ready"), status(port, "live"), status(port, "other")) == (503, 200, 404)
    assert process.wait(30) == 0


def test_a_worker_without_a_second_member_to_share_with_is_ready_without_shards(stage):
    """More workers than partitions: the group has answered, with nothing."""
    stage = stage(partitions=1)
    ports = [free_port(), free_port()]
    for port in ports:
        stage.start("--health-port", str(port))
    await_true(lambda: [status(port, "ready") for port in ports] == [200, 200], "both are ready", 60)


def test_a_stalled_heartbeat_ends_life(stage):
    """A process whose database doesn't answer any more has no lease to rely on."""
    stage = stage(settings={"HEARTBEAT_INTERVAL": 0.3, "HEARTBEAT_TTL": 1.0})
    stage.database["PORT"] = "1"
    port = free_port()
    stage.start("--health-port", str(port))
    await_true(lambda: "HEARTBEAT_TTL" in ask(port, "live")[1], "the reason", 60)
    assert status(port, "live") == status(port, "ready") == 503


def test_metrics_tell_what_was_done_and_what_is_left(stage):
    stage = stage(partitions=1, RETRY=None)
    port = free_port()
    stage.start("--metrics-port", str(port))
    name = {"subscription": stage.topic}
    shard = {**name, "stream": stage.topic, "shard": "0"}
    stage.publish(*({"id": number, "do": {3: "hold", 5: "fail"}.get(number, "")} for number in range(10)))
    await_true(lambda: value(port, "streamapp_records_held_total", **name) == 2, "both holds", 60)
    await_true(lambda: value(port, "streamapp_lag_records", **shard) == 7, "the lag from the held record on")
    assert value(port, "streamapp_records_handled_total", **name) == 10
    assert value(port, "streamapp_records_failed_total", **name) == 1
    assert value(port, "streamapp_handler_seconds_count", **name) == 10
    assert value(port, "streamapp_handler_seconds_bucket", **name, le="+Inf") == 10
    assert value(port, "streamapp_leases_taken_total", **name) == 1
    assert value(port, "streamapp_shards_held", **name) == 1
    assert value(port, "streamapp_lag_seconds", **shard) is not None
    await_true(lambda: value(port, "streamapp_checkpoint_age_seconds", **shard) > 2, "an age that grows")
    assert value(port, "streamapp_heartbeat_age_seconds") < 2
    assert value(port, "process_cpu_seconds_total") is not None, "the library's own are there too"


def test_each_of_several_processes_has_ports_of_its_own(stage):
    stage = stage(partitions=2)
    health, metrics = free_port(2), free_port(2)
    stage.start("--processes", "2", "--health-port", str(health), "--metrics-port", str(metrics))
    for number in (0, 1):
        await_true(lambda number=number: status(health + number, "ready") == 200, "readiness", 60)
        assert status(metrics + number, "metrics") == 200


def test_a_port_in_use_ends_it_with_one_sentence(stage):
    stage = stage()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert stage.start("--health-port", str(port)).wait(30) == 1
    said = stage.output.read_text()
    assert f"--health-port: 127.0.0.1:{port} can't be listened on" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("handler", ["obey", "wait_on_the_loop", "wait_in_a_batch"])
def test_a_stuck_handler_is_logged_once_with_its_place_in_the_code_and_shown_until_it_goes_on(stage, handler):
    more = {"BATCH": 10} if handler == "wait_in_a_batch" else {}
    stage = stage(HANDLER=f"tests.processes.handlers.{handler}", settings={"STUCK_AFTER": 1.0}, **more)
    stage.start()
    stage.publish({"id": 0, "do": "sleep:6"}, partition_key="0")
    alert = await_true(Alert.objects.select_related("worker", "checkpoint").first, "the alert", 60)
    assert (alert.kind, alert.position, alert.checkpoint.stream) == ("stuck", 0, stage.topic)
    assert alert.worker == Worker.objects.get(state="alive")
    said = stage.output.read_text()
    stack = said.partition("Handler has run for longer than STUCK_AFTER.")[2]
    assert f"subscription={stage.topic} shard={stage.topic}/0 position=0" in stack
    assert re.search(rf"handlers.py\", line \d+, in {handler}\n.*sleep", stack)
    stage.await_handled(0)
    await_true(lambda: not Alert.objects.exists(), "the end of the alert")
    assert stage.output.read_text().count("longer than STUCK_AFTER") == 1


def test_a_long_chunk_of_short_calls_is_not_stuck(stage):
    stage = stage(settings={"STUCK_AFTER": 1.5})
    stage.start()
    stage.publish(*({"id": number, "do": "sleep:0.2"} for number in range(30)), partition_key="0")
    stage.await_handled(*range(30), seconds=60)
    assert "longer than STUCK_AFTER" not in stage.output.read_text()
