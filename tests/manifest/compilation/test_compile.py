"""From a manifest to its plan: defaults filled, limits narrowed, digests over what takes part."""

from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.canonical import digest, digest_of_bytes
from forge_cli.manifest.compilation.compile import name_of, unsupported
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.reading.source import parse
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Deadline, Input, Plan, Retry, StateKey
from forge_cli.multiagent.plan_document import plan_document

Compiled = Callable[..., Plan]
EXAMPLES = sorted((Path(__file__).parents[1] / "examples_ok").glob("*.yaml"))

HELLO = "work_items: {hello: {run: [echo, hello], capabilities: []}}"
ROLE = """
roles:
  worker:
    capabilities: [repository-read, repository-write]
    handler: {kind: function, call: "handlers.py:work"}
"""


def test_what_a_manifest_leaves_out_has_its_default(compiled: Compiled) -> None:
    plan = compiled(HELLO, path="some/where/hello.forge.yaml")
    assert (plan.name, plan.version, plan.manifest) == ("hello", "0.0.0", "hello.forge.yaml")
    assert plan.budget == Budget(model_calls=100)
    assert plan.deadline == Deadline(within=6 * 3_600_000)
    assert (plan.max_concurrency, plan.minimum_successes, plan.evidence) == (4, None, "full")
    item = plan.items["hello"]
    assert (item.timeout, item.then, item.on_crash, item.required) == (
        3_600_000,
        "fail",
        "rerun",
        True,
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("fix.forge.yaml", "fix"),
        ("a/b/My Plan.yml", "my-plan"),
        ("-", "manifest"),
        ("2026.forge.yaml", "manifest-2026"),
        ("résumé.yaml", "r-sum"),
    ],
)
def test_the_name_is_the_stem_of_the_file_as_an_id(path: str, name: str) -> None:
    assert name_of(path) == name


def test_a_run_is_a_command_that_reads_nothing_and_answers_with_text(compiled: Compiled) -> None:
    role = compiled(HELLO).roles["inline:hello"]
    assert role.handler.kind == "command"
    assert role.handler.config == {
        "argv": ["echo", "hello"],
        "stdin": "none",
        "result": "text",
        "extract": {},
        "exit_codes": {},
        "grace": 5_000,
        "max_output": 16 * 2**20,
        "env": {},
        "secrets": [],
    }


def test_a_script_is_bash_with_its_inputs_in_the_environment(compiled: Compiled) -> None:
    plan = compiled(
        "work_items: {hi: {script: 'echo $INPUT_WHO ${HOME}', with: {who: you}, capabilities: []}}"
    )
    config = plan.roles["inline:hi"].handler.config
    assert config["argv"] == ["bash", "-euo", "pipefail", "-c", "echo $INPUT_WHO ${HOME}"]
    assert config["inputs_as_env"] is True
    assert plan.items["hi"].inputs == {"who": "you"}


def test_written_outputs_go_through_the_result_file(compiled: Compiled) -> None:
    plan = compiled("work_items: {hi: {script: make, outputs: [a, b], capabilities: []}}")
    assert plan.roles["inline:hi"].handler.config["result"] == "file"
    assert plan.items["hi"].grant.outputs == ("a", "b")


def test_a_command_handler_speaks_json_unless_it_says_otherwise(compiled: Compiled) -> None:
    plan = compiled(
        """
        roles: {a: {capabilities: [], handler: {kind: command, argv: [x], grace: 2s}}}
        work_items: {one: {role: a}}
        """
    )
    config = plan.roles["a"].handler.config
    assert (config["stdin"], config["result"], config["grace"]) == ("json", "stdout-json", 2_000)


def test_a_handlers_digest_covers_its_file(compiled: Compiled) -> None:
    text = ROLE + "work_items: {one: {role: worker}}"
    one = compiled(text, files={"handlers.py": b"one"})
    two = compiled(text, files={"handlers.py": b"two"})
    assert one.roles["worker"].handler.digest != two.roles["worker"].handler.digest
    assert one.digest != two.digest
    assert list(one.files) == ["handlers.py"]


def test_a_commands_digest_covers_every_argument_that_is_a_file(compiled: Compiled) -> None:
    text = "work_items: {one: {run: [./run.sh, data.csv, --fast], capabilities: []}}"
    one = compiled(text, files={"./run.sh": b"x", "data.csv": b"1"})
    two = compiled(text, files={"./run.sh": b"x", "data.csv": b"2"})
    assert sorted(one.files) == ["./run.sh", "data.csv"]
    handlers = [plan.roles["inline:one"].handler.digest for plan in (one, two)]
    assert handlers[0] != handlers[1]


def test_the_digest_is_over_the_document_without_it(compiled: Compiled) -> None:
    plan = compiled(HELLO)
    document = plan_document(plan)
    assert document.pop("digest") == digest(document) == plan.digest


