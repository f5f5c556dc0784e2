"""Requests and replies in the notation of the .wire files (tests/wire/README.md)."""

import re

_BARE = re.compile(rb"[A-Za-z0-9_.:*?+\-@!%(\[#>|/^=,]+\Z")
_SIMPLE = re.compile(rb"[A-Za-z]+\Z")
_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\", 34: '\\"'}


def quote(data):
    if len(data) > 60 and len(set(data)) == 1:
        return quote(data[:1]) + "*%d" % len(data)
    parts = []
    for byte in data:
        if byte in _ESCAPES:
            parts.append(_ESCAPES[byte])
        elif byte < 32 or byte > 126 or byte == 36:
            parts.append("\\x%02x" % byte)
        else:
            parts.append(chr(byte))
    return '"' + "".join(parts) + '"'


def request(words):
    return " ".join(word.decode() if _BARE.match(word) else quote(word) for word in words)


def reply(value, nested=False):
    kind, content = value
    if kind in "*%~>" and content is not None:
        prefix = {"*": "", "%": "%", "~": "~", ">": ">"}[kind]
        return prefix + "[" + " ".join(reply(item, True) for item in content) + "]"
    if content is None:
        return kind + "-1"
    if kind == "$":
        return quote(content)
    if kind == "-":
        return "-" + (quote(content) if nested else content.decode(errors="backslashreplace"))
    if kind == "+":
        return "+" + (content.decode() if _SIMPLE.match(content) else quote(content))
    if kind == "=":
        return "=" + content[:4].decode() + quote(content[4:])
    if kind == "!":
        return "!" + quote(content)
    if kind in ("closed", "nothing"):
        return {"closed": "closed", "nothing": "silent"}[kind]
    return kind + content.decode()
