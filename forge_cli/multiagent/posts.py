"""What turns post: read, held against what their item may post, and entered or refused."""

from collections.abc import Iterator, Sequence
from typing import Any

from forge_cli.multiagent.board import INLINE, Board, Post
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Item
from forge_cli.multiagent.terms import Json
from forge_cli.multiagent.values import quoted

KEYS = frozenset({"text", "tags", "channel"})
"""What a post may say. Who it is from is not for it to say, and who hears it is not either."""

MOST = 100
"""Posts of one turn; what is beyond them is refused."""

TAGS = 16
"""Tags of one post."""

LONGEST_TAG = 64
"""Characters of a tag."""


def posted(node: Node, event: Event) -> tuple[Json, ...]:
    """Enter what the ended turn of a node posts; returns a note on each post that is refused."""
    said, board = event.body.get("posts", []), node.board
    found = _found(node, event)
    if board is not None:
        for post in (said[index] for index, fault in found if not fault):
            board.take(_post(board, node, event, post))
    return tuple(
        {"post": f"{node.item_id}/{node.turn}/{index}", "reason": fault}
        for index, fault in found
        if fault
    )


def refused(node: Node, event: Event) -> list[str]:
    """Why posts of an ended turn of the node, which did not fail, reach nobody; one reason each."""
    return [fault for _, fault in _found(node, event) if fault]


def _found(node: Node, event: Event) -> list[tuple[int, str]]:
    group = node.board.group if node.board else None
    return list(enumerate(faults(node.item, group, event.body.get("posts", []))))


def faults(item: Item, group: Item | None, said: Sequence[Json]) -> Iterator[str]:
    """What is wrong with each post of one turn, or nothing; all that are too many are one.

    `group` is the item whose sub-tasks talk and that the poster is one of, if it is.
    """
    weight = 0
    for post in said[:MOST]:
        fault = _fault(post) or _misplaced(item, group, post)
        if not fault:
            weight += _weight(post)
            if weight > INLINE:
                fault = f"the posts of this turn have over {INLINE} bytes with it"
        yield fault
    if len(said) > MOST:
        yield f"of its {len(said)} posts the first {MOST} are taken"


def _fault(post: Any) -> str:
    """What is wrong with the form of a post, or nothing."""
    if not isinstance(post, dict):
        return "a post is an object with a text"
    if surplus := post.keys() - KEYS:
        named = ascii(min(surplus, key=str))
        return f"a post has no {named:.40}, only text, tags and channel; its sender is known"
    text, tags, channel = post.get("text"), post.get("tags", []), post.get("channel", "")
    if not isinstance(text, str) or not text.strip():
        return "it has no text"
    if not isinstance(tags, list) or not all(isinstance(tag, str) and tag.strip() for tag in tags):
        return "its tags are no list of words"
    if len(tags) > TAGS or any(len(tag) > LONGEST_TAG for tag in tags):
        return f"it has more than {TAGS} tags, or one of over {LONGEST_TAG} characters"
    return "" if isinstance(channel, str) else "its channel is no text"


def _misplaced(item: Item, group: Item | None, post: dict[str, Any]) -> str:
    """Why an item may not post where it wants to, or nothing."""
    channel = post.get("channel", "")
    if group is None:
        return "it is no part of an item whose sub-tasks talk"
    if group.pattern == "joint":
        return f"a board has no channels, so none is named {channel!a:.80}" if channel else ""
    allowed = _allowed(item, group)
    if not channel:
        return "" if len(allowed) == 1 else f"it names no channel; it may post to {quoted(allowed)}"
    if channel not in group.channels:
        return f"there is no channel {channel!a:.80}; there are {quoted(group.channels)}"
    if channel not in allowed:
        return f"it may not post to {channel!r}, only to {quoted(allowed)}"
    return ""


def _allowed(item: Item, group: Item) -> tuple[str, ...]:
    return group.channels if item.posts is None else item.posts


def _weight(post: dict[str, Any]) -> int:
    words = (post["text"], post.get("channel", ""), *post.get("tags", ()))
    return sum(len(word.encode(errors="replace")) for word in words)


def _post(board: Board, node: Node, event: Event, post: dict[str, Any]) -> Post:
    channel = post.get("channel", "")
    if board.group.pattern != "joint":
        channel = channel or _allowed(node.item, board.group)[0]
    return Post(
        node.item_id,
        node.item.role_id,
        event.attempt,
        event.time,
        post["text"],
        _weight(post),
        tuple(post.get("tags", ())),
        channel,
        board.marks.get("round", 0),
    )
