import pytest

from forge_cli.evidence.responses import Responses
from forge_cli.multiagent.events import Event

ASKED = Event(0, "turn_started", "build", "r/build/1", {"role": "builder@2"})
ANSWER = Event(1, "turn_ended", "build", "r/build/1", {"sender": "builder#build", "status": "done"})


def sentences(*events: Event) -> list[str]:
    responses = Responses()
    for line, event in enumerate(events, start=1):
        responses.check(event, line)
    responses.end(len(events))
    return [check.sentence for check in responses.faults.checks("") if not check.ok]


@pytest.mark.parametrize("status", ["done", "failed", "yields"])
def test_an_answer_of_the_one_that_was_asked_is_right(status: str) -> None:
    body = {**ANSWER.body, "status": status}
    assert sentences(ASKED, ANSWER._replace(body=body)) == []


def test_another_turn_of_the_same_attempt_is_asked_anew() -> None:
    assert sentences(ASKED, ANSWER, ASKED, ANSWER) == []


def test_an_answer_to_another_turn_of_the_attempt_is_found() -> None:
    second = ASKED._replace(body={**ASKED.body, "turn": 2})
    answer = ANSWER._replace(body={**ANSWER.body, "turn": 2})
    assert sentences(ASKED, ANSWER, second, answer) == []
    assert sentences(ASKED, ANSWER, second, ANSWER) == [
        "events.jsonl:4: 'r/build/1' answers turn 1, not 2"
    ]


def test_an_answer_of_somebody_else_is_found() -> None:
    body = {**ANSWER.body, "sender": "reviewer#build"}
    assert sentences(ASKED, ANSWER._replace(body=body)) == [
        "events.jsonl:2: 'reviewer#build' answers 'done', asked was 'builder#build'"
    ]


def test_an_answer_that_is_none_is_found() -> None:
    body = {**ANSWER.body, "status": "perhaps"}
    assert "answers 'perhaps'" in sentences(ASKED, ANSWER._replace(body=body))[0]


def test_an_answer_to_another_attempt_is_found() -> None:
    assert sentences(ASKED, ANSWER._replace(attempt="r/build/2"), ANSWER) == [
        "events.jsonl:2: 'r/build/2' answers no request that is open"
    ]


def test_a_second_answer_is_found() -> None:
    assert sentences(ASKED, ANSWER, ANSWER) == [
        "events.jsonl:3: 'r/build/1' answers no request that is open"
    ]


def test_a_request_that_is_made_twice_is_found() -> None:
    assert sentences(ASKED, ASKED, ANSWER) == ["events.jsonl:2: 'r/build/1' is asked twice at once"]


def test_a_request_that_was_never_answered_is_found() -> None:
    assert sentences(ASKED) == ["events.jsonl:1: the run ended, and 'r/build/1' was never answered"]


def test_a_request_that_is_lost_and_was_never_made_is_found() -> None:
    lost = Event(1, "turn_lost", "build", "r/build/1", {"reason": "its controller was lost"})
    assert sentences(ASKED, lost) == []
    assert sentences(lost) == ["events.jsonl:1: 'r/build/1' is lost and was not asked"]
