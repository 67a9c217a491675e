"""What a handler's turn may do: well or badly. Called as functions, or as a program by name."""

import collections, itertools, json, os, signal, sys, time

def fine(turn):
    return {"result": "fine"}

def crashes(turn):
    raise ValueError("no good")

def dies(turn):
    os._exit(3)

def is_killed(turn):
    os.kill(os.getpid(), signal.SIGKILL)

def returns_nan(turn):
    return {"result": float("nan")}

def returns_big_integer(turn):
    return {"result": 2**53}

def returns_half_a_character(turn):
    return {"result": chr(0xD800)}

def returns_deep(turn):
    value = []
    for _ in range(500):
        value = [value]
    return {"result": value}

def returns_20_mb(turn):
    return {"result": "x" * 20_000_000}

def prints_100_mb(turn):
    for _ in range(100):
        os.write(2, b"0123456789" * 100_000)
    return {"result": "fine"}

def prints_one_long_line(turn):
    os.write(2, b"x" * 1_048_576)
    return {"result": "fine"}

def escape():
    """Forks twice into a session of its own and stays, ignoring TERM and holding the streams."""
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            with open("pid.part", "w") as file:
                file.write(str(os.getpid()))
            os.rename("pid.part", "pid")
            time.sleep(600)
        os._exit(0)
    while not os.path.exists("pid"):
        time.sleep(0.01)

def leaves_a_process(turn):
    escape()
    return {"result": "fine"}

def tell():
    with open("fifo", "w") as file:
        file.write(str(os.getpid()))

def sleeps(turn):
    time.sleep(600)

def hangs(turn):
    tell()
    time.sleep(600)

def hangs_with_children(turn):
    escape()
    tell()
    time.sleep(600)

def hangs_in_c(turn):
    tell()
    collections.deque(itertools.count(), maxlen=0)

def ignores_term(turn):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("about to hang", file=sys.stderr, flush=True)
    tell()
    while True:
        time.sleep(600)

def cleans_up(turn):
    try:
        tell()
        time.sleep(600)
    finally:
        time.sleep(0.8)
        open("clean", "w").close()

def tells_a_secret(turn):
    print(os.environ["TOKEN"], file=sys.stderr)
    return {"result": "it is " + os.environ["TOKEN"]}

def reads(turn):
    return {"result": sys.stdin.read()}

def shows_environment(turn):
    return {"result": dict(os.environ)}

def closes_everything(turn):
    os.closerange(0, 256)
    return {"result": "fine"}

def forks_and_both_return(turn):
    os.fork()
    return {"result": "fine"}

if __name__ == "__main__":
    def stop(*_):
        sys.exit(143)
    signal.signal(signal.SIGTERM, stop)
    process = os.getpid()
    text = json.dumps(globals()[sys.argv[1]](None))
    if os.getpid() == process:
        print(text)
