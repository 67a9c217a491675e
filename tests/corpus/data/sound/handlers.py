"""Functions that the manifests beside this file name."""


def draft(turn):
    return {"text": f"a draft about {turn.inputs.get('topic', 'nothing')}"}


def review(turn):
    return {"verdict": "approve", "findings": []}


def propose(turn):
    return {"value": "42", "risk": "read_only", "evidence": []}


def supervise(turn):
    return {"plan": "one step", "diff": ""}
