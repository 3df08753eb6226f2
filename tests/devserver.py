"""A miniature dev server in the manner of Vite: modules with queries, maps in them, a socket, dependencies apart."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable

from tests.miniserver import JS, Answer, Reply

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def vlq(number: int) -> str:
    """A number as source maps write it."""
    rest, text = (-number << 1) | 1 if number < 0 else number << 1, ""
    while True:
        rest, digit = rest >> 5, rest & 31
        text += _DIGITS[digit | 32 if rest else digit]
        if not rest:
            return text


def mappings(rows: Iterable[Iterable[tuple[int, int, int]]]) -> str:
    """For each generated line its (column, source line, source column), all from 0 and of the first source."""
    line = column = 0
    lines = []
    for row in rows:
        at, parts = 0, []
        for generated, source_line, source_column in row:
            steps = (generated - at, 0, source_line - line, source_column - column)
            parts.append("".join(map(vlq, steps)))
            at, line, column = generated, source_line, source_column
        lines.append(",".join(parts))
    return ";".join(lines)


def with_map(code: str, source: str, content: str, table: str) -> str:
    """Code with its map in it."""
    record = {"version": 3, "sources": [source], "sourcesContent": [content], "names": [], "mappings": table}
    packed = base64.b64encode(json.dumps(record).encode()).decode()
    return f"{code}\n//# sourceMappingURL=data:application/json;base64,{packed}"


def moved(code: str, source: str, *, by: str = "") -> str:
    """A module that is its source with a line in front, with the map that says so."""
    lines = code.split("\n")
    table = mappings(
        [[], *([(column, at, column) for column in range(len(line))] for at, line in enumerate(lines))]
    )
    return with_map(f"{by}\n{code}", source, code, table)


MAIN = """import { mount } from "/src/App.vue";
import { version } from "/node_modules/.vite/deps/lib.js?v=1a2b";
mount(document.body, version);
function later() {
  import("/src/late.ts?t=1700000000000").then((late) => late.show());
}
document.querySelector("#late").addEventListener("click", later);
document.querySelector("#hidden").addEventListener("click", () => {
  import("/src/" + ["com", "puted"].join("") + ".ts").then((made) => made.run());
});
"""
LATE = """export function show() {
  document.querySelector("#out").textContent = "late";
}
"""
COMPUTED = """export function run() {
  document.querySelector("#out").textContent = "computed";
}
function never() {
  return 1;
}
"""
COMPONENT = """<template>
  <button @click="count++">Count</button>
</template>
<script setup>
let count = 0;
</script>
<style>button { color: red }</style>
"""
COMPILED = """let count = 0;
export function mount(place, version) {
  const button = document.createElement("button");
  button.textContent = "Count";
  button.addEventListener("click", () => count++);
  place.append(button, version);
}
import "/src/App.vue?vue&type=style&index=0&lang.css";
"""
CLIENT = """
const socket = new WebSocket(`ws://${location.host}/socket`);
socket.onopen = () => socket.send("ping");
socket.onmessage = (event) => console.log("hot reload answers " + event.data);
const events = new EventSource("/events");
events.onmessage = (event) => { console.log("event " + event.data); };
export function createHotContext() { return { accept() {} }; }
"""
PAGE = """<!doctype html>
<html><head><title>Miniature</title>
<script type="module" src="/@vite/client"></script></head>
<body><p id="out"></p><button id="late">Late</button><button id="hidden">Hidden</button>
<script type="module" src="/src/main.ts?t=1"></script></body></html>
"""
HOT = 'import { createHotContext } from "/@vite/client";import.meta.hot = createHotContext("/src/x");'


def component() -> str:
    """App.vue as a dev server sends it: compiled, with a map to the component's own text."""
    places = {0: [(0, 4, 0)], 4: [(2, 1, 2)], 5: [(2, 1, 10), (39, 1, 18)]}
    rows = [places.get(at, []) for at in range(len(COMPILED.split("\n")))]
    return with_map(COMPILED, "App.vue", COMPONENT, mappings(rows))


def dev_routes() -> dict[str, Answer]:
    """The whole app."""
    keep = (("Cache-Control", "no-cache"),)
    return {
        "/": Reply(PAGE, etag='W/"page"', headers=keep),
        "/@vite/client": Reply(CLIENT, JS),
        "/src/main.ts": Reply(moved(MAIN, "main.ts", by=HOT), JS, etag='W/"main"', headers=keep, packed=True),
        "/src/late.ts": Reply(moved(LATE, "late.ts"), JS, chunked=True),
        "/src/computed.ts": Reply(moved(COMPUTED, "computed.ts"), JS),
        "/src/App.vue": Reply(component(), JS),
        "/src/App.vue?vue&type=style&index=0&lang.css": Reply(
            "const css = 'button {}'; console.debug(css);", JS
        ),
        "/node_modules/.vite/deps/lib.js": Reply("export const version = (() => '1.2')();", JS),
        "/events": Reply("data: 1\n\ndata: 2\n\n", "text/event-stream", hold=True),
    }
