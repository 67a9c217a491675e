"""What a manifest means: who does what, with which grant, and who waits for whom."""

from collections.abc import Callable

from forge_cli.manifest.meaning.order import Links
from forge_cli.manifest.meaning.topology import Topology

Meaning = Callable[[str], Topology]

ROLES = """
forge: 1
roles:
  lead:
    version: 7
    capabilities: [repository-read, repository-write, test-run]
    delegates: {to: [reviewer], capabilities: [repository-read]}
    handler: {kind: command, argv: [bin/lead]}
  reviewer:
    capabilities: [repository-read, test-run]
    scope: [files:src/**, files:tests/**]
    outputs: [findings]
    handler: {kind: command, argv: [bin/review]}
delegations:
  look:
    delegator: agent:lead@7
    delegate: agent:reviewer
    purpose: Look at it
    scope: [files:src/**]
    authority: [repository-read]
    completion: schema:findings@1
    deadline: 1h
    budget: {model_calls: 3}
    on_failure: fail
    return_channel: state:findings
"""


def test_an_item_has_what_its_role_has_where_it_does_not_narrow_it(meaning: Meaning) -> None:
    node = meaning(ROLES + "work_items: {review: {role: reviewer}}").nodes["review"]
    assert node.capabilities == {"repository-read", "test-run"}
    assert node.scope == ("files:src/**", "files:tests/**")
    assert node.outputs == ("findings",)


def test_an_item_that_says_a_key_has_no_more_than_it_says(meaning: Meaning) -> None:
    text = ROLES + "work_items: {review: {role: reviewer, capabilities: [], scope: []}}"
    node = meaning(text).nodes["review"]
    assert node.capabilities == frozenset()
    assert node.actions == frozenset()
    assert node.scope == ()


def test_an_item_under_a_contract_has_what_the_contract_gives(meaning: Meaning) -> None:
    node = meaning(ROLES + "work_items: {review: {delegation: look}}").nodes["review"]
    assert node.agent is not None
    assert node.agent.role_id == "reviewer"
    assert node.capabilities == {"repository-read"}
    assert node.scope == ("files:src/**",)
    assert node.outputs == ("findings",)


def test_an_item_that_may_write_writes_below_its_scope_unless_it_says_so(meaning: Meaning) -> None:
    nodes = meaning(
        ROLES
        + """
work_items:
  build: {role: lead}
  patch: {role: lead, writes: [files:src/**]}
  review: {role: reviewer}
"""
    ).nodes
    assert nodes["build"].writes == ("files:**",)
    assert nodes["patch"].writes == ("files:src/**",)
    assert nodes["review"].writes == ()


def test_only_reading_and_running_tests_is_read_only(meaning: Meaning) -> None:
    nodes = meaning(
        """
        capabilities: {look-up: [file-read], search: ["tool:logs/query"], label: []}
        work_items:
          a: {run: [x], capabilities: [repository-read, test-run]}
          b: {run: [x], capabilities: [repository-read, process]}
          c: {run: [x], capabilities: [network]}
          d: {run: [x], capabilities: [look-up, label]}
          e: {run: [x], capabilities: [search]}
        """
    ).nodes
    risks = {name: node.risk for name, node in nodes.items()}
    assert risks == {
        "a": "read_only",
        "b": "reversible",
        "c": "reversible",
        "d": "read_only",
        "e": "reversible",
    }


def test_an_unknown_word_allows_nothing(meaning: Meaning) -> None:
    node = meaning("work_items: {a: {run: [x], capabilities: [everything]}}").nodes["a"]
    assert node.actions == frozenset()


def test_sub_tasks_inherit_what_they_share_and_may_narrow_it(meaning: Meaning) -> None:
    nodes = meaning(
        ROLES
        + """
work_items:
  team:
    pattern: parallel
    role: lead
    goal: Make it
    scope: [files:src/**]
    sub_tasks:
      api: {}
      web: {scope: [files:src/web/**], goal: Make the page}
"""
    ).nodes
    api, web = nodes["team.api"], nodes["team.web"]
    assert api.agent is web.agent is not None
    assert (api.scope, web.scope) == (("files:src/**",), ("files:src/web/**",))
    assert (api.written["goal"], web.written["goal"]) == ("Make it", "Make the page")
    assert nodes["team"].children == ("team.api", "team.web")
    assert nodes["team"].outputs == ("api", "web")


def test_inherited_capabilities_are_cut_to_those_of_the_role(meaning: Meaning) -> None:
    nodes = meaning(
        ROLES
        + """
work_items:
  team:
    pattern: parallel
    capabilities: [repository-read, repository-write]
    sub_tasks: {look: {role: reviewer}}
"""
    ).nodes
    assert nodes["team.look"].capabilities == {"repository-read"}


