"""Lets LocalStack's tests judge another server: its names and its port lead there, and its URLs stand for theirs."""

import os
import re
import socket
from urllib.parse import urlparse

import pytest

_server = urlparse(os.environ["TEST_AWS_ENDPOINT_URL"])
_look_up = socket.getaddrinfo


def _to_server(host, port, *arguments, **options):
    name = host.decode() if isinstance(host, bytes) else host
    if isinstance(name, str) and name.endswith("localhost.localstack.cloud"):
        host = _server.hostname
    if str(port) == "4566" and name != _server.hostname:
        host, port = _server.hostname, _server.port
    return _look_up(host, port, *arguments, **options)


socket.getaddrinfo = _to_server


@pytest.fixture(autouse=True)
def _urls_as_recorded(snapshot):
    """Queue URLs were recorded under LocalStack's host name."""
    snapshot.add_transformer(
        snapshot.transform.regex(
            re.escape(f"{_server.scheme}://{_server.netloc}/"),
            "http://sqs.<region>.localhost.localstack.cloud:4566/",
        )
    )
