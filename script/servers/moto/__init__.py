"""moto: Kinesis for volume."""
