"""LANES and ORDER."""

from mutation.guard import Guard

STRANDS = "unit/test_strands.py"

GUARDS = (
    Guard(
        name="strand-waits",
        promise="Records of one strand are handled one after the other.",
        file="engine/lanes/strands.py",
        text="                else:\n                    queue.append(part)\n",
        without=(
            "                else:\n"
            "                    queue.append(part)\n"
            "                    ready.append(strand)\n"
        ),
        test=f"{STRANDS}::test_a_later_record_of_a_strand_waits_until_the_earlier_one_is_given_back",
    ),
    Guard(
        name="strand-of-the-shard",
        promise="A record without a key keeps its shard's order.",
        file="engine/lanes/splits.py",
        text="shard if key is None else (shard.stream, key)",
        without="object() if key is None else (shard.stream, key)",
        test=f"{STRANDS}::test_a_record_without_a_key_keeps_the_order_of_its_shard",
    ),
    Guard(
        name="strand-of-the-topic",
        promise="Keys are per topic.",
        file="engine/lanes/splits.py",
        text="(shard.stream, key)",
        without="key",
        test=f"{STRANDS}::test_a_key_is_one_of_its_topic",
    ),
)
