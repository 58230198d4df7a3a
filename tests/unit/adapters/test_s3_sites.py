"""Sites on an S3 that moto plays."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from typo3_retrieval.adapters import s3_sites
from typo3_retrieval.adapters.s3_sites import S3Folder, S3Sites, parser, push
from typo3_retrieval.bootstrap import renewed_services
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.edge.answers import answer_query
from typo3_retrieval.edge.models import QueryRequest
from typo3_retrieval.edge.probe import PROBE
from typo3_retrieval.edge.settings import S3Url, Settings

FOLDER = S3Folder(bucket="configuration", prefix="typo3/sites")
PARSE = parser(context="Production", environment={})
SITE = """
rootPageId: {root}
base: https://{name}.example.org/
languages:
  - {{languageId: 0, title: English, base: /, locale: en_US.UTF-8}}
"""


class Clock:
    def __init__(self) -> None:
        self.now = 1000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A client of an S3 with our bucket."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(
            Bucket=FOLDER.bucket,
            CreateBucketConfiguration={"LocationConstraint": "eu-central-1"},
        )
        yield client


def put(s3: Any, name: str, text: str) -> None:
    s3.put_object(Bucket=FOLDER.bucket, Key=FOLDER.key(name), Body=text.encode())


def put_site(s3: Any, name: str, root: int) -> None:
    put(s3, f"{name}/config.yaml", SITE.format(name=name, root=root))


def sites_of(s3: Any, clock: Clock | None = None) -> S3Sites:
    return S3Sites(FOLDER, parse=PARSE, now=clock or Clock(), client=lambda: s3)


def calls(s3: Any) -> list[str]:
    """The operations that are asked from now on."""
    asked: list[str] = []
    s3.meta.events.register("before-call.s3.*", lambda model, **_: asked.append(model.name))
    return asked


def test_they_are_read_with_what_they_import(s3: Any) -> None:
    put(
        s3,
        "main/config.yaml",
        "imports: [{resource: routes.yaml}]\n" + SITE.format(name="a", root=1),
    )
    put(s3, "main/routes.yaml", "routeEnhancers: {News: {type: Simple}}\n")
    put(s3, "main/picture.png", "no configuration")
    (site,) = sites_of(s3).read()
    assert (site.identifier, site.root_page_uid) == ("main", 1)
    assert "News" in site.route_enhancers


def test_a_key_cannot_leave_the_folder(s3: Any, tmp_path: Path) -> None:
    put_site(s3, "main", 1)
    put(s3, "../../evil.yaml", "x: 1")
    put(s3, "/etc/evil.yaml", "x: 1")
    assert len(sites_of(s3).read()) == 1


@pytest.mark.parametrize("name", ["nothing", "no bucket"])
def test_a_start_without_sites_is_refused(s3: Any, name: str) -> None:
    folder = FOLDER if name == "nothing" else S3Folder(bucket="nowhere-to-be-found", prefix="x")
    with pytest.raises(ConfigurationError, match="RETRIEVAL_SITES"):
        S3Sites(folder, parse=PARSE, now=Clock(), client=lambda: s3).read()


class TestRefresh:
    def test_within_a_minute_nobody_is_asked(self, s3: Any) -> None:
        put_site(s3, "main", 1)
        clock = Clock()
        sites = sites_of(s3, clock)
        sites.read()
        asked = calls(s3)
        clock.now += 59
        assert sites.changed() is None
        assert asked == []

    def test_the_same_etags_are_one_request(self, s3: Any) -> None:
        put_site(s3, "main", 1)
        clock = Clock()
        sites = sites_of(s3, clock)
        sites.read()
        asked = calls(s3)
        clock.now += 60
        assert sites.changed() is None
        assert asked == ["ListObjectsV2"]

    def test_a_change_is_read(self, s3: Any) -> None:
        put_site(s3, "main", 1)
        clock = Clock()
        sites = sites_of(s3, clock)
        sites.read()
        put_site(s3, "shop", 2)
        clock.now += 60
        changed = sites.changed()
        assert changed is not None
        assert [site.identifier for site in changed] == ["main", "shop"]
        clock.now += 60
        assert sites.changed() is None

    def test_a_site_that_was_taken_away_goes(self, s3: Any) -> None:
        put_site(s3, "main", 1)
        put_site(s3, "shop", 2)
        clock = Clock()
        sites = sites_of(s3, clock)
        sites.read()
        s3.delete_object(Bucket=FOLDER.bucket, Key=FOLDER.key("shop/config.yaml"))
        clock.now += 60
        changed = sites.changed()
        assert changed is not None
        assert [site.identifier for site in changed] == ["main"]

    def test_a_site_that_is_broken_now_keeps_the_last_good_ones(
        self, s3: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        put_site(s3, "main", 1)
        put_site(s3, "shop", 2)
        clock = Clock()
        sites = sites_of(s3, clock)
        sites.read()
        put(s3, "shop/config.yaml", "base: [")
        clock.now += 60
        assert sites.changed() is None
        assert "shop cannot be read any more" in caplog.text

    def test_a_failing_s3_keeps_them_too_and_is_asked_a_minute_later(
        self, s3: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        put_site(s3, "main", 1)
        clock = Clock()
        sites = sites_of(s3, clock)
        sites.read()
        s3.delete_object(Bucket=FOLDER.bucket, Key=FOLDER.key("main/config.yaml"))
        s3.delete_bucket(Bucket=FOLDER.bucket)
        clock.now += 60
        assert sites.changed() is None
        assert "the last good ones stay: S3 refused: NoSuchBucket" in caplog.text
        asked = calls(s3)
        assert sites.changed() is None
        assert asked == []


class TestPush:
    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        for name, root in (("main", 1), ("shop", 2)):
            (tmp_path / name).mkdir()
            (tmp_path / name / "config.yaml").write_text(SITE.format(name=name, root=root))
        return tmp_path

    def test_what_it_uploads_is_what_is_read(self, s3: Any, source: Path) -> None:
        assert list(push(source, FOLDER, s3, PARSE)) == [
            "uploaded main/config.yaml",
            "uploaded shop/config.yaml",
        ]
        assert list(sites_of(s3).read()) == list(PARSE(source))
        assert list(push(source, FOLDER, s3, PARSE)) == []

    def test_what_is_gone_is_removed(self, s3: Any, source: Path) -> None:
        list(push(source, FOLDER, s3, PARSE))
        (source / "shop" / "config.yaml").unlink()
        assert list(push(source, FOLDER, s3, PARSE)) == ["removed shop/config.yaml"]

    def test_one_broken_site_uploads_nothing(self, s3: Any, source: Path) -> None:
        (source / "shop" / "config.yaml").write_text("base: [")
        with pytest.raises(ConfigurationError, match=r'Nothing was uploaded\. Site "shop"'):
            list(push(source, FOLDER, s3, PARSE))
        assert s3_sites.listed(s3, FOLDER) == {}


def test_a_change_reaches_a_warm_environment(s3: Any) -> None:
    put_site(s3, "main", 1)
    clock = Clock()
    url = S3Url(bucket=FOLDER.bucket, prefix=FOLDER.prefix)
    built = renewed_services(Settings(sites=url, backends=("database",)), url, now=clock)
    put_site(s3, "shop", 2)
    clock.now += 61
    request = QueryRequest(question="opening hours", site="shop")
    assert answer_query(built, request, PROBE).degraded
    assert [site.identifier for site in built.current().sites] == ["main", "shop"]


def test_boto3_is_not_imported_before_it_is_needed() -> None:
    code = "import sys, typo3_retrieval.adapters.s3_sites; print('boto3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