def test_inherited_writes_are_cut_to_a_narrower_scope(meaning: Meaning) -> None:
    nodes = meaning(
        ROLES
        + """
work_items:
  team:
    pattern: parallel
    role: lead
    writes: [files:src/**]
    sub_tasks: {web: {scope: [files:src/web/**]}}
"""
    ).nodes
    assert nodes["team.web"].writes == ("files:src/web/**",)


def test_references_to_outputs_order_like_depends_on_and_to_status_like_after(
    meaning: Meaning,
) -> None:
    links = meaning(
        """
        work_items:
          a: {run: [x], capabilities: []}
          b: {run: [x], capabilities: []}
          c: {run: [x], capabilities: []}
          d:
            run: [echo, "${items.a.outputs.result}", "${items.b.status}"]
            capabilities: []
            depends_on: [c]
            when: items.a.status == 'succeeded'
        """
    ).links
    assert links["d"] == Links(("c", "a"), ("b",))


def test_conditions_with_quoted_names_order_as_well(meaning: Meaning) -> None:
    links = meaning(
        """
        work_items:
          a-b: {run: [x], capabilities: []}
          c: {run: [x], capabilities: [], when: 'length(items."a-b".outputs.result) > `0`'}
        """
    ).links
    assert links["c"] == Links(("a-b",))


def test_a_sibling_is_meant_before_an_item_of_the_same_name(meaning: Meaning) -> None:
    links = meaning(
        ROLES
        + """
work_items:
  api: {role: reviewer}
  team:
    pattern: parallel
    role: reviewer
    sub_tasks:
      api: {}
      web: {depends_on: [api]}
"""
    ).links
    assert links["team.web"] == Links(("team.api",))


def rings(topology: Topology) -> list[tuple[str, ...]]:
    return list(topology.order.rings())


def chain(*pairs: str) -> str:
    items = {}
    for pair in pairs:
        name, _, others = pair.partition(" ")
        items[name] = f"{{run: [x], capabilities: [], depends_on: [{others}]}}"
    return "work_items:\n" + "".join(f"  {name}: {item}\n" for name, item in items.items())


def test_a_ring_is_found_with_its_links_in_order(meaning: Meaning) -> None:
    assert rings(meaning(chain("a b", "b c", "c a", "d a"))) == [("a", "b", "c")]


def test_two_rings_are_found_once_each(meaning: Meaning) -> None:
    assert rings(meaning(chain("a b", "b a", "c d", "d c"))) == [("a", "b"), ("c", "d")]


def test_an_item_that_waits_for_itself_is_a_ring(meaning: Meaning) -> None:
    assert rings(meaning(chain("a a"))) == [("a",)]


def test_ten_thousand_items_in_one_ring_are_one_ring(meaning: Meaning) -> None:
    text = chain(*(f"i{n} i{(n + 1) % 10_000}" for n in range(10_000)))
    assert [len(ring) for ring in rings(meaning(text))] == [10_000]


def test_an_item_that_reads_its_own_sub_task_waits_for_itself(meaning: Meaning) -> None:
    topology = meaning(
        ROLES
        + """
work_items:
  team:
    pattern: parallel
    role: reviewer
    goal: "${items.team.look.outputs.findings}"
    sub_tasks: {look: {}}
"""
    )
    assert rings(topology) == [("team.look",)]


def test_what_waits_for_an_item_waits_for_its_sub_tasks(meaning: Meaning) -> None:
    topology = meaning(
        ROLES
        + """
work_items:
  first: {role: reviewer}
  team: {pattern: parallel, role: reviewer, depends_on: [first], sub_tasks: {look: {}}}
  last: {role: reviewer, depends_on: [team]}
"""
    )
    over = dict(topology.order.sweep({"first": 0, "team.look": 1, "last": 2}))
    assert over == {"first": 0b000, "team.look": 0b001, "last": 0b011}


def test_anything_may_be_missing(meaning: Meaning) -> None:
    topology = meaning(
        """
        roles: {a: {}}
        delegations: {d: {}}
        work_items:
          one: {role: nobody}
          two: {delegation: d}
          three: {delegation: nothing}
          four: {}
          five: {pattern: parallel, sub_tasks: {six: {}}}
        """
    )
    assert set(topology.nodes) == {"one", "two", "three", "four", "five", "five.six"}
    assert all(node.capabilities == frozenset() for node in topology.nodes.values())
    assert topology.order.sorted
