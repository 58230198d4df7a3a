"""The settings of the agents' entrances."""

import pytest

from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.edge.settings import Settings

METADATA = "https://api.example.org/.well-known/oauth-protected-resource"


def test_they_are_read() -> None:
    read = Settings.from_environment(
        {
            "RETRIEVAL_MCP_ORIGINS": "https://chat.example.org, http://localhost:6274,",
            "RETRIEVAL_RESOURCE_METADATA": METADATA,
            "RETRIEVAL_AGENTCORE_GATEWAYS": "site-gateway-a1b2c3d4e5=10, other=11",
        }
    )

    assert read.mcp_origins == {"https://chat.example.org", "http://localhost:6274"}
    assert read.resource_metadata == METADATA
    assert read.agentcore_gateways == {"site-gateway-a1b2c3d4e5": 10, "other": 11}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("RETRIEVAL_MCP_ORIGINS", "*", "each exact"),
        ("RETRIEVAL_MCP_ORIGINS", "https://*.example.org", "each exact"),
        ("RETRIEVAL_MCP_ORIGINS", "https://chat.example.org/", "each exact"),
        ("RETRIEVAL_MCP_ORIGINS", "null", "each exact"),
        ("RETRIEVAL_RESOURCE_METADATA", "http://api.example.org/", "https://"),
        ("RETRIEVAL_RESOURCE_METADATA", 'https://x/"\r\nX: y', "https://"),
        ("RETRIEVAL_AGENTCORE_GATEWAYS", "gateway", "<gateway id>=<uid"),
        ("RETRIEVAL_AGENTCORE_GATEWAYS", "gateway=0", "<gateway id>=<uid"),
        ("RETRIEVAL_AGENTCORE_GATEWAYS", "=10", "<gateway id>=<uid"),
        ("RETRIEVAL_AGENTCORE_GATEWAYS", "a=10,a=11", "each gateway once"),
    ],
)
def test_a_wrong_one_stops_the_start(name: str, value: str, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.from_environment({name: value})
    assert name in str(caught.value)
    assert expected in str(caught.value)
