#!/usr/bin/env python3
"""Fails when a file includes what its layer may not know. The table is that of src/README.md, section 3."""

import os
import pathlib
import re
import sys

MAY_INCLUDE = {
    'base': {'base'},
    'data': {'data', 'base'},
    'lane': {'lane', 'data', 'base'},
    'protocol': {'protocol', 'base'},
    'engine': {'engine', 'data', 'base'},
    'rdb': {'rdb', 'engine', 'data', 'base'},
    'command': {'command', 'rdb', 'engine', 'protocol', 'lane', 'data', 'base'},
    'scripting': {'scripting', 'command', 'engine', 'protocol', 'base'},
    'persistence': {'persistence', 'engine', 'protocol', 'base'},
    'net': {'net', 'command', 'protocol', 'engine', 'base'},
}
# Libraries that one layer (or one file) alone may know.
LIBRARIES = {
    r'boost/': {'net', 'server'},
    r'spdlog/|fmt/': {'src/base/log.cpp'},
    r'CLI/': {'src/server/main.cpp'},
    r'lua': {'scripting'},
}


def layer_of(path):
    """The layer a file belongs to: the folder below src or include/fairlane."""
    parts = path.parts
    return parts[2] if parts[0] == 'include' else parts[1]


def faults(path):
    layer = layer_of(path)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if not found:
            continue
        name = found.group(1)
        ours = re.match(r'(?:fairlane/)?(\w+)/', name)
        if ours and ours.group(1) in MAY_INCLUDE and layer in MAY_INCLUDE and ours.group(1) not in MAY_INCLUDE[layer]:
            yield f'{path}:{number}: {layer} may not include {name}'
        for pattern, allowed in LIBRARIES.items():
            if re.match(pattern, name) and layer not in allowed and str(path) not in allowed:
                yield f'{path}:{number}: {name} is not for {layer}'


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    files = [p.relative_to(root) for top in ('src', 'include') for p in sorted((root / top).rglob('*.[ch]pp'))]
    os.chdir(root)
    found = [fault for path in files for fault in faults(path)]
    print('\n'.join(found) or f'{len(files)} files keep to their layers')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
