"""Workers on Kinesis across splits, merges and changes of the worker count; on kinesis-local."""