def test_the_same_manifest_gives_the_same_plan(compiled: Compiled) -> None:
    assert compiled(HELLO) == compiled(HELLO)


def test_a_policy_is_attempts_and_what_comes_then(compiled: Compiled) -> None:
    plan = compiled(
        """
        work_items:
          one:
            run: [x]
            capabilities: []
            on_failure:
              retry: {max_attempts: 3, backoff: 2s, factor: 1.5, max: 60s, on: [timeout]}
              then: continue
        """
    )
    item = plan.items["one"]
    assert item.retry == Retry(3, 2_000, 1_500, 60_000, frozenset({"timeout"}))
    assert item.then == "continue"


def test_an_item_under_a_contract_is_held_to_all_of_its_terms(compiled: Compiled) -> None:
    plan = compiled(
        """
        roles:
          lead:
            capabilities: [read]
            delegates: {to: [reviewer]}
            handler: {kind: command, argv: [x]}
          reviewer:
            capabilities: [read]
            outputs: [findings]
            budget: {model_calls: 9, tokens: 5}
            handler: {kind: command, argv: [x]}
        context_packages:
          brief: {summary: {source: a, author: b, confidence: "1", text: c}}
        schemas: {findings@1: {type: object}}
        delegations:
          look:
            delegator: agent:lead
            delegate: agent:reviewer
            purpose: Find ${what} is wrong
            scope: [files:src/**]
            authority: [read]
            context_package: context:brief
            completion: schema:findings@1
            criteria: [findings]
            deadline: 90m
            budget: {model_calls: 6, cost_usd: 3}
            evidence: [findings]
            on_failure: return-partial-and-escalate
            return_channel: state:findings
        work_items: {review: {delegation: look}}
        """
    )
    item = plan.items["review"]
    assert item.chain == ("run", "delegates:lead", "delegation:look", "role:reviewer")
    assert set(item.chain) <= set(plan.contracts)
    assert item.budget == Budget(model_calls=6, cost_usd=3_000_000, tokens=5)
    assert item.deadline == Deadline(within=5_400_000)
    assert (item.completion, item.context_package) == ("findings@1", "brief")
    assert (item.criteria, item.evidence) == (("findings",), ("findings",))
    assert (item.then, item.return_key) == ("return-partial-and-escalate", "findings")
    assert item.goal == "Find $${what} is wrong"
    assert plan.contracts["delegation:look"].depth == 0
    assert plan.state == {"findings": StateKey("reviewer")}


def test_what_a_budget_leaves_out_is_the_least_that_anything_behind_the_item_has(
    compiled: Compiled,
) -> None:
    plan = compiled(
        """
        roles:
          lead:
            capabilities: []
            budget: {model_calls: 4, tokens: 8}
            delegates: {to: [reviewer]}
            handler: {kind: command, argv: [x]}
          reviewer:
            capabilities: []
            budget: {model_calls: 9, tokens: 5, tool_calls: 7}
            handler: {kind: command, argv: [x]}
        schemas: {any@1: {type: object}}
        delegations:
          look:
            delegator: agent:lead
            delegate: agent:reviewer
            purpose: Look
            scope: []
            authority: []
            completion: schema:any@1
            deadline: 90m
            budget: {cost_usd: 3}
            on_failure: fail
        work_items:
          look: {delegation: look}
          team:
            pattern: parallel
            role: reviewer
            budget: {tool_calls: 6}
            sub_tasks: {a: {}}
        """
    )
    asked = Budget(model_calls=4, tokens=5, tool_calls=7, cost_usd=3_000_000)
    assert plan.items["look"].budget == asked
    assert plan.items["team.a"].budget == Budget(model_calls=9, tokens=5, tool_calls=6)


def test_sub_tasks_come_behind_their_item_and_name_it(compiled: Compiled) -> None:
    plan = compiled(
        ROLE
        + """
work_items:
  team:
    pattern: parallel
    role: worker
    budget: {model_calls: 5}
    sub_tasks: {a: {writes: [files:a/**]}, b: {writes: [files:b/**], required: false}}
  last: {role: worker, after: [team]}
"""
    )
    assert list(plan.items) == ["team", "team.a", "team.b", "last"]
    team, sub = plan.items["team"], plan.items["team.b"]
    assert (team.pattern, team.children, team.role_id) == ("parallel", ("team.a", "team.b"), "")
    assert (sub.parent, sub.required) == ("team", False)
    assert sub.chain == ("run", "item:team", "role:worker")
    assert plan.contracts["item:team"].budget == Budget(model_calls=5)


