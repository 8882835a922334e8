"""EXECUTE = "celery": what a subscription whose records become tasks may say, and the app that takes them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from django.conf import settings

from streamapp.mount import Mount
from streamapp.problems import Code
from streamapp.registry.entry import Entry
from streamapp.registry.ladder import ABOVE_COPIES
from streamapp.registry.paths import imported

CONTRIB = "streamapp.contrib.celery"
CHOICES: tuple[Literal["worker", "celery"], ...] = ("worker", "celery")
RETRIES = ("RETRY", "MAX_ATTEMPTS", *ABOVE_COPIES)


def is_by_celery(entry: Entry) -> bool:
    """Tell whether the records become tasks."""
    return entry.choice("EXECUTE", CHOICES, "worker") == "celery"


def by_celery(entry: Entry, mount: Mount, path: str) -> Mount:
    """Return the mount with what hands its records to the Celery app at this path, if nothing is wrong."""
    for what, hint in _contradictions(mount):
        entry.report(Code.NOT_BY_CELERY, f"EXECUTE is 'celery', and {what}", hint)
    for key in RETRIES:
        if entry.get(key) is not None:
            what = f"EXECUTE is 'celery', so that retries are Celery's and {key} has no effect."
            entry.report(Code.WITHOUT_EFFECT, what, f"Remove {key}; docs/celery.md says how to set retries.")
    if CONTRIB not in settings.INSTALLED_APPS:
        what = f"EXECUTE is 'celery', and Celery's workers would discard its tasks without {CONTRIB!r}."
        entry.report(Code.NO_CELERY_TASKS, what, "Add it to INSTALLED_APPS.")
    app = _app(entry, path)
    if app is None:
        return mount
    _report_unconfirmed(entry, app)
    _report_refused(entry, app)
    imported(f"{CONTRIB}.tasks.handle")
    sender = imported(f"{CONTRIB}.sending.Sender")
    return replace(mount, retry=None, ladder=None, execute=sender(app, mount.name))


def _contradictions(mount: Mount) -> Iterator[tuple[str, str]]:
    if mount.is_exact:
        what = "TRANSACTION = 'checkpoint' commits what a handler writes with its checkpoint."
        yield what, "Set TRANSACTION to 'handler', or remove EXECUTE."
    if mount.shape.is_batch:
        yield "the handler takes a list: each record is a task of its own.", "Take single records."
    if mount.state is not None:
        yield "STATE lives in the worker that reads.", "Keep the state in the database, or remove EXECUTE."
    if mount.on_undecodable == "hold":
        what = "ON_UNDECODABLE is 'hold': it is decoded in the task, when the shard has moved on."
        yield what, "Set it to 'quarantine'."


def _app(entry: Entry, path: str) -> Any:
    """Return the Celery app, or None with a report."""
    hint = (
        'Give the dotted path of the project\'s app, such as STREAMAPP["CELERY_APP"] = "project.celery.app".'
    )
    if not path:
        entry.report(Code.NO_CELERY_APP, "EXECUTE is 'celery', and CELERY_APP is missing.", hint)
        return None
    try:
        kind, app = imported("celery.Celery"), imported(path)
    except ImportError as error:
        entry.report(Code.NO_CELERY_APP, f"CELERY_APP {path!r} can't be imported: {error}.", hint)
        return None
    if isinstance(app, kind):
        return app
    entry.report(Code.NO_CELERY_APP, f"CELERY_APP {path!r} is no Celery app.", hint)
    return None


def _report_unconfirmed(entry: Entry, app: Any) -> None:
    """Refuse an AMQP broker whose client doesn't wait for its answer: a lost task would be a lost record."""
    urls = app.conf.broker_write_url or app.conf.broker_url or "amqp://"
    schemes = str(urls[0] if isinstance(urls, list | tuple) else urls).split("://")[0]
    options = app.conf.broker_transport_options or {}
    if schemes in ("amqp", "amqps", "pyamqp", "librabbitmq") and not options.get("confirm_publish"):
        what = "EXECUTE is 'celery', and the Celery app doesn't wait for its broker to confirm a task."
        hint = 'Set CELERY_BROKER_TRANSPORT_OPTIONS = {"confirm_publish": True}.'
        entry.report(Code.UNCONFIRMED, what, hint)


def _report_refused(entry: Entry, app: Any) -> None:
    """Refuse workers that don't take JSON: Celery acknowledges what they refuse, and the record is lost."""
    if not {"json", "application/json"} & set(app.conf.accept_content):
        what = (
            "EXECUTE is 'celery', and the Celery app's workers would discard its tasks: they accept no JSON."
        )
        entry.report(Code.REFUSED_TASKS, what, 'Add "json" to CELERY_ACCEPT_CONTENT.')
