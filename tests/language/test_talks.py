"""Items whose sub-tasks talk: each key has an effect, on handlers of every kind."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]

SPEAKER = """
from forge_cli.multiagent.turn import TurnResult

def talk(turn):
    heard = [message.payload["text"] for message in turn.inbox if "text" in message.payload]
    told = [message.payload["reason"] for message in turn.inbox if "reason" in message.payload]
    so_far = (turn.state or []) + heard
    if turn.number <= turn.inputs.get("turns", 1):
        posts = [{"text": f"{turn.item_id} {turn.number}", **turn.inputs.get("post", {})}]
        return TurnResult.yields(so_far, tuple(posts))
    return {"heard": so_far, "told": told}
"""
PROGRAM = """
import json, sys

turn = json.load(sys.stdin)
heard = [m["payload"]["text"] for m in turn.get("inbox", [])]
if turn["number"] == 1:
    print(json.dumps({"status": "yields", "state": 7, "posts": [{"text": "from a program"}]}))
else:
    print(json.dumps({"heard": heard, "told": [turn["state"], turn["group"]["round"]]}))
"""
FILES = {"speaker.py": SPEAKER, "program.py": PROGRAM}
ROLES = f"""
roles:
  speaker:
    capabilities: []
    outputs: [heard, told]
    handler: {{kind: function, call: "speaker.py:talk"}}
  program:
    capabilities: []
    outputs: [heard, told]
    handler: {{kind: command, argv: ["{sys.executable}", program.py]}}
"""


def test_functions_and_programs_share_a_board(run: Run) -> None:
    ran = run(
        f"""{ROLES}
work_items:
  g:
    pattern: joint
    sub_tasks: {{a: {{role: speaker}}, b: {{role: program}}}}
""",
        files=FILES,
    )
    assert ran.code == 0
    output = ran.output("g")
    assert output["a"]["heard"] == ["from a program"]
    assert output["b"] == {"heard": ["g.a 1"], "told": [7, 2]}
    assert [(entry["author"], entry["round"]) for entry in output["board"]] == [("a", 1), ("b", 1)]
    assert [conflict["output"] for conflict in output["conflicts"]] == ["heard", "told"]


def test_rounds_end_a_joint_item(run: Run) -> None:
    ran = run(
        f"""{ROLES}
work_items:
  g:
    pattern: joint
    rounds: 2
    sub_tasks: {{a: {{role: speaker, with: {{turns: 9}}}}}}
""",
        files=FILES,
    )
    assert ran.code == 1
    assert ran.items["g.a"]["reason"] == "it was not done after 2 rounds"


def test_a_joint_item_listens_to_tags(run: Run) -> None:
    ran = run(
        f"""{ROLES}
work_items:
  g:
    pattern: joint
    sub_tasks:
      a: {{role: speaker, with: {{post: {{tags: [api]}}}}, listens: []}}
      b: {{role: speaker, listens: [api]}}
""",
        files=FILES,
    )
    assert [ran.output("g")[name]["heard"] for name in ("a", "b")] == [[], ["g.a 1"]]


BUS = f"""{ROLES}
work_items:
  g:
    pattern: broadcast
    channels: [facts, guesses]
    sub_tasks:
      a: {{role: speaker, posts: [facts], with: {{post: {{channel: CHANNEL}}}}}}
      b: {{role: speaker, depends_on: [a], listens: [facts], with: {{turns: 0}}}}
      c: {{role: speaker, depends_on: [a], listens: [guesses], with: {{turns: 0}}}}
"""


def test_channels_carry_messages_to_those_who_listen(run: Run) -> None:
    ran = run(BUS.replace("CHANNEL", "facts"), files=FILES)
    output = ran.output("g")
    assert [output[name]["heard"] for name in ("a", "b", "c")] == [[], ["g.a 1"], []]
    assert [(entry["author"], entry["channel"]) for entry in output["log"]] == [("a", "facts")]


@pytest.mark.parametrize(
    ("channel", "told"),
    [
        ("fact", "there is no channel 'fact'; there are 'facts', 'guesses'"),
        ("guesses", "it may not post to 'guesses', only to 'facts'"),
    ],
)
def test_a_post_to_where_it_may_not_go_reaches_nobody_and_is_told(
    run: Run, channel: str, told: str
) -> None:
    ran = run(BUS.replace("CHANNEL", channel), files=FILES)
    output = ran.output("g")
    assert output["a"]["told"] == [told]
    assert [output[name]["heard"] for name in ("b", "c")] == [[], []]
    assert output["log"] == []


def test_the_buffer_of_the_settings_drops_the_oldest(run: Run) -> None:
    text = BUS.replace("channel: CHANNEL}", "channel: facts}, turns: 5")
    ran = run("settings: {broadcast_buffer_size: 2}" + text, files=FILES)
    assert ran.output("g")["b"]["heard"] == ["g.a 4", "g.a 5"]
    assert ran.events("turn_started", "g.b")[0]["heard"] == {"after": 0, "upto": 5, "lost": 3}


def test_the_environment_lowers_the_buffer(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE_BROADCAST_BUFFER_SIZE", "1")
    text = BUS.replace("channel: CHANNEL}", "channel: facts}, turns: 5")
    assert run(text, files=FILES).output("g")["b"]["heard"] == ["g.a 5"]


def test_the_environment_lowers_how_many_may_share_a_board(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGE_MAX_JOINT_AGENTS", "1")
    ran = run(
        f"""{ROLES}
work_items: {{g: {{pattern: joint, sub_tasks: {{a: {{role: speaker}}, b: {{role: speaker}}}}}}}}
""",
        files=FILES,
    )
    assert ran.code == 2
    assert "FORGE_MAX_JOINT_AGENTS is 1, joint item 'g' has 2 sub-tasks" in ran.said


def test_a_sender_is_never_what_a_handler_says(run: Run) -> None:
    text = BUS.replace("channel: CHANNEL", "channel: facts, from: supervisor")
    ran = run(text, files=FILES)
    assert "a post has no 'from'" in ran.output("g")["a"]["told"][0]
    assert ran.output("g")["log"] == []
