"""GraphML, yEd and JSON: every title of an app fits in, and readers get the same graph back."""

from __future__ import annotations

import json
from io import BytesIO

import networkx
import pytest
from lxml import etree

from graph.collapse import collapse
from graph.export import clean, graph_json, graphml, yed
from graph.records import Action, Snapshot, Step, Target, Trace, TraceHead

HOSTILE = [
    "\x00\x07\x1b",
    "\ud800 lone",
    "\U0001f642",
    "]]>",
    "&<>\"'",
    "\ufffe\uffff",
    "line\nbreak\ttab",
    "",
    "\u2028",
]


def graph_with(text: str) -> networkx.MultiDiGraph[str]:
    target = Target("e1", "a", "", text, "f", 0, "a", (0, 0, 1, 1))
    page = Snapshot("/" + text, text, "<p>x</p>", "d", (target,))
    click = Action("click", text, locator="a", name=text, value=text)
    key = Action("press", text, value="Enter")
    steps = (
        Step(0, None, "", "A", "/" + text, text, 1, (), snapshot=page, screenshot="0.jpg"),
        Step(1, click, "A", "B", "/b", text, 2, ()),
        Step(2, key, "A", "B", "/b", text, 0, ()),
        Step(3, click, "B", "A", "/", text, 0, ()),
        Step(4, click, "A", "B", "/", text, 0, ()),
    )
    return collapse(Trace(TraceHead(1, text, 0, 100, "guided", "built-in", "list", 9), steps))


@pytest.mark.parametrize("text", HOSTILE)
def test_graphml_reads_back_in_networkx(text: str) -> None:
    graph = graph_with(text)

    back = networkx.read_graphml(BytesIO(graphml(graph)))

    assert sorted(back.nodes) == ["A", "B"]
    assert sorted((source, target, data["steps"]) for source, target, data in back.edges(data=True)) == [
        ("A", "B", "1 4"),
        ("A", "B", "2"),
        ("B", "A", "3"),
    ]
    node = back.nodes["A"]
    assert (node["visits"], node["targets"], node["screenshot"]) == (2, 1, "0.jpg")
    assert node.get("title", "").split() == clean(text).split()


@pytest.mark.parametrize("text", HOSTILE)
def test_graphml_is_strict_xml_with_unique_ids_and_scalars(text: str) -> None:
    root = etree.fromstring(graphml(graph_with(text)))

    ids = [element.get("id") for element in root.iter("{*}key", "{*}node", "{*}edge")]
    assert None not in ids and len(ids) == len(set(ids))
    types = {key.get("id"): key.get("attr.type") for key in root.iter("{*}key")}
    assert set(types.values()) <= {"string", "int", "long", "double", "float", "boolean"}
    for data in root.iter("{*}data"):
        assert len(data) == 0 and data.text != "None"
        if types[data.get("key")] in ("int", "long"):
            int(data.text or "")


def test_edges_have_no_attribute_named_id() -> None:
    root = etree.fromstring(graphml(graph_with("x")))

    assert "id" not in {key.get("attr.name") for key in root.iter("{*}key")}
    assert {"label", "action", "gain"} <= {key.get("attr.name") for key in root.iter("{*}key")}


@pytest.mark.parametrize("text", HOSTILE)
def test_yed_flavour_has_a_drawn_label_for_every_node_and_edge(text: str) -> None:
    root = etree.fromstring(yed(graph_with(text)))

    assert len(list(root.iter("{*}ShapeNode"))) == len(list(root.iter("{*}NodeLabel"))) == 2
    assert [label.text for label in root.iter("{*}EdgeLabel") if "press" in (label.text or "")] == [
        'press "Enter"'
    ]
    boxes = [(box.get("x"), box.get("y")) for box in root.iter("{*}Geometry")]
    assert len(set(boxes)) == 2
    assert networkx.read_graphml(BytesIO(yed(graph_with(text)))).number_of_edges() == 3


def test_yed_places_states_that_cannot_be_reached() -> None:
    graph = graph_with("x")
    graph.add_node("lost", title="lost")

    assert (
        len({(box.get("x"), box.get("y")) for box in etree.fromstring(yed(graph)).iter("{*}Geometry")}) == 3
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_graph_json_is_plain_data(text: str) -> None:
    data = graph_json(graph_with(text))

    assert json.loads(json.dumps(data, ensure_ascii=False).encode()) == data
    assert (data["version"], data["start"], data["abstraction"]) == (1, "A", "list")
    assert [node["id"] for node in data["nodes"]] == ["A", "B"]
    assert [(edge["source"], edge["target"], edge["steps"]) for edge in data["edges"]] == [
        ("A", "B", [1, 4]),
        ("A", "B", [2]),
        ("B", "A", [3]),
    ]
    assert len({edge["id"] for edge in data["edges"]}) == 3


def test_empty_graph_can_be_written() -> None:
    empty = collapse(Trace(TraceHead(1, "x", 0, 1, "guided", "built-in", "list", 0)))

    assert networkx.read_graphml(BytesIO(graphml(empty))).number_of_nodes() == 0
    assert graph_json(empty)["nodes"] == []
    assert b"graphml" in yed(empty)
