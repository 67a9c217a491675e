"""Finds tags, such as `!!str` and `!env`.

A tag names a type of some program; to a manifest, values are text, numbers, true, false,
lists and mappings.

Bad:
```yaml
forge: 1
work_items:
  lint:
    run: [sleep, !!str 1]
#                ^^^^^
    capabilities: []
```

Good:
```yaml
forge: 1
work_items:
  lint:
    run: [sleep, "1"]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("yaml-tag")
