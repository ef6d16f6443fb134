# SPDX-License-Identifier: Apache-2.0
"""Prints what introspection data declares, one fact a line: names, types, directions and annotations, but no order.

Reads the files of the command line, or standard input.
"""

import sys
from xml.etree import ElementTree


def facts(element, place):
    """The facts of an element and of what is in it; `place` says where it stands."""
    positions = {}
    for child in element:
        attributes = dict(child.attrib)
        name = attributes.pop("name", "")
        if child.tag == "arg":
            # Arguments are known by their position, each direction for itself; signals have one direction.
            direction = attributes.setdefault("direction", "out")
            position = positions[direction] = positions.get(direction, 0) + 1
            attributes["position"] = str(position)
        here = f"{place} {child.tag} {name}"
        yield " ".join([here, *(f"{key}={value}" for key, value in sorted(attributes.items()))])
        yield from facts(child, here)


for source in sys.argv[1:] or [sys.stdin]:
    for line in facts(ElementTree.parse(source).getroot(), ""):
        print(line.strip())
