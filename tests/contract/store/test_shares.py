"""Workers that take free shards at the same moment: each gets its share, and nobody waits."""

import threading

import pytest
from django.db import connection, transaction

from streamapp.models import Lease

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_worker_takes_no_more_than_it_asks_for(rows):
    one, other = rows.worker(), rows.worker()
    [first] = rows.store.leases.take_free(one, rows.ids, 1)
    [second] = rows.store.leases.take_free(other, rows.ids, 2)
    assert {first.checkpoint, second.checkpoint} == set(rows.ids)


@pytest.mark.live("postgres")
def test_a_worker_passes_over_what_another_is_about_to_take(rows):
    worker, taken = rows.worker(), []

    def take():
        try:
            taken.extend(rows.store.leases.take_free(worker, rows.ids, 1))
        finally:
            connection.close()

    with transaction.atomic():
        list(Lease.objects.filter(checkpoint=rows.ids[0]).select_for_update())
        thread = threading.Thread(target=take)
        thread.start()
        thread.join(20)
        assert [lease.checkpoint for lease in taken] == rows.ids[1:]
