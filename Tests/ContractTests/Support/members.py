# SPDX-License-Identifier: Apache-2.0
"""Prints the members of the interfaces in a file with introspection data, with their types, one a line."""

import sys
import xml.etree.ElementTree as xml

for interface in xml.parse(sys.argv[1]).getroot():
    for member in interface:
        arguments = [arg for arg in member if arg.tag == "arg"]
        types = {
            direction: "".join(arg.get("type") for arg in arguments if arg.get("direction", "out") == direction)
            for direction in ("in", "out")
        }
        if member.tag == "method":
            print("method", member.get("name"), (types["in"] + " -> " + types["out"]).strip())
        elif member.tag == "property":
            print("property", member.get("name"), member.get("type"))
        elif member.tag == "signal":
            print("signal", member.get("name"), types["out"])
