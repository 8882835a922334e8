"""Several workers of one subscription."""

from tests.contract.engine.project import Project

PARTITIONS = 2


def test_a_planned_move_hands_over_what_was_settled(project: Project):
    seen = []

    def handle(order: str) -> None:
        seen.append(order)

    one = project.start(project.mount(handle, partitions=PARTITIONS))
    one.publish("a", "b", shard=0, partitions=PARTITIONS)
    one.publish("c", "d", shard=1, partitions=PARTITIONS)
    one.run(save=False)
    assert sorted(seen) == ["a", "b", "c", "d"]
    assert (one.checkpoint(0), one.checkpoint(1)) == (0, 0)

    other = project.start(beside=one.service)
    one.run(save=False)
    one.publish("e", shard=0, partitions=PARTITIONS)
    one.publish("f", shard=1, partitions=PARTITIONS)
    one.run()
    assert sorted(seen) == ["a", "b", "c", "d", "e", "f"]
    assert other.settled in ([(b"e", "ack")], [(b"f", "ack")])
    assert (one.checkpoint(0), one.checkpoint(1)) == (3, 3)
