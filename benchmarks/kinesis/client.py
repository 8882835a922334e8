"""Where the service is: moto, which takes any credentials."""

import os
from typing import Any

import boto3
from botocore.config import Config


def options() -> dict[str, Any]:
    """Return the options of the broker; boto3 takes the same ones."""
    credentials = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    return {"endpoint_url": os.environ["MOTO_ENDPOINT_URL"], "region_name": "us-east-1", **credentials}


def client() -> Any:
    """Return a client for any number of threads."""
    return boto3.client("kinesis", config=Config(max_pool_connections=36), **options())
