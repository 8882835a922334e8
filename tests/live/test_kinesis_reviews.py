"""What the review of a rewind on Kinesis says of the places: too old, nothing behind it, gone."""

import time
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Permission

from streamapp import registry
from streamapp.brokers.kinesis import packing
from streamapp.positions import Ago, Earliest, Latest, Moment
from streamapp.services import rewind
from streamapp.services.firsts import first_records
from streamapp.services.flags import Flag
from streamapp.services.targets import Exact, Place
from tests.admin.wizard import REVIEW
from tests.live.kinesis_reviews import NAME, mounted, reading, reviewed
from tests.live.kinesis_service import Service

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.django_db]
SILENT = {Flag.UNREAD}


@pytest.fixture
def service():
    service = Service("KINESIS_ENDPOINT_URL")
    yield service
    service.close()


def of(service, settings, shards=1):
    source = service.stream(shards)
    settings.STREAMAPP = mounted("KINESIS_ENDPOINT_URL", source.stream)
    found = service.broker.shards(source)
    reading(dict.fromkeys(found, packing.moment(Moment.of(datetime.now(UTC)).milliseconds)))
    return found


def moment_after(service, shard):
    """Publish a record, and return a moment after it."""
    service.broker.publish(shard.stream, b"{}")
    time.sleep(0.1)
    moment = Moment.of(datetime.now(UTC))
    time.sleep(0.1)
    return moment


def test_a_moment_beyond_the_retention_of_the_stream_says_so(service, settings):
    of(service, settings)
    service.broker.publish(settings.STREAMAPP["SUBSCRIPTIONS"][NAME]["SOURCE"]["stream"], b"{}")
    assert reviewed(Ago(3 * 86_400)) == [SILENT | {Flag.OLDER}]
    assert reviewed(Ago(3_600)) == [SILENT]
    assert reviewed(Earliest()) == [SILENT]


def test_a_longer_retention_of_the_stream_counts(service, settings):
    [shard] = of(service, settings)
    service.broker.publish(shard.stream, b"{}")
    service.client.increase_stream_retention_period(StreamName=shard.stream, RetentionPeriodHours=168)
    service.wait_until_active(shard.stream)
    assert reviewed(Ago(3 * 86_400)) == [SILENT]


def test_a_moment_with_nothing_after_it_says_so_until_a_record_comes(service, settings):
    [shard] = of(service, settings)
    moment = moment_after(service, shard)
    assert reviewed(moment) == [SILENT | {Flag.NOTHING_YET}]
    service.broker.publish(shard.stream, b"{}")
    assert reviewed(moment) == [SILENT]


def test_a_moment_behind_the_tip_says_so_without_a_look(service, settings):
    of(service, settings)
    soon = Moment(Moment.of(datetime.now(UTC)).milliseconds + 60_000)
    [line] = rewind.plan_mounted(NAME, soon).lines
    assert Flag.NOTHING_YET in line.flags


def test_the_oldest_record_and_the_tip_are_no_moments_with_nothing_after_them(service, settings):
    of(service, settings)
    assert reviewed(Earliest()) == reviewed(Latest()) == [SILENT]


def test_from_a_record_to_a_moment_no_direction_is_claimed(service, settings):
    source = service.stream()
    settings.STREAMAPP = mounted("KINESIS_ENDPOINT_URL", source.stream)
    place = service.broker.publish(source.stream, b"{}")
    reading({place.shard: place.position})
    effects = [
        rewind.plan_mounted(NAME, target).lines[0].effect("kinesis")
        for target in (Latest(), Ago(60), Earliest())
    ]
    assert effects == ["read from that moment on"] * 2 + ["records are read again"]


def test_every_shard_shows_its_own_first_record(service, settings):
    shards = of(service, settings, 4)
    listed = service.client.list_shards(StreamName=shards[0].stream)["Shards"]
    begins = {each["ShardId"]: int(each["HashKeyRange"]["StartingHashKey"]) for each in listed}
    for shard in shards:
        service.broker.publish(shard.stream, b'"%s"' % shard.id.encode(), hash_key=begins[shard.id])
    plan = rewind.plan_mounted(NAME, Earliest())
    firsts = first_records(plan, plan.lines)
    assert {line.shard: firsts.records[line.checkpoint].value.text for line in plan.lines} == {
        str(shard): f'"{shard.id}"' for shard in shards
    }
    assert firsts.note == ""


def test_an_operator_who_may_not_see_records_sees_the_remarks_and_no_record(
    service, settings, client, django_user_model
):
    [shard] = of(service, settings)
    moment = moment_after(service, shard)
    someone = django_user_model.objects.create_user("operator", is_staff=True)
    someone.user_permissions.add(Permission.objects.get(codename="rewind_checkpoint"))
    client.force_login(someone)
    typed = datetime.fromtimestamp(moment.milliseconds / 1000, UTC).isoformat()
    asked = {"subscription": NAME, "chosen": "", "kind": "moment", "moment": typed, "zone": "UTC"}
    text = client.post(REVIEW, asked).content.decode()
    assert Flag.NOTHING_YET.value in text
    assert "First record there" not in text


def test_the_number_of_questions_does_not_grow_with_the_shards(service, settings):
    counts = []

    def count(model, **_):
        counts[-1].append(model.name)

    for number in (1, 4):
        of(service, settings, number)
        counts.append([])
        client = registry.broker("kinesis").clients.asking()
        client.meta.events.register("before-call.kinesis", count, unique_id="count")
        rewind.plan_mounted(NAME, Ago(60))
    assert counts[0] == counts[1]
    assert counts[1] and set(counts[1]) <= {"ListShards", "DescribeStreamSummary"}


def test_a_position_of_a_record_that_is_there_has_no_remark(service, settings):
    [shard] = of(service, settings)
    place = service.broker.publish(shard.stream, b"{}")
    exact = Exact((Place(str(shard), service.broker.describe(place.position)),))
    assert reviewed(exact) == [SILENT]
