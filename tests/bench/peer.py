"""One run of LangGraph, in an environment that has it: `peer.py fan-out|chain COUNT DATABASE`."""

import operator
import sys
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send


class State(TypedDict):
    """What nodes read and add to."""

    results: Annotated[list[int], operator.add]


def nothing(state: State) -> State:
    """A node that does nothing."""
    return {"results": [0]}


def graph(shape: str, count: int) -> Any:
    """So many nodes, side by side or one after the other."""
    builder = StateGraph(State)
    if shape == "fan-out":
        builder.add_node("nothing", nothing)
        builder.add_conditional_edges(START, lambda _: [Send("nothing", {})] * count, ["nothing"])
        return builder
    names = [f"i{number}" for number in range(count)]
    for name in names:
        builder.add_node(name, nothing)
    for one, other in zip([START, *names], [*names, END], strict=True):
        builder.add_edge(one, other)
    return builder


def main(shape: str, count: int, database: str) -> None:
    """Run it to its end, each step durable before the next begins."""
    with SqliteSaver.from_conn_string(database) as saver:
        compiled = graph(shape, count).compile(checkpointer=saver)
        config = {
            "configurable": {"thread_id": "1"},
            "recursion_limit": count + 10,
            "max_concurrency": 4,
        }
        ended = compiled.invoke({"results": []}, config, durability="sync")
        if len(ended["results"]) != count:
            sys.exit(f"{len(ended['results'])} of {count} nodes ran")
        if saver.conn.execute("PRAGMA synchronous").fetchone() != (2,):
            sys.exit("its SQLite does not sync each commit in full")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
