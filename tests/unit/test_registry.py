"""What the settings mount: subscriptions by name, brokers by alias."""

import multiprocessing
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.test import override_settings

from streamapp import KafkaPartitions, KafkaPosition, KafkaTopic, KafkaTopics, Record, registry
from streamapp.brokers.local import LocalBroker
from streamapp.exceptions import ConfigurationError, UnknownSubscription
from streamapp.mount import Mount, Retry, Shape
from streamapp.positions import Ago, At, Earliest
from tests.unit import registry_sample as sample

LOCAL = {"BACKEND": "streamapp.brokers.local.LocalBroker"}


class ClosingBroker(LocalBroker):
    """Tells when it was closed."""

    def __init__(self, alias: str, options: Mapping[str, Any]) -> None:
        super().__init__(alias, options)
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


CLOSING = {"BACKEND": f"{__name__}.ClosingBroker"}


@pytest.fixture(autouse=True)
def no_brokers_left() -> Iterator[None]:
    yield
    registry.close_brokers()


def using(**subscriptions: dict[str, Any]) -> override_settings:
    return override_settings(STREAMAPP={"BROKERS": {"local": LOCAL}, "SUBSCRIPTIONS": subscriptions})


def having(**brokers: dict[str, Any]) -> override_settings:
    return override_settings(STREAMAPP={"BROKERS": brokers})


def mounted(handler: str, **entry: Any) -> Mount:
    with using(one={"HANDLER": f"{sample.__name__}.{handler}", **entry}):
        return registry.mount("one")


def test_the_decorator_leaves_the_function_as_it_was() -> None:
    def handle(value: bytes) -> int:
        return len(value)

    declared = registry.subscriber(KafkaTopic("orders"), batch=5)(handle)
    assert declared is handle
    assert declared(b"abc") == 3
    assert registry.declaration_of(handle) == registry.Declaration(KafkaTopic("orders"), {"BATCH": 5})


def test_a_mount_with_nothing_but_a_handler_has_the_defaults() -> None:
    mount = mounted("handle")
    assert mount == Mount(
        name="one",
        handler=sample.handle,
        shape=Shape(is_async=False, is_batch=False, takes_context=False, annotation=sample.Entry),
        decode=mount.decode,
        broker="local",
        source=KafkaTopic("orders"),
        group="one",
    )
    assert mount.decode is not None
    assert mount.decode(b'{"id": 1}') == sample.Entry(1)


def test_every_key_reaches_the_mount() -> None:
    mount = mounted(
        "handle",
        SOURCE={"topic": "orders-eu"},
        GROUP="group",
        TRANSACTION="none",
        START_AT="3@1200",
        REPLAY_FROM="-7d",
        REPLAY_SCOPE="assignment",
        RETRY={"attempts": 5, "backoff": "200ms..1m"},
        ON_UNDECODABLE="hold",
        ON_OUT_OF_RANGE="stop",
        CHECKPOINTS="process",
        STATE=f"{sample.__name__}.State",
        DECODER=f"{sample.__name__}.decode",
        MAX_AHEAD=50,
    )
    assert mount == Mount(
        name="one",
        handler=sample.handle,
        shape=mount.shape,
        decode=sample.decode,
        broker="local",
        source=KafkaTopic("orders-eu"),
        group="group",
        transaction="none",
        start_at=At("3", 1200),
        replay_from=Ago(7 * 86_400),
        replay_scope="assignment",
        retry=Retry(5, 0.2, 60.0),
        on_undecodable="hold",
        on_out_of_range="stop",
        checkpoints="process",
        state=sample.State,
        max_ahead=50,
    )


def test_settings_win_over_the_decorator() -> None:
    declared, changed = mounted("handle_batch"), mounted("handle_batch", BATCH=7, START_AT=None, GROUP="new")
    assert (declared.batch, declared.max_ahead, declared.start_at, declared.group) == (
        100,
        2000,
        Earliest(),
        "own",
    )
    assert (changed.batch, changed.max_ahead, changed.start_at, changed.group) == (7, 2000, None, "new")


def test_objects_are_taken_where_texts_are() -> None:
    mount = mounted(
        "handle",
        SOURCE=KafkaTopics("^orders-"),
        START_AT=KafkaPosition.offset(3, 7),
        STATE=sample.State,
        DECODER=sample.decode,
    )
    assert (mount.source, mount.start_at) == (KafkaTopics("^orders-"), At("3", 7))
    assert (mount.state, mount.decode) == (sample.State, sample.decode)


@pytest.mark.parametrize(
    ("handler", "source", "expected"),
    [
        ("handle_batch", {"group": "other"}, KafkaTopic("orders", group="other")),
        ("handle_list", {"topics": ["a", "b"]}, KafkaTopics(["a", "b"], group="pattern")),
        ("handle_pattern", {"topics": "^eu-"}, KafkaTopics("^eu-", group="pattern")),
        ("handle_partitions", {"partitions": (0, 2)}, KafkaPartitions("orders", (0, 2))),
    ],
)
def test_a_dict_as_source_replaces_fields_of_the_declared_one(
    handler: str, source: dict[str, Any], expected: object
) -> None:
    assert mounted(handler, SOURCE=source).source == expected


