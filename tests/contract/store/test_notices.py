"""On PostgreSQL a rewind tells at once that there is something to see; nothing depends on it."""

import logging
import threading
from types import SimpleNamespace

import psycopg
import pytest
from django.db import connection, transaction

from streamapp.engine.listening import Listener
from streamapp.store import Store, notices
from tests.contract.moving.logs import wait_for

pytestmark = [pytest.mark.live("postgres"), pytest.mark.django_db(transaction=True)]


class Listening:
    """A listener in a thread, as a worker runs it, for two subscriptions."""

    def __init__(self) -> None:
        self.one, self.other = (
            SimpleNamespace(subscription=number, saver=SimpleNamespace(awake=threading.Event()))
            for number in (1, 2)
        )
        self._ended = threading.Event()
        listener = Listener([self.one, self.other], Store("default"), self._ended.is_set)

        def run():
            while not self._ended.is_set():
                listener.run_once()

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def hears(self) -> None:
        """Wait until it listens: it looks once then, for what was sent before."""
        assert self.one.saver.awake.wait(30) and self.other.saver.awake.wait(30)
        self.forget()

    def forget(self) -> None:
        self.one.saver.awake.clear()
        self.other.saver.awake.clear()

    def close(self) -> None:
        self._ended.set()
        self._thread.join(30)


@pytest.fixture
def listening():
    listening = Listening()
    yield listening
    listening.close()


def cut_off():
    """End the sessions that listen, as a restart of the server does."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN %%' AND datname = current_database() AND pid <> pg_backend_pid()"
        )
        return cursor.rowcount


def test_a_notice_wakes_the_saver_of_its_subscription_and_no_other(listening):
    listening.hears()
    notices.send("default", 1)
    assert listening.one.saver.awake.wait(30)
    assert not listening.other.saver.awake.is_set()


def test_a_notice_comes_with_the_commit_and_never_from_what_was_rolled_back(listening):
    listening.hears()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        notices.send("default", 2)
        raise ZeroDivisionError
    with transaction.atomic():
        notices.send("default", 1)
        assert not listening.one.saver.awake.wait(0.3)
    assert listening.one.saver.awake.wait(30)
    assert not listening.other.saver.awake.is_set()


def test_a_lost_connection_is_opened_again_and_what_was_missed_is_looked_for(listening, caplog):
    listening.hears()
    with caplog.at_level(logging.WARNING, "streamapp.listening"):
        wait_for(lambda: cut_off() == 1, lambda: "a session that listens was cut off")
        notices.send("default", 1)
        listening.hears()
    notices.send("default", 2)
    assert listening.other.saver.awake.wait(30)
    assert "Not told of rewinds, looking for them once an interval goes on." in caplog.text


def test_while_the_database_refuses_to_listen_it_is_said_once(monkeypatch, caplog):
    def refuse(*_, **__):
        raise psycopg.OperationalError("no more connections")

    listener = Listener([], Store("default"), lambda: False)
    connection.close()
    monkeypatch.setattr("django.db.backends.postgresql.base.Database.connect", refuse)
    with caplog.at_level(logging.WARNING, "streamapp.listening"):
        listener.run_once()
        listener.run_once()
    assert len(caplog.records) == 1


@pytest.mark.parametrize("text", ["", "rewound", "-1", "\N{ARABIC-INDIC DIGIT ONE}", "1" * 7000])
def test_what_others_send_on_the_channel_wakes_nobody_and_listening_goes_on(listening, text):
    listening.hears()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [notices.CHANNEL, text])
    notices.send("default", 1)
    assert listening.one.saver.awake.wait(30)
    assert not listening.other.saver.awake.is_set()
