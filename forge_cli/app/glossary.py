"""The words that forge prints and manifests take, each with what it means: their one table."""

from collections.abc import Mapping

from forge_cli.manifest.meaning import actions
from forge_cli.multiagent import terms

EXIT_CODES: Mapping[int, str] = {
    0: "clean, complete or verified",
    1: "validate or verify found something, diff a version that must rise, plugins a broken one, "
    "the run failed, or its evidence does not hold",
    2: "usage, configuration, unreadable input, something needed is missing, or a manifest that "
    "another command than validate refuses",
    3: "degraded; 0 with --allow-degraded",
    4: "paused: a decision is awaited; 0 with --allow-paused",
    5: "nothing to check: no input matched; 0 with --allow-empty",
    70: "a bug in forge; the message says where the traceback was saved",
    129: "the terminal was closed (SIGHUP)",
    130: "interrupted (Ctrl-C)",
    141: "the reader of the output went away (closed pipe)",
    143: "terminated (SIGTERM)",
}

RUN_STATUSES: Mapping[str, str] = {
    "running": "its controller is alive.",
    "complete": "every required item was accepted, and nothing else failed. Exit code 0; final.",
    "degraded": "every required item was accepted, something that is not required was not. Exit "
    "code 3; final.",
    "failed": "a required item was not accepted. Exit code 1; final.",
    "paused": "an item stopped for a person to decide; forge resume takes the decision, and its "
    "verdict says how it is typed. Exit code 4.",
    "interrupted": "the run was stopped by Ctrl-C, SIGTERM or a terminal that closed, before "
    "its end. forge resume goes on with it. Exit code 130, 143 or 129.",
    "abandoned": "the process that ran it is gone, without an end in the ledger. forge resume "
    "goes on with it.",
    "refused": "nothing was started: the manifest asks for something that this version does not "
    "run, or that is missing here. Exit code 2.",
    "unreadable": "its ledger cannot be read.",
}