@pytest.mark.parametrize(
    ("handler", "shape"),
    [
        ("handle", Shape(False, False, False, sample.Entry)),
        ("handle_batch", Shape(False, True, True, sample.Entry)),
        ("handle_async", Shape(True, False, False, sample.Entry)),
        ("handle_async_batch", Shape(True, True, False, sample.Entry)),
        ("handle_bare", Shape(False, False, True, bytes)),
        ("handle_record", Shape(False, False, False, Record | None)),
        ("handle_text", Shape(False, False, True, str)),
    ],
)
def test_the_signature_says_how_the_handler_is_called(handler: str, shape: Shape) -> None:
    assert mounted(handler).shape == shape


def test_a_wrapped_handler_keeps_its_signature() -> None:
    assert mounted("handle_wrapped", BATCH=5).shape == Shape(False, True, True, sample.Entry)


def test_a_handler_of_records_gets_no_decoder() -> None:
    assert mounted("handle_record").decode is None


@pytest.mark.parametrize(
    ("handler", "transaction"),
    [
        ("handle", "handler"),
        ("handle_batch", "handler"),
        ("handle_async_batch", "handler"),
        ("handle_async", "none"),
    ],
)
def test_what_can_be_rolled_back_is(handler: str, transaction: str) -> None:
    assert mounted(handler).transaction == transaction


def test_one_handler_serves_several_subscriptions() -> None:
    path = f"{sample.__name__}.handle"
    with using(
        eu={"HANDLER": path, "SOURCE": {"topic": "eu"}}, us={"HANDLER": path, "SOURCE": {"topic": "us"}}
    ):
        assert {name: mount.source for name, mount in registry.mounts().items()} == {
            "eu": KafkaTopic("eu"),
            "us": KafkaTopic("us"),
        }


def test_an_unknown_subscription_names_the_nearest() -> None:
    sentence = r"'ledger\.spent' .* Did you mean 'ledger\.spend'\?"
    entry = {"HANDLER": f"{sample.__name__}.handle"}
    with using(**{"ledger.spend": entry}), pytest.raises(UnknownSubscription, match=sentence):
        registry.mount("ledger.spent")


def test_a_broken_subscription_does_not_break_the_others() -> None:
    with using(broken={}, sound={"HANDLER": f"{sample.__name__}.handle"}):
        assert registry.mount("sound").name == "sound"
        with pytest.raises(ConfigurationError, match="'broken'"):
            registry.mount("broken")


def test_mounts_follow_the_settings() -> None:
    with using(one={"HANDLER": f"{sample.__name__}.handle"}):
        assert list(registry.mounts()) == ["one"]
        with using(two={"HANDLER": f"{sample.__name__}.handle"}):
            assert list(registry.mounts()) == ["two"]
        assert list(registry.mounts()) == ["one"]


def test_there_is_one_broker_an_alias() -> None:
    with having(default=LOCAL, other=LOCAL):
        assert registry.broker("other") is registry.broker("other")
        assert registry.broker() is registry.broker("default")
        assert registry.broker("default") is not registry.broker("other")
        assert registry.broker("other").alias == "other"


def test_threads_that_ask_at_the_same_time_get_the_same_broker() -> None:
    with having(local=LOCAL):
        found, together = [], threading.Barrier(8)

        def ask() -> None:
            together.wait()
            found.append(registry.broker("local"))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert len({id(broker) for broker in found}) == 1


def test_an_unknown_broker_names_the_nearest() -> None:
    with having(kafka=LOCAL, other=LOCAL):
        with pytest.raises(ConfigurationError, match=r"'kafak' is not in BROKERS\. Did you mean 'kafka'\?"):
            registry.broker("kafak")
        with pytest.raises(
            ConfigurationError, match=r"No broker is the default\. There are: 'kafka', 'other'\."
        ):
            registry.broker()


def test_settings_that_say_the_same_keep_the_broker() -> None:
    with having(local=CLOSING):
        broker = registry.broker("local")
        with having(local=dict(CLOSING), other=LOCAL):
            assert registry.broker("local") is broker


def test_settings_that_say_something_else_replace_the_broker_and_close_it() -> None:
    with having(local=CLOSING):
        broker = registry.broker("local")
    with having(local=CLOSING | {"OPTIONS": {"partitions": 3}}):
        assert registry.broker("local") is not broker
    assert isinstance(broker, ClosingBroker)
    assert broker.is_closed


def test_closed_brokers_are_not_handed_out_again() -> None:
    with having(local=CLOSING):
        broker = registry.broker("local")
        registry.close_brokers()
        assert isinstance(broker, ClosingBroker)
        assert broker.is_closed
        assert registry.broker("local") is not broker


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_makes_brokers_of_its_own_even_if_another_thread_was_asking() -> None:
    with having(local=LOCAL):
        broker = registry.broker("local")
        context = multiprocessing.get_context("fork")
        answer = context.SimpleQueue()
        with registry._registry._lock:
            child = context.Process(
                target=lambda: answer.put(_asked_in_a_thread() is not broker),
            )
            child.start()
            child.join(20)
        assert child.exitcode == 0
        assert answer.get() is True
        assert registry.broker("local") is broker


def _asked_in_a_thread() -> object:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(registry.broker("local")), daemon=True)
    thread.start()
    thread.join(10)
    return found[0]
