"""Kinesis without Amazon: kinesis-local for shards and lineage, kinesalite for what retention trims."""