ITEM_STATUSES: Mapping[str, str] = {
    "waiting": "something that it depends on has not ended, or all slots are taken.",
    "ready": "it is next when a slot is free.",
    "running": "a turn of it, or of one of its parts, is in flight.",
    "retrying": "an attempt failed and another follows.",
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

_NOT_YET = "Checked, but not run by this version: forge run refuses it."

VALUES: Mapping[str, str] = {
    "1": "the version of the language that this forge reads.",
    "function": "a Python function in a file beside the manifest.",
    "command": "a program, started without a shell.",
    "agent": "a language model that works turn by turn, with the tools that its grant allows.",
    "mcp": "one tool of an MCP server, called with the item's inputs.",
    "claude-code": "Claude Code, a command-line agent; forge plan shows the command.",
    "codex": "Codex, a command-line agent; forge plan shows the command.",
    "gemini-cli": "Gemini CLI, a command-line agent; forge plan shows the command.",
    "opencode": "opencode, a command-line agent; forge plan shows the command.",
    "qwen-code": "Qwen Code, a command-line agent; forge plan shows the command.",
    "text": "standard output is the result.",
    "stdout-json": "standard output is one JSON object, the result.",
    "jsonl": "of a handler: standard output is JSON, an object on each line, and the last one is "
    "the result. As a format: the events as the ledger has them, an object on each line.",
    "file": "the result is the JSON object in the file that $FORGE_RESULT names.",
    "namespace": "a sandbox of bubblewrap: files, processes, network and memory of its own. It "
    "needs the program bwrap (Debian, Ubuntu: apt-get install bubblewrap; or pip install "
    "'forge-cli[sandbox]') and user namespaces: Ubuntu 24.04 allows them by an AppArmor profile, "
    "containers with  --security-opt seccomp=unconfined  or as their host says.",
    "landlock": "a sandbox of the kernel, without any program: files, TCP and signals are held; "
    "UDP and sockets that are files are not. Linux 6.2 or later.",
    "off": "no sandbox: the program runs as you do.",
    "prompt": "standard input is the item's goal, as text.",
    "json": "of a handler: standard input is the turn as one JSON object.",
    "none": "standard input is empty.",
    "full": "evidence keeps what handlers were given and answered.",
    "digests": "evidence keeps digests of what handlers were given and answered, not the texts.",
    "fail": "a required item ends the run as failed, another blocks what depends on it.",
    "continue": "what depends on the item starts all the same; its outputs are null.",
    "return-partial": "the partial result is kept in the evidence, and the item has failed.",
    "escalate": "the item pauses for a person, and the run ends paused.",
    "return-partial-and-escalate": "the partial result is kept in the evidence, and the item "
    "pauses for a person.",
    "compensate": "what the item, its parts and what depends on them did is undone by their "
    "'compensate', newest first, and the item has failed.",
    "string": "text.",
    "number": "a number, with a fraction or without.",
    "integer": "a whole number.",
    "boolean": "true or false.",
    "array": 'a list; on the command line as JSON, e.g. --input \'parts=["api", "web"]\'.',
    "object": "a mapping; on the command line as JSON, e.g. --input 'limits={\"rows\": 5}'.",
    "required": "the item pauses before each attempt until a person has approved its inputs.",
    "restore": "all that is below 'writes' is put back as it was before the item's first attempt; "
    "new files go, and nothing else is touched.",
    "low": "inserts no steps.",
    "medium": "inserts no steps.",
    "high": "may insert steps behind itself (decompose_task), as many as settings allow.",
    "rerun": "an attempt that was lost in a crash is made again, with the same idempotency key; "
    "after three such losses a person is asked.",
    "hold": "an attempt that was lost may have had effects, so it is never made again by itself: "
    "a crash or a timeout leaves the item indeterminate, and the run pauses.",
    "parallel": "the sub-tasks run side by side.",
    "joint": "the sub-tasks share a board, and read in each round what was posted in the last.",
    "broadcast": "the sub-tasks talk over named channels; nobody waits for anybody.",
    "resolve": "the sub-tasks propose; the lowest risk wins, then the most evidence.",
    "read_only": "a mistake changes nothing: the grant only reads and runs tests.",
    "reversible": "a mistake can be undone.",
    "irreversible": "a mistake cannot be undone, so a person must decide: such an item pauses "
    "before each attempt until it is approved, and no such proposal wins.",
    "reject": "a write by a turn that had not seen the last value is a conflict.",
    "append": "what is written is added to a list.",
    "union": "lists are joined, and each value is in it once.",
    "timeout": "an attempt took longer than its timeout.",
    "error": "the handler failed: an exception, or an exit status other than 0.",
    "invalid-output": "the result was no JSON, had other keys than declared, or was rejected.",
    "invalid-input": "the handler says that it was given something that it cannot use.",
    "budget": "what the turn needs is more than is left, or it used more than was reserved.",
}

CAPABILITIES: Mapping[str, str] = {
    word: f"Allows {', '.join(sorted(allowed))}. Grants are compared word by word: write the word "
    "that the role has."
    for word, allowed in terms.BUILT_IN.items()
}

ACTIONS: Mapping[str, str] = {
    action: "Allowed by the capabilities "
    + ", ".join(word for word, allowed in terms.BUILT_IN.items() if action in allowed)
    for action in sorted(actions.ACTIONS)
}

TERMS: Mapping[str, str] = {
    "workspace": "the folder that scopes, ledger and evidence are relative to, and in which "
    "handlers run: the git root above the manifest, else the manifest's folder; --workspace DIR.",
    "manifest": "the YAML file that says who may do what, within which limits.",
    "plan": "what a manifest comes to: every contract with its limits, fixed before the run.",
    "run": "one execution of a plan. Any end of its id that no other run here has names it.",
    "item": "one piece of work, an entry of work_items.",
    "turn": "one call of a handler.",
    "attempt": "one try at an item. A retry is another attempt, with an id of its own.",
    "inline": "an item that says 'run' or 'script' itself and needs no role.",
    "grant": "what a turn may use and touch: the narrowest of every contract above it.",
    "chain": "the contracts above a turn, from the run inwards; each one narrows the one before.",
    "contract": "what one party lets another do: capabilities, scope, budget, deadline, outputs.",
    "capability": "a word that stands for actions; see  forge explain capabilities.",
    "action": "what a capability allows: file-read, file-write, process or network.",
    "handler": "what does the work of a role: a function, a program, or a plug-in.",
    "preset": "a command-line agent that forge knows how to call, made a command.",
    "plug-in": "an installed Python distribution that adds a kind of handler; see  forge plugins.",
    "accepted": "the engine held the result against schema, criteria and evidence, and they hold.",
    "lost": "the attempt's controller is gone, so its end will never be known; on_crash says what "
    "follows.",
    "resumed": "another process goes on with the run.",
    "approved": "a person let the item run once, with what it showed.",
    "declined": "a person gave the item up: it ends denied.",
    "reissued": "a person lets the item begin again, with the same rights or fewer.",
    "done": "the turn gave a result, which is accepted or not.",
    "yields": "the turn saved its state, and the item goes on with another turn.",
    "post_message": "an agent's tool: tells others on the board, or on a channel, of its item.",
    "delegate_subagent": "an agent's tool: hands a task to another role, under a narrower "
    "contract; the answer is the child's result or an error.",
    "decompose_task": "an agent's tool: inserts steps behind the item that asks; the answer names "
    "them.",
    "read_file": "an agent's tool: reads a file within its scope.",
    "list_files": "an agent's tool: lists the files of its scope.",
    "search_files": "an agent's tool: looks for a text in the files of its scope.",
    "write_file": "an agent's tool: writes a whole file within its writes, as a turn of its own.",
    "edit_file": "an agent's tool: replaces a text of a file within its writes, as a turn of its "
    "own.",
    "run_command": "an agent's tool: starts a program in the workspace, as a turn of its own.",
    "final_result": "an agent's tool: gives the result, with the outputs that its contract names.",
    "calls": "model calls that were made, of those that the budget grants.",
    "cost": "what the model calls cost, in dollars.",
    "time": "how long it took, without the time in which nobody drove the run.",
    "not started": "it never began, since the run ended before.",
    "waits": "what it depends on has not ended, or all slots are taken.",
    "look": "the command that shows what an item was given, did and wrote.",
    "also": "the command that shows what failed, or waits for a decision, beside the first.",
    "approve": "the command that lets the item run, or a proposal win, with what it shows, once.",
    "accept": "the command that gives the item's result by hand.",
    "and": "how many more failed, or wait for a decision, and the command that shows all.",
    "go on": "the command with which the run, or the item, goes on.",
    "give up": "the command that ends the item as denied.",
    "change": "the command that makes a new run of an edited manifest with what was accepted.",
    "all of it": "the folder with all that the item wrote.",
    "stdout": "what a program wrote on its standard output.",
    "stderr": "what a program wrote on its standard error.",
    "request": "what a turn asks for: a child, steps, or a tool call that is a turn of its own.",
    "board": "where the sub-tasks of a joint item read what others posted.",
    "retried": "the attempt failed, and another follows.",
    "refused": "a post of an agent, or what it asked for, is not taken, for the reason told; "
    "it is told so in its next turn, and goes on.",
    "started": "the first turn of an attempt began; then the role and what it may use.",
    "restored": "what is below the item's 'writes' is as it was before it began.",
    "undone": "the program under the item's 'compensate' has undone what it did.",
    "not undone": "it is to be undone, and its compensation failed or waits for one that did; "
    "forge resume RUN  goes on with that.",
    "compensating": "the item did not succeed, and what it did is being undone.",
    "compensation": "what undoes an item: files are restored, or a program is run. It is complete "
    "when all that was to be undone is.",
    "stopping": "no new turns are started, those in flight are cancelled.",
    "stopped": "it was in flight when the run ended.",
    "narrow": "the decision --reissue with a smaller grant.",
    "widen": "which line of the manifest to edit for what was denied, and what to type then.",
    "ignored": "an answer that nobody waited for any more; it changed nothing.",
    "sandbox": "what holds a program to its grant: the strongest of namespace and landlock that "
    "works here, unless its handler says one. Where none works, a program does not start unless  "
    "sandbox: off  is written in its handler, or FORGE_SANDBOX=off is exported; reports then say "
    "'not enforced'. How to get one:  forge explain namespace  and  forge explain landlock .",
    "enforced": "held to by force. What a handler's program does is not, without a sandbox.",
    "engine": "what drives a run; 'local' is the only one.",
    "local": "the engine that runs everything in processes of this machine.",
    "slot": "room for one turn; there are as many as max_concurrency.",
    "order": "items with the same number may run side by side.",
    "use": "the capabilities of the grant.",
    "call": "the function that does the work.",
    "read": "as a line of a plan: the files that the grant lets it read.",
    "write": "as a line of a plan: the files that the grant lets it change.",
    "undo": "as a line of a plan: what undoes the item; see  forge explain compensate.",
    "reach": "the hosts that the grant lets it talk to.",
    "each": "how many elements, and how many of them at a time.",
    "named": "the manifest says which role does the item.",
    "routed": "the manifest names no role: the one with the fewest capabilities was taken.",
    "held by": "what keeps the item within its grant: a sandbox, forge itself, or nothing.",
    "on crash": "what follows when an attempt is lost: rerun or hold.",
    "accept when": "what the result is held against: schema, criteria, evidence.",
    "attempts": "how often it is tried at most, or each try at the item with what came of it.",
    "failure": "what follows when the last attempt failed; see  forge explain on_failure.",
    "critical path": "the longest chain of items that wait for each other.",
    "shared": "drawn from the run's budget, turn by turn.",
    "reserved": "set aside for an item when it starts, so that nobody else can spend it.",
    "part": "an element of a for_each, or a sub-task.",
    "ledger": "the events of a run as they happened, one SQLite file below .forge/.",
    "epoch": "a number that rises with each process that controls a run.",
    "head": "the last line of a run: the Merkle root over its events, and their number. Keep it "
    "where nobody can change it;  forge verify --head  compares.",
    "forge-evidence-head": "see head.",
    "digest": "SHA-256 of a file or value, so that any change shows.",
    "artifact": "a file or a large value that is kept by its digest.",
    "verified": "every check of the evidence holds.",
    "wrong": "this check of the evidence does not hold.",
    "events": "what happened in a run, in order; events.jsonl.",
    "decisions": "the check that the recorded decisions follow from the events before them.",
    "acceptance": "the check that every recorded verdict comes out the same when judged again.",
    "contracts": "the check that no turn ran outside its chain of contracts.",
    "budgets": "the check that no budget was overspent at any point.",
    "responses": "the check that every answer came from whom it was asked.",
    "end": "the check that the log has the run's last event.",
    "artifacts": "the check that what is kept has the digests that the events say.",
    "files": "the check that nothing else lies in the folder.",
    "forms": "the check that each file has the form that its JSON Schema says.",
    "conflict": "two wrote the same thing, or no proposal could win.",
    "no_proposals": "no sub-task proposed anything.",
    "approval_required": "every proposal is irreversible, so one is chosen when a person approves.",
    "lowest_risk_then_evidence": "the proposal with the lowest risk won, and of equal ones the "
    "one with the most evidence.",
    "warning": "a finding that does not fail validate, unless --strict.",
    "breaking": "a change that widens what somebody may do, demands less of work, or gives less.",
    "behavioural": "a change of who does what, how, in which order, or what follows a failure.",
    "compatible": "a change that widens nothing, demands no less, and acts as before.",
    "widened": "more is allowed than before.",
    "narrowed": "less is allowed, given or accepted than before.",
    "loosened": "less is demanded than before.",
    "tightened": "more is demanded than before.",
    "due": "a version that must rise for what changed, and the least that it must be.",
    "shown": "the versions have risen as far as the changes ask for.",
    "unchanged": "two manifests come to the same, however they are written.",
    "finding": "what is wrong at one place of a manifest, under the rule in brackets.",
}
