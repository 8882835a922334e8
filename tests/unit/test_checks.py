"""Every mistake that can be seen without asking a server has an id, a place and a way to mend it."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.checks import CheckMessage, run_checks
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.dummy.base import DatabaseWrapper as NoDatabase
from django.db.backends.sqlite3.base import DatabaseWrapper as Sqlite
from django.test import override_settings

from streamapp import registry
from streamapp.checks.databases import messages_about
from streamapp.exceptions import ConfigurationError
from streamapp.problems import Code

SAMPLE = "tests.unit.registry_sample"
LIBRARIES = "tests.unit.registry_without_library"
LOCAL = {"BACKEND": "streamapp.brokers.local.LocalBroker"}
RETURNS = {"SOURCE": {"topic": "returns"}}
ABOUT_THE_DATABASE = {Code.UNSUPPORTED_DATABASE, Code.SQLITE, Code.SQLITE_OPTIONS}


def mounted(handler: str = "handle", **entry: Any) -> dict[str, Any]:
    return {"SUBSCRIPTIONS": {"orders.one": {"HANDLER": f"{SAMPLE}.{handler}", **entry}}}


def laddered(handler: str = "handle", **entry: Any) -> dict[str, Any]:
    return mounted(handler, MAX_ATTEMPTS=3, **entry)


def retrying(MAX_ATTEMPTS: int | None = None, **policy: Any) -> dict[str, Any]:
    return mounted(RETRY={"attempts": 5, "backoff": "1s..2s", **policy}, MAX_ATTEMPTS=MAX_ATTEMPTS)


def two(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return {"SUBSCRIPTIONS": {"one": first, "two": second}}


def with_broker(**entry: Any) -> dict[str, Any]:
    return {"BROKERS": {"local": LOCAL | entry}}


def by_celery(handler: str = "handle", app: str = "app", **entry: Any) -> dict[str, Any]:
    return mounted(handler, EXECUTE="celery", **entry) | {"CELERY_APP": f"tests.unit.celery_apps.{app}"}


@dataclass(frozen=True)
class Case:
    code: Code
    settings: Any
    said: str
    hinted: str = ""


SETTINGS = [
    Case(Code.UNKNOWN_SETTING, {"SUBSCRIPTION": {}}, "'SUBSCRIPTION' is unknown", "'SUBSCRIPTIONS'"),
    Case(Code.WRONG_TYPE, {"SUBSCRIPTIONS": []}, "SUBSCRIPTIONS is []", "dict"),
    Case(Code.WRONG_TYPE, {"DATABASE": None}, "DATABASE is None", "str"),
    Case(Code.WRONG_TYPE, "kafka", "STREAMAPP: is 'kafka'", "dict"),
    Case(Code.BAD_INTERVAL, {"SAVE_INTERVAL": 0}, "SAVE_INTERVAL is 0", "seconds above 0"),
    Case(Code.BAD_INTERVAL, {"STOP_TIMEOUT": "25"}, "STOP_TIMEOUT is '25'", "seconds above 0"),
    Case(Code.BAD_INTERVAL, {"STOP_TIMEOUT": float("nan")}, "STOP_TIMEOUT is nan"),
    Case(Code.BAD_INTERVAL, {"STUCK_AFTER": None}, "STUCK_AFTER is None"),
    Case(Code.BAD_INTERVAL, {"HEARTBEAT_TTL": True}, "HEARTBEAT_TTL is True"),
    Case(Code.CONTRADICTING_INTERVALS, {"HEARTBEAT_TTL": 8}, "HEARTBEAT_TTL (8 s)", "to 9 or more"),
    Case(Code.BAD_RETENTION, {"RETENTION": {"DEAD_LETTER": {}}}, "'DEAD_LETTER'", "'DEAD_LETTERS'"),
    Case(Code.BAD_RETENTION, {"RETENTION": {"SKIPS": 5}}, "SKIPS is 5", '"DAYS": 365'),
    Case(Code.BAD_RETENTION, {"RETENTION": {"SKIPS": {"DAY": 5}}}, "'DAY'", "'DAYS'"),
    Case(Code.BAD_RETENTION, {"RETENTION": {"SKIPS": {"ROWS": 0}}}, "ROWS 0", "no bound"),
    Case(Code.BAD_RETENTION, {"RETENTION": {"SKIPS": {"ROWS": 1.5}}}, "ROWS 1.5"),
    Case(Code.UNKNOWN_DATABASE, {"DATABASE": "defualt"}, "'defualt'", "'default'"),
]
BROKERS = [
    Case(Code.WRONG_TYPE, {"BROKERS": {"local": "kafka"}}, "Broker 'local': the entry is 'kafka'"),
    Case(Code.WRONG_TYPE, with_broker(OPTIONS=5), "OPTIONS is 5"),
    Case(Code.UNKNOWN_BROKER_KEY, with_broker(OPTION={}), "the key 'OPTION'", "'OPTIONS'"),
    Case(Code.BACKEND_NOT_IMPORTABLE, {"BROKERS": {"local": {}}}, "BACKEND is missing"),
    Case(Code.BACKEND_NOT_IMPORTABLE, with_broker(BACKEND="streamapp.nowhere.Broker"), "streamapp.nowhere"),
    Case(
        Code.BACKEND_NOT_IMPORTABLE,
        with_broker(BACKEND="streamapp.brokers.local.LocalBorker"),
        "LocalBorker",
        "Did you mean 'streamapp.brokers.local.LocalBroker'",
    ),
    Case(Code.BACKEND_NOT_IMPORTABLE, with_broker(BACKEND=f"{LIBRARIES}.Broker"), "absent", "Install"),
    Case(Code.BACKEND_NOT_IMPORTABLE, with_broker(BACKEND=5), "not a dotted path"),
    Case(Code.BACKEND_IS_NO_BROKER, with_broker(BACKEND="streamapp.records.Record"), "is no broker"),
    Case(Code.BACKEND_IS_NO_BROKER, with_broker(BACKEND="streamapp.brokers.base.Broker"), "is no broker"),
    Case(
        Code.BAD_BROKER_OPTION, with_broker(OPTIONS={"partitions": 0}), "'partitions'", "Correct its OPTIONS"
    ),
    Case(
        Code.BAD_BROKER_OPTION,
        with_broker(BACKEND="streamapp.brokers.kafka.KafkaBroker", OPTIONS={"bootstrap.server": "here:9092"}),
        "Did you mean it by 'bootstrap.server'",
    ),
    Case(Code.BAD_BROKER_NAME, {"BROKERS": {" ": LOCAL}}, "alias"),
]
SUBSCRIPTIONS = [
    Case(Code.WRONG_TYPE, {"SUBSCRIPTIONS": {"one": f"{SAMPLE}.handle"}}, "Subscription 'one': the entry is"),
    Case(Code.UNKNOWN_SUBSCRIPTION_KEY, mounted(HANDLERS="x"), "the key 'HANDLERS'", "'HANDLER'"),
    Case(Code.UNKNOWN_SUBSCRIPTION_KEY, mounted("handle_misspelt"), "the key 'BACTH'", "'BATCH'"),
    Case(Code.BAD_NAME, {"SUBSCRIPTIONS": {" ": {"HANDLER": f"{SAMPLE}.handle"}}}, "Subscription ' '"),
    Case(Code.BAD_NAME, {"SUBSCRIPTIONS": {"a" * 201: {"HANDLER": f"{SAMPLE}.handle"}}}, "no name", "200"),
    Case(Code.BAD_NAME, mounted(GROUP=""), "GROUP is ''", "1 to 255"),
    Case(Code.BAD_NAME, mounted(GROUP="g" * 256), "GROUP is", "1 to 255"),
    Case(Code.HANDLER_NOT_IMPORTABLE, mounted("handel"), 'does not define a "handel"', "dotted path"),
    Case(Code.HANDLER_NOT_IMPORTABLE, {"SUBSCRIPTIONS": {"one": {}}}, "HANDLER is missing"),
    Case(Code.HANDLER_NOT_DECLARED, mounted("undecorated"), "undecorated", "@subscriber(source)"),
    Case(Code.HANDLER_NOT_DECLARED, mounted("without_brackets"), "without_brackets", "brackets"),
    Case(Code.HANDLER_NOT_DECLARED, mounted("not_callable"), "not_callable"),
    Case(Code.BAD_SIGNATURE, mounted("takes_nothing"), "no first parameter"),
    Case(Code.BAD_SIGNATURE, mounted("takes_too_much"), "more than a record and a context"),
    Case(Code.BAD_SIGNATURE, mounted("takes_keyword"), "more than a record and a context"),
    Case(Code.BAD_SIGNATURE, mounted("takes_unresolvable"), "'Nowhere' is not defined"),
    Case(Code.BAD_SIGNATURE, mounted("yields"), "yield"),
    Case(Code.UNKNOWN_BROKER, mounted(BROKER="locla"), "BROKER 'locla'", "'local'"),
    Case(
        Code.UNKNOWN_BROKER,
        mounted() | {"BROKERS": {}},
        "BROKER is missing",
        "Add one to STREAMAPP['BROKERS']",
    ),
    Case(Code.UNKNOWN_BROKER, mounted() | {"BROKERS": {"a": LOCAL, "b": LOCAL}}, "no broker is the default"),
    Case(Code.SOURCE_NOT_TAKEN, mounted("handle_foreign"), "can't read a ForeignSource", "KafkaTopic"),
    Case(Code.SOURCE_NOT_TAKEN, mounted("handle_no_source"), "'orders' is no source", "KafkaTopic("),
    Case(Code.SOURCE_NOT_TAKEN, mounted(SOURCE="orders"), "'orders' is no source"),
    Case(Code.BAD_SOURCE_FIELD, mounted(SOURCE={"tpoic": "x"}), "'tpoic'", "'topic'"),
    Case(Code.BAD_SOURCE_FIELD, mounted(SOURCE={"topic": None}), "topic is None", "variable"),
    Case(Code.BAD_SOURCE_FIELD, mounted("handle_list", SOURCE={"topics": None}), "doesn't fit KafkaTopics"),
    Case(Code.BAD_SOURCE_FIELD, mounted("handle_list", SOURCE={"topics": [None]}), "topics is (None,)"),
    Case(Code.BAD_SOURCE, mounted("handle_nothing"), "name is empty"),
    Case(Code.BAD_SOURCE, mounted(SOURCE={"topic": "^orders"}), "'^orders' is a pattern"),
    Case(Code.BATCH_MISSING, mounted("handle_batch", BATCH=None), "BATCH is missing"),
    Case(Code.BATCH_NOT_WANTED, mounted(BATCH=5), "BATCH is set", "list[...]"),
    Case(Code.BAD_COUNT, mounted("handle_batch", BATCH=0), "BATCH is 0", "1 or more"),
    Case(Code.BAD_COUNT, mounted(MAX_AHEAD="10"), "MAX_AHEAD is '10'", "1 or more"),
    Case(Code.BAD_COUNT, mounted(MAX_AHEAD=True), "MAX_AHEAD is True"),
    Case(Code.AHEAD_SMALLER_THAN_BATCH, mounted("handle_batch", MAX_AHEAD=199), "MAX_AHEAD (199)", "Raise"),
    Case(Code.NO_POSITION, mounted(START_AT="yesterday"), "START_AT", "earliest, latest"),
    Case(Code.NO_POSITION, mounted(REPLAY_FROM=5), "REPLAY_FROM", "earliest, latest"),
    Case(Code.FOREIGN_POSITION, mounted(START_AT="shardId-1@7"), "'shardId-1' is not a partition"),
    Case(Code.FOREIGN_POSITION, mounted(REPLAY_FROM="shardId-1@7"), "REPLAY_FROM 'shardId-1@7'"),
    Case(Code.BAD_CHOICE, mounted(TRANSACTION="handlr"), "TRANSACTION is 'handlr'", "'handler'"),
    Case(Code.BAD_CHOICE, mounted(TRANSACTION="always"), "TRANSACTION is 'always'"),
    Case(Code.BAD_CHOICE, mounted(ON_UNDECODABLE="skip"), "ON_UNDECODABLE", "'quarantine'"),
    Case(Code.BAD_CHOICE, mounted(ON_OUT_OF_RANGE="stay"), "ON_OUT_OF_RANGE", "'earliest'"),
    Case(Code.BAD_CHOICE, mounted(CHECKPOINTS="memory"), "CHECKPOINTS", "'process'"),
    Case(Code.BAD_CHOICE, mounted(REPLAY_FROM="-7d", REPLAY_SCOPE=1), "REPLAY_SCOPE", "'assignment'"),
    Case(Code.ASYNC_TRANSACTION, mounted("handle_async", TRANSACTION="handler"), "async def", "'none'"),
    Case(Code.BAD_RETRY, mounted(RETRY={"attempts": 5}), "lacks backoff", '"0.2s..30s"'),
    Case(Code.BAD_RETRY, mounted(RETRY={"attempts": 0, "backoff": "1s..2s"}), "attempts is 0"),
    Case(Code.BAD_RETRY, retrying(fatal=["builtins.Nowhere"]), "can't be imported", "builtins.ValueError"),
    Case(Code.BAD_RETRY, retrying(fatal="builtins.ValueError"), "not a list of dotted paths"),
    Case(Code.BAD_RETRY, retrying(ignored=["builtins.print"]), "is no class of exceptions"),
    Case(
        Code.BAD_RETRY,
        retrying(fatal=["builtins.OSError"], retryable=["builtins.IOError"]),
        "OSError is listed as retryable and as fatal",
    ),
    Case(Code.BAD_ON_ERROR, mounted(ON_ERROR=f"{SAMPLE}.nothing"), "ON_ERROR", "dotted path"),
    Case(Code.BAD_COUNT, mounted(MAX_ATTEMPTS=0), "MAX_ATTEMPTS is 0", "1 or more"),
    Case(Code.BAD_DELAY, laddered(RETRY_DELAY="10s"), "RETRY_DELAY: backoff is '10s'", '"10s..10m"'),
    Case(Code.BAD_DESTINATION, laddered(RETRY_TO="orders"), "'orders', which is what", "'source'"),
    Case(Code.BAD_DESTINATION, laddered(RETRY_TO="^later"), "RETRY_TO is '^later'", "one stream"),
    Case(Code.BAD_DESTINATION, laddered(DEAD_LETTER=5), "DEAD_LETTER is 5", "'database'"),
    Case(Code.BAD_DESTINATION, laddered(DEAD_LETTER="source"), "its own dead letters", "another stream"),
    Case(Code.BAD_DESTINATION, laddered("handle_pattern", DEAD_LETTER="orders-dead"), "its own dead letters"),
    Case(Code.SEVERAL_SOURCES, laddered("handle_list", RETRY_TO="source"), "reads", "'database'"),
    Case(Code.SEVERAL_SOURCES, laddered("handle_pattern", RETRY_TO="source"), "reads ^", "'database'"),
    Case(Code.BAD_LIMIT, laddered(DEAD_LETTER_LIMIT=0), "DEAD_LETTER_LIMIT: 0", '"30% of 100"'),
    Case(Code.BAD_LIMIT, laddered(DEAD_LETTER_LIMIT="101% of 10"), "'101% of 10'", '"30% of 100"'),
    Case(Code.BAD_CHOICE, mounted(HOLD="topic"), "HOLD is 'topic'", "'shard'"),
    Case(Code.HOLD_WITHOUT_ORDER, mounted(HOLD="shard", LANES=2, ORDER="key"), "HOLD is 'shard'", "'shard'"),
    Case(Code.HOLD_WITHOUT_ORDER, mounted(HOLD="key", LANES=2, ORDER="none"), "ORDER 'none'", "'key'"),
    Case(Code.BAD_DRY_RUN, mounted(DRY_RUN="yes"), "DRY_RUN is 'yes'", "True"),
    Case(Code.NO_DRY_RUN, mounted("handle_async", DRY_RUN=True), "can't be rolled back", "a def"),
    Case(Code.NO_DRY_RUN, mounted(DRY_RUN=True, TRANSACTION="none"), "TRANSACTION is 'none'", "'handler'"),
    Case(Code.NO_DRY_RUN, mounted(DRY_RUN=True, STATE=f"{SAMPLE}.State"), "STATE lives", "database"),
    Case(Code.BAD_STATE, mounted(STATE=f"{SAMPLE}.Stat"), "STATE", "dotted path"),
    Case(Code.BAD_STATE, mounted(STATE=f"{SAMPLE}.not_callable"), "can't be called"),
    Case(Code.BAD_DECODER, mounted(DECODER=f"{SAMPLE}.decod"), "DECODER", "dotted path"),
    Case(Code.NOTHING_TO_COMMIT, mounted(TRANSACTION="checkpoint", CHECKPOINTS="process"), "no checkpoint"),
    Case(Code.BAD_COUNT, mounted(LANES=0), "LANES is 0"),
    Case(Code.UNKNOWN_ANNOTATION, mounted("handle_unmakeable"), "Unmakeable", "DECODER"),
    Case(
        Code.SHARED_GROUP,
        two(
            {"HANDLER": f"{SAMPLE}.handle", "GROUP": "g"}, {"HANDLER": f"{SAMPLE}.handle_async", "GROUP": "g"}
        ),
        "Subscriptions 'one' and 'two': both read orders in the group 'g'",
        "another GROUP",
    ),
    Case(
        Code.SHARED_GROUP,
        two({"HANDLER": f"{SAMPLE}.handle_pattern"}, {"HANDLER": f"{SAMPLE}.handle_list"}),
        "in the group 'pattern'",
    ),
    Case(Code.BAD_MASK, mounted(MASK="iban"), "MASK is 'iban'", '["iban", "customer.email"]'),
    Case(Code.BAD_MASK, mounted(MASK={"iban": True}), "MASK is {'iban': True}"),
    Case(Code.BAD_MASK, mounted(MASK=["iban", ""]), "'', which names no field"),
    Case(Code.BAD_MASK, mounted(MASK=["customer..email"]), "'customer..email'"),
    Case(Code.BAD_MASK, mounted(MASK=[" iban"]), "' iban'"),
    Case(Code.BAD_MASK, mounted(MASK=[5]), "MASK has 5"),
]
BY_CELERY = [
    Case(Code.NOT_BY_CELERY, by_celery(TRANSACTION="checkpoint"), "TRANSACTION = 'checkpoint'", "'handler'"),
    Case(Code.NOT_BY_CELERY, by_celery("handle_batch"), "takes a list", "single records"),
    Case(Code.NOT_BY_CELERY, by_celery(STATE=f"{SAMPLE}.State"), "STATE lives in the worker", "database"),
    Case(Code.NOT_BY_CELERY, by_celery(ON_UNDECODABLE="hold"), "ON_UNDECODABLE is 'hold'", "'quarantine'"),
    Case(Code.NO_DRY_RUN, by_celery(DRY_RUN=True), "Celery's workers", "remove EXECUTE"),
    Case(Code.NO_CELERY_APP, mounted(EXECUTE="celery"), "CELERY_APP is missing", "dotted path"),
    Case(Code.NO_CELERY_APP, by_celery(app="ap"), 'does not define a "ap"', "project.celery.app"),
    Case(Code.NO_CELERY_APP, by_celery(app="NO_APP"), "is no Celery app"),
    Case(Code.UNCONFIRMED, by_celery(app="unconfirmed"), "doesn't wait", "confirm_publish"),
    Case(Code.UNCONFIRMED, by_celery(app="without_broker"), "doesn't wait"),
    Case(Code.REFUSED_TASKS, by_celery(app="without_json"), "accept no JSON", "CELERY_ACCEPT_CONTENT"),
]
WARNINGS = [
    Case(Code.COPIES_FOR_ALL, laddered(RETRY_TO="source"), "every other reader of 'orders'", "'database'"),
    Case(Code.WITHOUT_EFFECT, mounted(DEAD_LETTER="dead"), "without MAX_ATTEMPTS", "Set MAX_ATTEMPTS"),
    Case(Code.WITHOUT_EFFECT, laddered(RETRY_TO="later", RETRY_DELAY="1s..2s"), "only copies in", "Remove"),
    Case(Code.WITHOUT_EFFECT, retrying(MAX_ATTEMPTS=3), "5 attempts in place, MAX_ATTEMPTS 3", "Raise"),
    Case(Code.WITHOUT_EFFECT, mounted(ORDER="key"), "one lane", "LANES to 2"),
    Case(Code.WITHOUT_EFFECT, mounted(TRANSACTION="checkpoint", REDELIVER="all"), "REDELIVER is 'all'"),
    Case(Code.WITHOUT_EFFECT, mounted(REPLAY_SCOPE="start"), "REPLAY_SCOPE", "Set REPLAY_FROM"),
    Case(
        Code.WITHOUT_EFFECT,
        mounted(CHECKPOINTS="process", REPLAY_FROM="earliest", START_AT="latest"),
        "START_AT has no effect",
    ),
    Case(
        Code.WITHOUT_EFFECT, by_celery(MAX_ATTEMPTS=3), "retries are Celery's and MAX_ATTEMPTS", "docs/celery"
    ),
]


def named(case: Case) -> str:
    return f"{case.code}-{case.said}"


def complete(given: Any) -> Any:
    return {"BROKERS": {"local": LOCAL}, **given} if isinstance(given, dict) else given


def checked(given: Any) -> list[CheckMessage]:
    about_the_database = {f"streamapp.{code}" for code in ABOUT_THE_DATABASE}
    with override_settings(STREAMAPP=complete(given)):
        return [found for found in run_checks(tags=["streamapp"]) if found.id not in about_the_database]


@pytest.mark.parametrize("case", [*SETTINGS, *BROKERS, *SUBSCRIPTIONS, *BY_CELERY, *WARNINGS], ids=named)
def test_a_mistake_is_reported_once_with_its_place_and_a_hint(case: Case) -> None:
    (found,) = checked(case.settings)
    assert found.id == f"streamapp.{case.code}"
    assert found.is_serious() == case.code.startswith("E")
    assert case.said in found.msg
    assert found.hint
    assert case.hinted in found.hint


@pytest.mark.parametrize("case", [*SETTINGS, *SUBSCRIPTIONS, *BY_CELERY], ids=named)
def test_what_the_check_says_is_what_keeps_a_consumer_from_mounting(case: Case) -> None:
    (found,) = checked(case.settings)
    sentence = re.escape(f"{found.msg} {found.hint} ({found.id})")
    with (
        override_settings(STREAMAPP=complete(case.settings)),
        pytest.raises(ConfigurationError, match=sentence),
    ):
        registry.mounts()


@pytest.mark.parametrize("case", BROKERS, ids=named)
def test_what_the_check_says_is_what_keeps_a_broker_from_being_made(case: Case) -> None:
    (found,) = checked(case.settings)
    sentence = re.escape(f"{found.msg} {found.hint} ({found.id})")
    with (
        override_settings(STREAMAPP=complete(case.settings)),
        pytest.raises(ConfigurationError, match=sentence),
    ):
        registry.broker()


@pytest.mark.parametrize("case", WARNINGS, ids=named)
def test_a_warning_keeps_nothing_from_mounting(case: Case) -> None:
    with override_settings(STREAMAPP=complete(case.settings)):
        assert registry.mount("orders.one").name == "orders.one"


@pytest.mark.parametrize(
    "sound",
    [
        {},
        mounted(),
        mounted("handle_batch"),
        mounted("handle_async"),
        mounted(MASK=["iban", "customer.email"]),
        mounted("handle_async_batch", TRANSACTION="handler"),
        mounted("handle_partitions", CHECKPOINTS="process", REPLAY_FROM="-7d", REPLAY_SCOPE="assignment"),
        mounted("handle_unmakeable", DECODER=f"{SAMPLE}.decode"),
        two({"HANDLER": f"{SAMPLE}.handle"}, {"HANDLER": f"{SAMPLE}.handle_async"}),
        two(
            {"HANDLER": f"{SAMPLE}.handle", "GROUP": "g"},
            {"HANDLER": f"{SAMPLE}.handle_partitions", "GROUP": "g"},
        ),
        two(
            {"HANDLER": f"{SAMPLE}.handle_pattern"},
            {"HANDLER": f"{SAMPLE}.handle", "GROUP": "pattern"} | RETURNS,
        ),
        {"HEARTBEAT_INTERVAL": 1, "HEARTBEAT_TTL": 3, "STOP_TIMEOUT": 0.5},
        laddered(RETRY_TO="later", DEAD_LETTER="dead", DEAD_LETTER_LIMIT="30% of 100"),
        retrying(MAX_ATTEMPTS=5, fatal=["builtins.ValueError"], ignored=[KeyError]),
        mounted(HOLD="key"),
        mounted(HOLD="key", LANES=2, ORDER="key"),
        mounted(HOLD="shard", LANES=2),
        {"RETENTION": {"DEAD_LETTERS": {"DAYS": None, "ROWS": 5}, "SKIPS": {"DAYS": 0.5}}},
        by_celery(),
        by_celery(app="confirmed"),
        by_celery("handle_async", HOLD="key"),
    ],
)
def test_sound_settings_are_not_complained_about(sound: dict[str, Any]) -> None:
    assert checked(sound) == []


def test_tasks_that_no_celery_worker_would_know_are_refused() -> None:
    apps = [name for name in settings.INSTALLED_APPS if name != "streamapp.contrib.celery"]
    with override_settings(INSTALLED_APPS=apps):
        (found,) = checked(by_celery())
    assert (found.id, "INSTALLED_APPS" in str(found.hint)) == ("streamapp.E062", True)


def test_all_mistakes_of_a_subscription_are_shown_at_once() -> None:
    found = checked(mounted(BATCH=0, TRANSACTION="x", START_AT="x", BROKER="x"))
    assert {problem.id for problem in found} == {
        f"streamapp.{code}"
        for code in (
            Code.BAD_COUNT,
            Code.BATCH_NOT_WANTED,
            Code.BAD_CHOICE,
            Code.NO_POSITION,
            Code.UNKNOWN_BROKER,
        )
    }


def test_the_sqlite_options_of_the_hint_are_all_that_is_needed() -> None:
    hint = next(
        str(found.hint)
        for found in messages_about(Sqlite({"OPTIONS": {}}, "default"))
        if found.id == "streamapp.W002"
    )
    advised = json.loads(hint[hint.index("{") : hint.rindex("}") + 1])
    assert "synchronous=NORMAL" in advised["init_command"]
    assert about(Sqlite({"OPTIONS": advised}, "default")) == ["streamapp.W001"]


def about(connection: BaseDatabaseWrapper) -> list[str | None]:
    return [found.id for found in messages_about(connection)]


def test_a_database_that_is_not_supported_is_refused() -> None:
    assert about(NoDatabase({}, "default")) == ["streamapp.E006"]


def test_sqlite_is_warned_of_and_its_options_too() -> None:
    assert about(Sqlite({"OPTIONS": {}}, "default")) == ["streamapp.W001", "streamapp.W002"]


@pytest.mark.parametrize("lost", ["transaction_mode", "timeout", "init_command"])
def test_sqlite_needs_each_of_its_options(lost: str) -> None:
    options = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA synchronous=NORMAL; PRAGMA journal_mode = WAL;",
    }
    assert about(Sqlite({"OPTIONS": options}, "default")) == ["streamapp.W001"]
    del options[lost]
    assert about(Sqlite({"OPTIONS": options}, "default")) == ["streamapp.W001", "streamapp.W002"]


def test_the_database_of_the_settings_is_the_one_that_is_checked() -> None:
    found = [problem.id for problem in run_checks(tags=["streamapp"])]
    assert ("streamapp.W001" in found) == (connections["default"].vendor == "sqlite")
    assert "streamapp.E006" not in found


def test_another_database_of_the_settings_is_checked_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections.settings, "ledger", {"ENGINE": "django.db.backends.dummy"})
    with override_settings(STREAMAPP={"DATABASE": "ledger"}):
        found = run_checks(tags=["streamapp"])
    del connections["ledger"]
    assert [(problem.id, "'ledger'" in problem.msg) for problem in found] == [("streamapp.E006", True)]


def test_the_checks_ask_no_database(django_db_blocker: Any) -> None:
    # Without the django_db mark every query raises.
    assert checked(mounted()) == []


def test_every_id_has_a_case_here_and_a_chapter_in_the_docs() -> None:
    cases = {case.code for case in [*SETTINGS, *BROKERS, *SUBSCRIPTIONS, *BY_CELERY, *WARNINGS]}
    assert cases | ABOUT_THE_DATABASE | {Code.NO_CELERY_TASKS} == set(Code)
    page = (Path(__file__).parents[2] / "docs" / "checks.md").read_text()
    assert re.findall(r"^### streamapp\.(\w+)", page, re.MULTILINE) == sorted(Code)
