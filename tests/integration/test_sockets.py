"""Integration tests reach this machine and no other."""

import socket

import pytest

FOREIGN = ("192.0.2.1", 80)  # RFC 5737: an address for documentation, nobody's


def test_a_connection_to_another_machine_is_refused() -> None:
    with socket.socket() as probe, pytest.raises(UserWarning, match=r"socket\.connect"):
        probe.connect(FOREIGN)
