"""Handlers of the manifests beside this file."""


def write(turn):
    """Asks back at its first attempt; what it is told is the reason that it gave itself."""
    if not turn.inbox:
        raise ValueError("it does not say which day; left out: the day")
    return {"result": f"The shop is closed. ({turn.inbox[0].payload['reason'].rpartition(': ')[2]})"}
