"""What operators do with dead letters and streams: back to the source, and a look at a dead-letter stream."""

import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command

from streamapp import registry
from streamapp.copies import Copied
from streamapp.exceptions import PublishFailed
from streamapp.ladder import Backoff, Ladder
from streamapp.models import DeadLetter, Quarantined
from streamapp.services.set_aside import Publish
from streamapp.store.audit import Asker
from tests.contract.engine.project import Project, Running
from tests.contract.engine.test_copies_in_streams import read

LADDER = Ladder(1, backoff=Backoff(0.0, 0.0))
ASKER = Asker("test", reason="mended")


class Deploy:
    """A handler that fails for bad orders."""

    def __init__(self) -> None:
        self.handled: list[str] = []

    def handle(self, order: str) -> None:
        if order.startswith("bad"):
            raise ValueError(f"no carrier for {order}")
        self.handled.append(order)


@pytest.fixture
def deploy() -> Deploy:
    return Deploy()


@pytest.fixture
def start(project: Project, deploy: Deploy, monkeypatch):
    """Mounts the handler, and lets the services find the mount as in the settings."""

    def started(**options) -> Running:
        mount = project.mount(deploy.handle, **options)
        monkeypatch.setattr(registry, "mounts", lambda: {mount.name: mount})
        monkeypatch.setattr(registry, "mount", lambda name: {mount.name: mount}[name])
        return project.start(mount)

    return started


def publish_letter(model=DeadLetter, edited: bytes | None = None):
    row = model.objects.get()
    if edited is not None:
        model.objects.update(edited_value=edited, edited_by="ann", edited_at=row.created_at)
    return Publish(model).do([row.pk], ASKER)


def streams(*words: object) -> str:
    output = io.StringIO()
    call_command("streams", *words, stdout=output)
    return output.getvalue()


def test_a_letter_goes_back_to_its_source_as_it_arrived_with_its_story(project: Project, start):
    running = start(ladder=LADDER)
    running.publish("bad", key="k", headers={"by": "test"})
    running.run()
    place = DeadLetter.objects.get().origin
    assert len(publish_letter().rows) == 1
    assert not DeadLetter.objects.exists()
    first, again = read(project, running.stream, 2)
    assert (again.value, again.key, again.headers["by"]) == (first.value, first.key, b"test")
    assert again.position > first.position
    story = Copied.read(again.headers)
    assert (story.attempt, story.origin) == (1, place)


def test_what_was_edited_goes_back_as_edited_and_is_handled(start, deploy):
    running = start(ladder=LADDER).run("bad")
    publish_letter(edited=b"good")
    running.run()
    assert deploy.handled == ["good"]
    assert not DeadLetter.objects.exists()


def test_what_fails_again_is_a_letter_of_its_new_place(start):
    running = start(ladder=LADDER).run("bad")
    before = DeadLetter.objects.get()
    publish_letter()
    running.run()
    after = DeadLetter.objects.get()
    assert (after.position > before.position, after.origin) == (True, before.origin)


def test_a_quarantined_record_goes_back_byte_for_byte(project: Project, monkeypatch):
    def read_dict(order: dict) -> None:
        raise AssertionError("never called")

    mount = project.mount(read_dict)
    monkeypatch.setattr(registry, "mounts", lambda: {mount.name: mount})
    running = project.start(mount)
    running.publish(b"{\xff\x00cut")
    running.run()
    assert len(publish_letter(Quarantined).rows) == 1
    first, again = read(project, running.stream, 2)
    assert first.value == again.value == b"{\xff\x00cut"


def test_a_source_that_does_not_confirm_keeps_the_letter(start, monkeypatch):
    running = start(ladder=LADDER).run("bad")

    def refuse(*_: object, **__: object) -> None:
        raise PublishFailed("not confirmed within 1 s")

    monkeypatch.setattr(type(registry.broker(running.mount.broker)), "publish", refuse)
    assert "not confirmed" in publish_letter().stopped
    assert DeadLetter.objects.count() == 1


def test_a_dead_letter_stream_is_listed_shown_and_exported(project: Project, start):
    dead = project.bench.stream(2)
    running = start(ladder=Ladder(1, letters=dead))
    running.publish("bad one", key="k", headers={"by": "test"})
    running.publish("bad two")
    running.run()
    words = ("--stream", dead, "--subscription", running.mount.name)
    listed = json.loads(streams("deadletters", "list", *words, "--json"))
    assert sorted(letter["value"] for letter in listed) == ["bad one", "bad two"]
    one = next(letter for letter in listed if letter["value"] == "bad one")
    assert (one["exception"], one["message"]) == ("builtins.ValueError", "no carrier for bad one")
    assert one["attempts"] == 1 and one["origin"].startswith(f"{running.stream}/")
    assert (one["headers"], one["key"]) == ({"by": "test"}, "k")
    assert "in handle" in streams("deadletters", "show", *words)
    exported = list(map(json.loads, streams("deadletters", "export", *words).splitlines()))
    assert {letter["place"] for letter in exported} == {letter["place"] for letter in listed}


def test_of_a_dead_letter_stream_only_what_came_since(project: Project, start):
    dead = project.bench.stream()
    running = start(ladder=Ladder(1, letters=dead)).run("bad")
    words = ("list", "--json", "--stream", dead, "--subscription", running.mount.name, "--since")
    later = datetime.now(UTC) + timedelta(hours=1)
    assert len(json.loads(streams("deadletters", *words, "-1h"))) == 1
    assert json.loads(streams("deadletters", *words, later.isoformat())) == []


def test_looking_at_a_dead_letter_stream_takes_nothing_out_of_it(project: Project, start):
    dead = project.bench.stream()
    running = start(ladder=Ladder(1, letters=dead)).run("bad")
    words = ("deadletters", "list", "--stream", dead, "--subscription", running.mount.name)
    assert streams(*words) == streams(*words)
    assert len(read(project, dead)) == 1
