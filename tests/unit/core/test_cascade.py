import logging
from collections.abc import Iterator
from itertools import count

import pytest

from tests.unit.core.fakes import ACCESS, FakeBackend, document, hit
from typo3_retrieval.core.access import AccessContext
from typo3_retrieval.core.backend import AVAILABLE, Availability, SearchAnswer, unavailable
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.errors import BackendError, BackendUnavailable, SourceNotFound
from typo3_retrieval.core.evidence import EvidenceSource, Outcome
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId

QUERY = RetrievalQuery.of("When is bulky waste collected?")
DOWN = BackendUnavailable("10.0.0.7 refused the connection", reason="connection refused")


def test_the_first_backend_is_asked_first_and_believed() -> None:
    first, second = FakeBackend(name="solr", hits=[hit()]), FakeBackend(name="database")
    evidence = Cascade([first, second]).search(QUERY, ACCESS)
    assert evidence.backend == "solr"
    assert first.asked == [QUERY]
    assert second.asked == []


def test_an_empty_answer_is_final() -> None:
    second = FakeBackend(name="database", hits=[hit()])
    evidence = Cascade([FakeBackend(name="solr"), second]).search(QUERY, ACCESS)
    assert (evidence.backend, evidence.sources, evidence.degraded) == ("solr", (), False)
    assert second.asked == []


def test_a_failing_backend_is_skipped_with_a_note() -> None:
    backends = [FakeBackend(name="solr", error=DOWN), FakeBackend(name="database", hits=[hit()])]
    evidence = Cascade(backends).search(QUERY, ACCESS)
    assert evidence.backend == "database"
    assert evidence.notes == ('Backend "solr" failed and was skipped.',)
    assert not evidence.degraded


def test_a_backend_that_cannot_tell_whether_it_is_available_has_failed() -> None:
    backends = [FakeBackend(name="solr", availability_error=DOWN), FakeBackend(name="database")]
    evidence = Cascade(backends).search(QUERY, ACCESS)
    assert evidence.notes == ('Backend "solr" failed and was skipped.',)


def test_an_unavailable_backend_is_skipped_without_a_note() -> None:
    off = FakeBackend(name="solr", available=unavailable("no core"), hits=[hit()])
    evidence = Cascade([off, FakeBackend(name="database")]).search(QUERY, ACCESS)
    assert (evidence.backend, evidence.notes) == ("database", ())
    assert off.asked == []


@pytest.mark.parametrize(
    ("backends", "notes"),
    [
        ([], ("No search backend available.",)),
        (
            [FakeBackend(name="solr", available=unavailable("no core"))],
            ("No search backend available.",),
        ),
        (
            [FakeBackend(name="solr", error=DOWN)],
            ('Backend "solr" failed and was skipped.', "No search backend available."),
        ),
    ],
)
def test_without_any_answer_the_evidence_is_degraded(
    backends: list[FakeBackend], notes: tuple[str, ...]
) -> None:
    evidence = Cascade(backends).search(QUERY, ACCESS)
    assert (evidence.backend, evidence.sources, evidence.degraded) == ("none", (), True)
    assert evidence.notes == notes


def test_the_attempts_tell_outcome_reason_and_milliseconds() -> None:
    ticks = count(0.0, 0.25)  # a quarter of a second between two looks at the clock
    cascade = Cascade(
        [
            FakeBackend(name="solr", error=DOWN),
            FakeBackend(name="ke_search", available=unavailable("no index table")),
            FakeBackend(name="database"),
        ],
        clock=lambda: next(ticks),
    )
    attempts = cascade.search(QUERY, ACCESS).attempts
    assert [(a.backend, a.outcome, a.reason, a.milliseconds) for a in attempts] == [
        ("solr", Outcome.FAILED, "connection refused", 250),
        ("ke_search", Outcome.UNAVAILABLE, "no index table", 250),
        ("database", Outcome.ANSWERED, "", 250),
    ]