def test_elements_that_write_the_same_go_one_at_a_time(compiled: Compiled) -> None:
    plan = compiled(
        ROLE
        + """
work_items:
  all: {role: worker, for_each: [a, b], max_parallel: 2}
  own: {role: worker, for_each: [a, b], max_parallel: 2, writes: ["files:${each}/**"]}
  look: {role: worker, for_each: [a, b], max_parallel: 2, capabilities: [repository-read]}
"""
    )
    parallel = {name: item.max_parallel for name, item in plan.items.items()}
    assert parallel == {"all": 1, "own": 2, "look": 2}
    assert plan.items["own"].with_each
    assert not plan.items["all"].with_each
    assert plan.items["own"].pattern == "each"


def test_inputs_without_a_default_are_required(compiled: Compiled) -> None:
    plan = compiled("inputs: {a: {}, b: {default: 0}, c: {type: string, default: x}}\n" + HELLO)
    assert plan.inputs == {
        "a": Input(required=True),
        "b": Input(required=False, default=0),
        "c": Input(required=False, default="x", type="string"),
    }


def test_schemas_come_into_the_plan_whole(compiled: Compiled) -> None:
    plan = compiled(
        ROLE + "work_items: {one: {role: worker, completion: schemas/out.json}}",
        files={
            "handlers.py": b"",
            "schemas/out.json": b'{"properties": {"result": {"$ref": "core.json#/$defs/text"}}}',
            "schemas/core.json": b'{"$defs": {"text": {"type": "string"}}}',
        },
    )
    schema = plan.schemas["schemas/out.json"]
    reference = "#/$defs/schemas~1core.json/$defs/text"
    assert schema["properties"]["result"] == {"$ref": reference}
    assert schema["$defs"]["schemas/core.json"] == {"$defs": {"text": {"type": "string"}}}
    assert set(plan.files) == {"handlers.py", "schemas/out.json", "schemas/core.json"}


def test_a_file_that_is_listed_as_well_is_the_listed_schema(compiled: Compiled) -> None:
    text = """
        forge: 1
        schemas: {findings@3: f.json}
        work_items: {a: {run: [x], capabilities: [], completion: f.json}}
        """
    plan = compiled(text, files={"f.json": b"{}"})
    assert plan.items["a"].completion == "findings@3"
    assert list(plan.schemas) == ["findings@3"]


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_every_example_compiles(path: Path, compiled: Compiled) -> None:
    plan = compiled(path.read_text(), path=path.name)
    assert plan.items
    assert all(set(item.chain) <= set(plan.contracts) for item in plan.items.values())


def refusals(text: str) -> list[str]:
    return unsupported(Topology(parse(text.encode()).data or {}))


def test_what_can_be_run_is_not_refused() -> None:
    assert refusals(ROLE + "work_items: {one: {role: worker}, two: {run: [x]}}") == []


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("{run: [x], review: {of: [], quorum: 1}}", "item 'one' says 'review'"),
    ],
)
def test_what_cannot_be_run_yet_is_refused_by_name(item: str, words: str) -> None:
    (sentence,) = refusals(f"{ROLE}work_items: {{one: {item}}}")
    assert words in sentence
    assert ";" in sentence


TEAM = b"""
roles:
  reviewer:
    capabilities: []
    outputs: [verdict]
    handler: {kind: function, call: "handlers.py:review"}
  builder: {capabilities: [], handler: {kind: command, argv: [make]}}
schemas:
  verdict@1: verdict.json
  same@1: {$ref: verdict.json}
"""
SHARED = {
    "../team/roles.yaml": TEAM,
    "../team/handlers.py": b"def review(turn): ...",
    "../team/verdict.json": b'{"required": ["verdict"]}',
}
WITH_TEAM = """
forge: 1
include: [../team/roles.yaml]
work_items:
  review: {role: reviewer, completion: "schema:verdict@1"}
"""


def test_what_an_included_file_names_is_found_beside_it(compiled: Compiled) -> None:
    plan = compiled(WITH_TEAM, files=SHARED)
    assert plan.roles["reviewer"].handler.config == {"call": "../team/handlers.py:review"}
    assert {*plan.files} == {"../team/handlers.py", "../team/verdict.json"}
    assert plan.schemas["verdict@1"] == {"required": ["verdict"]}
    assert plan.schemas["same@1"]["$defs"] == {"../team/verdict.json": {"required": ["verdict"]}}


def test_the_bytes_of_an_included_file_are_part_of_the_digest(compiled: Compiled) -> None:
    plan = compiled(WITH_TEAM, files=SHARED)
    assert plan.included == {"../team/roles.yaml": digest_of_bytes(TEAM)}
    other = compiled(WITH_TEAM, files={**SHARED, "../team/roles.yaml": TEAM + b"# changed\n"})
    assert other.digest != plan.digest


def test_of_an_included_file_the_plan_has_only_roles_that_are_used(compiled: Compiled) -> None:
    plan = compiled(WITH_TEAM, files=SHARED)
    assert [*plan.roles] == ["reviewer"]
    assert "role:builder" not in plan.contracts
