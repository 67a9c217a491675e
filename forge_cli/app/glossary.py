"""Exit codes and statuses, each with what it means: the one table of them."""

from collections.abc import Mapping

EXIT_CODES: Mapping[int, str] = {
    0: "clean, complete or verified",
    1: "findings of validate, diff or verify, or the run failed",
    2: "usage, configuration, unreadable input, something needed is missing, or a manifest that "
    "another command than validate refuses",
    3: "degraded; 0 with --allow-degraded",
    4: "paused: a decision is awaited; 0 with --allow-paused",
    5: "nothing to check: no input matched; 0 with --allow-empty",
    70: "a bug in forge; the message says where the traceback was saved",
    130: "interrupted (Ctrl-C)",
    141: "the reader of the output went away (closed pipe)",
    143: "terminated (SIGTERM)",
}

RUN_STATUSES: Mapping[str, str] = {
    "complete": "every required item was accepted, and nothing else failed. Exit code 0; final.",
    "degraded": "every required item was accepted, something that is not required was not. Exit "
    "code 3; final.",
    "failed": "a required item was not accepted. Exit code 1; final.",
    "paused": "an item awaits a decision, or its fate is unknown. Exit code 4.",
    "interrupted": "the run was stopped by Ctrl-C or SIGTERM before its end. Exit code 130 or 143.",
    "abandoned": "the run's controller is gone: its lease lapsed without an end.",
}

ITEM_STATUSES: Mapping[str, str] = {
    "succeeded": "its result was accepted: schema, criteria and evidence hold.",
    "failed": "its last attempt came to nothing, or its result was rejected.",
    "denied": "it was not let run, or asked for more than its contract grants.",
    "cancelled": "it was stopped, or never started, since something else failed.",
    "blocked": "something that it depends on ended otherwise than succeeded or skipped.",
    "skipped": "its 'when' was false, or something that it depends on was skipped.",
    "paused": "it awaits a decision; what depends on it waits.",
    "indeterminate": "an attempt was lost and may have had effects: neither success nor failure "
    "until somebody decides.",
}
