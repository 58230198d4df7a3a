"""Print the parameter overrides of samconfig.toml for one environment, with the release's name.

The release is named by its content: the same content publishes no new version, any other does.
"""

import hashlib
import shlex
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONTENT = ("template.yaml", "requirements/layer.txt", "shared", "functions", "config")


def main(environment: str) -> None:
    """Print them."""
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())
    given = config[environment]["deploy"]["parameters"]["parameter_overrides"]
    sys.stdout.write(shlex.join([*given, f"Release={release()}"]) + "\n")


def release() -> str:
    """A name that another content would not have."""
    digest = hashlib.sha256()
    for name in CONTENT:
        path = ROOT / name
        for each in [path] if path.is_file() else sorted(path.rglob("*")):
            if each.is_file() and "__pycache__" not in each.parts:
                digest.update(each.relative_to(ROOT).as_posix().encode() + each.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    main(sys.argv[1])
