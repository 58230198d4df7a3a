"""The contract of a search backend, and the site that it is tried on."""

import pytest

pytest.register_assert_rewrite("tests.contract.backend_contract")