def test_notes_come_from_the_cascade_the_query_and_the_backend_in_this_order() -> None:
    backends = [
        FakeBackend(name="solr", error=DOWN),
        FakeBackend(name="database", notes=("Narrowed.",)),
    ]
    query = RetrievalQuery.of("x" * 300)
    evidence = Cascade(backends, notes=["Site broken was left out."]).search(query, ACCESS)
    assert evidence.notes == (
        "Site broken was left out.",
        "Question cut to its first 200 characters.",
        'Backend "solr" failed and was skipped.',
        "Narrowed.",
    )


def test_when_the_time_is_over_no_further_backend_is_asked() -> None:
    times = iter([0.0, 0.0, 0.0, 9.0, 9.0])  # the first backend takes nine seconds to fail
    second = FakeBackend(name="database", hits=[hit()])
    cascade = Cascade(
        [FakeBackend(name="solr", error=DOWN), second], seconds=8.0, clock=lambda: next(times)
    )
    evidence = cascade.search(QUERY, ACCESS)
    assert second.asked == []
    assert evidence.degraded
    assert evidence.notes == (
        'Backend "solr" failed and was skipped.',
        'Backend "database" was not asked: the time was over.',
        "No search backend available.",
    )


class TestAStrangersBackend:
    def test_any_exception_is_survived(self) -> None:
        backends = [
            FakeBackend(name="stranger", error=ZeroDivisionError("division by zero")),
            FakeBackend(name="database", hits=[hit()]),
        ]
        evidence = Cascade(backends).search(QUERY, ACCESS)
        assert evidence.backend == "database"
        assert evidence.notes == ('Backend "stranger" failed and was skipped.',)
        assert evidence.attempts[0].reason == "internal error"

    def test_an_answer_that_is_none_is_a_failure(self) -> None:
        class Forgetful(FakeBackend):
            def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
                return None  # type: ignore[return-value]  # the stranger did not run mypy

        evidence = Cascade([Forgetful(name="stranger"), FakeBackend(name="database")]).search(
            QUERY, ACCESS
        )
        assert evidence.backend == "database"
        assert evidence.attempts[0].outcome is Outcome.FAILED

    def test_hits_that_fail_while_they_are_read_are_a_failure(self) -> None:
        def hits() -> Iterator[EvidenceSource]:
            yield hit()
            raise KeyError("url")

        lazy = FakeBackend(name="stranger", hits=hits())  # type: ignore[arg-type]  # see above
        evidence = Cascade([lazy, FakeBackend(name="database")]).search(QUERY, ACCESS)
        assert evidence.backend == "database"
        assert evidence.attempts[0].outcome is Outcome.FAILED

    def test_an_exception_does_not_tell_a_model_what_it_says(self) -> None:
        stranger = FakeBackend(name="stranger", error=RuntimeError("password=hunter2"))
        evidence = Cascade([stranger]).search(QUERY, ACCESS)
        assert "hunter2" not in repr(evidence)

    def test_interrupts_are_not_swallowed(self) -> None:
        stopped = FakeBackend(name="solr")
        stopped.error = KeyboardInterrupt()  # type: ignore[assignment]  # no Exception, on purpose
        with pytest.raises(KeyboardInterrupt):
            Cascade([stopped]).search(QUERY, ACCESS)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(f"near {QUERY.text!r}; password=hunter2"),
        BackendUnavailable("solr: HTTP 503", reason="HTTP 503"),
    ],
)
def test_logs_from_info_on_hold_neither_question_nor_secret(
    caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    caplog.set_level(logging.INFO)
    failing = FakeBackend(name="solr", error=error, availability_error=None)
    cascade = Cascade([failing])
    cascade.search(QUERY, ACCESS)
    with pytest.raises(BackendError):
        cascade.fetch(SourceId.parse("solr:1"), ACCESS)
    failing.availability_error = error
    cascade.is_available()
    assert "solr" in caplog.text
    assert "hunter2" not in caplog.text
    assert "bulky" not in caplog.text


class TestDuplicates:
    @pytest.mark.parametrize(
        "twin",
        [
            "https://www.example.org/waste/",
            "https://www.example.org/waste#c12",
            "https://www.example.org/waste/#c12",
            "HTTPS://WWW.EXAMPLE.ORG/waste",
        ],
    )
    def test_addresses_of_one_page_are_one_source(self, twin: str) -> None:
        hits = [hit("fake:1", url="https://www.example.org/waste"), hit("fake:2", url=twin)]
        sources = Cascade([FakeBackend(hits=hits)]).search(QUERY, ACCESS).sources
        assert sources == (hits[0],)

    @pytest.mark.parametrize(
        "other",
        [
            "https://www.example.org/Waste",
            "https://www.example.org/waste?page=2",
            "http://www.example.org/waste",
            "https://example.org/waste",
            "https://www.example.org:8443/waste",
        ],
    )
    def test_other_addresses_are_other_sources(self, other: str) -> None:
        hits = [hit("fake:1", url="https://www.example.org/waste"), hit("fake:2", url=other)]
        assert len(Cascade([FakeBackend(hits=hits)]).search(QUERY, ACCESS).sources) == 2

    @pytest.mark.parametrize("url", ["/waste", "https://[broken/waste", "mailto:a@example.org"])
    def test_without_an_address_the_source_id_decides(self, url: str) -> None:
        hits = [hit("fake:1", url=url), hit("fake:2", url=url), hit("fake:1", url=url)]
        sources = Cascade([FakeBackend(hits=hits)]).search(QUERY, ACCESS).sources
        assert sources == (hits[0], hits[1])

    def test_they_are_removed_before_the_cut(self) -> None:
        url = "https://www.example.org/waste"
        hits = [hit("fake:1", url=url), hit("fake:2", url=url), hit("fake:3"), hit("fake:4")]
        query = RetrievalQuery.of("waste", limit=2)
        sources = Cascade([FakeBackend(hits=hits)]).search(query, ACCESS).sources
        assert sources == (hits[0], hits[2])


def test_no_more_sources_come_back_than_were_asked_for() -> None:
    backend = FakeBackend(hits=[hit(f"fake:{number}") for number in range(50)])
    query = RetrievalQuery.of("waste", limit=3)
    assert len(Cascade([backend]).search(query, ACCESS).sources) == 3


class TestFetch:
    def test_the_backend_that_the_id_names_is_asked(self) -> None:
        other = FakeBackend(name="solr", error=DOWN)
        wanted = document("text", "database:3:0")
        cascade = Cascade([other, FakeBackend(name="database", documents=[wanted])])
        assert cascade.fetch(wanted.source_id, ACCESS) == wanted

    def test_unknown_foreign_and_unavailable_are_never_told_apart(self) -> None:
        off = FakeBackend(
            name="solr", available=unavailable("no core"), documents=[document("x", "solr:1")]
        )
        cascade = Cascade([FakeBackend(name="database"), off])
        refusals = set()
        for source_id in ("database:3:0", "stranger:1", "solr:1"):
            with pytest.raises(SourceNotFound) as refused:
                cascade.fetch(SourceId.parse(source_id), ACCESS)
            refusals.add((str(refused.value), refused.value.__cause__))
        assert refusals == {("Source not found or not permitted.", None)}

    def test_a_backend_that_does_not_answer_is_told(self) -> None:
        cascade = Cascade([FakeBackend(name="solr", error=DOWN)])
        with pytest.raises(BackendUnavailable) as raised:
            cascade.fetch(SourceId.parse("solr:1"), ACCESS)
        assert raised.value is DOWN

    def test_a_strangers_exception_becomes_a_backend_error(self) -> None:
        cascade = Cascade([FakeBackend(name="stranger", error=KeyError("x"))])
        with pytest.raises(BackendError, match="stranger"):
            cascade.fetch(SourceId.parse("stranger:1"), ACCESS)


class TestAvailability:
    @pytest.mark.parametrize(
        ("each", "expected"),
        [([], False), ([unavailable("no core")], False), ([unavailable(""), AVAILABLE], True)],
    )
    def test_one_available_backend_is_enough(
        self, each: list[Availability], expected: bool
    ) -> None:
        cascade = Cascade([FakeBackend(available=available) for available in each])
        assert cascade.is_available() is expected

    @pytest.mark.parametrize("error", [DOWN, ZeroDivisionError()])
    def test_a_failing_one_is_not_available(self, error: Exception) -> None:
        assert not Cascade([FakeBackend(availability_error=error)]).is_available()
