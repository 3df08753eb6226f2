"""The state graph for other tools: GraphML (networkx, Gephi, Cytoscape), GraphML as yEd draws it, and JSON.

Attributes become scalars, and text loses what XML 1.0 cannot hold (control characters, lone surrogates), so that
no title of an app can break a file.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import networkx
from lxml import etree

from graph.collapse import start_of

if TYPE_CHECKING:
    Graph = networkx.MultiDiGraph[str]

FORMAT = 1
"""Version of graph.json."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """Text that every XML parser and UTF-8 writer takes; what they refuse becomes U+FFFD."""
    return _NOT_XML.sub("\ufffd", text)


def graph_json(graph: Graph) -> dict[str, Any]:
    """The graph as plain data for json.dumps.

    Shape: {version, directed, multigraph, start, target, abstraction, nodes: [{id, ...}], edges: [{id, source,
    target, ...}]}; attributes as in `graph.collapse.collapse`, an edge's steps a list of integers.
    """
    return {
        "version": FORMAT,
        "directed": True,
        "multigraph": True,
        **{key: _plain(value) for key, value in graph.graph.items()},
        "nodes": [{"id": state, **_plain(values)} for state, values in graph.nodes(data=True)],
        "edges": [
            {"id": f"e{number}", "source": source, "target": target, **_plain(values)}
            for number, (source, target, values) in enumerate(graph.edges(data=True))
        ],
    }


def graphml(graph: Graph) -> bytes:
    """The graph as GraphML, UTF-8 with XML declaration.

    Nodes and edges carry a `label`, edges ids that are unique in the file (e0, e1, ...), an edge's steps are one
    text ("3 7 12"). `networkx.read_graphml` gives the same nodes and edges back.
    """
    flat: Graph = networkx.MultiDiGraph()
    flat.graph.update({key: _scalar(value) for key, value in graph.graph.items()})
    for state, values in graph.nodes(data=True):
        flat.add_node(state, label=_node_label(state, values), **_scalars(values))
    for number, (source, target, values) in enumerate(graph.edges(data=True)):
        label = clean(str(values.get("action", "")))
        flat.add_edge(source, target, key=f"e{number}", label=label, **_scalars(values))
    buffer = BytesIO()
    networkx.write_graphml_xml(flat, buffer)
    return buffer.getvalue()


def _node_label(state: str, values: dict[str, Any]) -> str:
    return clean(str(values.get("title") or values.get("url") or state))


def _scalars(values: dict[str, Any]) -> dict[str, str | int | float | bool]:
    # GraphML forbids an edge attribute named id, and None has no form in it: such a value is left out.
    return {
        key: _scalar(value)
        for key, value in values.items()
        if value is not None and key not in ("id", "label")
    }


def _scalar(value: object) -> str | int | float | bool:
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, tuple | list | set | frozenset):
        return " ".join(clean(str(item)) for item in value)
    return "" if value is None else clean(str(value))


def _plain(value: object) -> Any:
    if isinstance(value, dict):
        return {clean(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return clean(value) if isinstance(value, str) else value


# --- yEd ----------------------------------------------------------------------------------------------------

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_YED = "http://www.yworks.com/xml/graphml"
_NAMESPACES: Any = {None: _GRAPHML, "y": _YED}
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 200.0, 46.0, 60.0, 90.0
_LONGEST_LABEL = 60


def yed(graph: Graph) -> bytes:
    """The graph as yEd draws it: labelled boxes in layers by distance from the start, edges with their action."""
    root = etree.Element(f"{{{_GRAPHML}}}graphml", nsmap=_NAMESPACES)
    for key, of, what in (("d0", "node", "nodegraphics"), ("d1", "edge", "edgegraphics")):
        etree.SubElement(root, f"{{{_GRAPHML}}}key", {"id": key, "for": of, "yfiles.type": what})
    for key, of, name in (
        ("d2", "node", "url"),
        ("d3", "node", "description"),
        ("d4", "edge", "description"),
    ):
        attributes = {"id": key, "for": of, "attr.name": name, "attr.type": "string"}
        etree.SubElement(root, f"{{{_GRAPHML}}}key", attributes)
    body = etree.SubElement(root, f"{{{_GRAPHML}}}graph", {"id": "G", "edgedefault": "directed"})
    places = _layers(graph)
    for state, values in graph.nodes(data=True):
        _yed_node(body, state, values, place=places[state], start=state == start_of(graph))
    for number, (source, target, values) in enumerate(graph.edges(data=True)):
        edge = etree.SubElement(
            body, f"{{{_GRAPHML}}}edge", {"id": f"e{number}", "source": source, "target": target}
        )
        _yed_edge(edge, values)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _layers(graph: Graph) -> dict[str, tuple[float, float]]:
    """A place for each state: rows by distance from the start, what cannot be reached in a last row."""
    start = start_of(graph)
    rows = list(networkx.bfs_layers(graph, start)) if start in graph else []
    seen = {state for row in rows for state in row}
    rows.append([state for state in graph.nodes if state not in seen])
    return {
        state: (column * (_WIDTH + _GAP_X), line * (_HEIGHT + _GAP_Y))
        for line, row in enumerate(rows)
        for column, state in enumerate(row)
    }


def _yed_node(
    body: etree._Element, state: str, values: dict[str, Any], *, place: tuple[float, float], start: bool
) -> None:
    node = etree.SubElement(body, f"{{{_GRAPHML}}}node", {"id": state})
    _data(node, "d2", str(values.get("url", "")))
    _data(node, "d3", f"{state}: {values.get('visits', 0)} visits, {values.get('untried', 0)} untried")
    shape = etree.SubElement(_data(node, "d0", ""), f"{{{_YED}}}ShapeNode")
    box = {"x": place[0], "y": place[1], "width": _WIDTH, "height": _HEIGHT}
    etree.SubElement(shape, f"{{{_YED}}}Geometry", {key: str(value) for key, value in box.items()})
    etree.SubElement(
        shape, f"{{{_YED}}}Fill", {"color": "#CFE8CF" if start else "#E8EEF7", "transparent": "false"}
    )
    label = f"{_node_label(state, values)}\n{values.get('url', '')}"
    etree.SubElement(shape, f"{{{_YED}}}NodeLabel").text = _short(label)
    etree.SubElement(shape, f"{{{_YED}}}Shape", {"type": "roundrectangle"})


def _yed_edge(edge: etree._Element, values: dict[str, Any]) -> None:
    _data(edge, "d4", f"steps {_scalar(values.get('steps', ()))}, gain {values.get('gain', 0)}")
    line = etree.SubElement(_data(edge, "d1", ""), f"{{{_YED}}}PolyLineEdge")
    color = "#C0392B" if values.get("findings") else "#5D6D7E"
    etree.SubElement(line, f"{{{_YED}}}LineStyle", {"color": color, "type": "line", "width": "1.0"})
    etree.SubElement(line, f"{{{_YED}}}Arrows", {"source": "none", "target": "standard"})
    etree.SubElement(line, f"{{{_YED}}}EdgeLabel").text = _short(clean(str(values.get("action", ""))))


def _data(parent: etree._Element, key: str, text: str) -> etree._Element:
    element = etree.SubElement(parent, f"{{{_GRAPHML}}}data", {"key": key})
    element.text = clean(text) or None
    return element


def _short(text: str) -> str:
    lines = [
        line if len(line) <= _LONGEST_LABEL else line[: _LONGEST_LABEL - 1] + "…"
        for line in text.splitlines()
    ]
    return clean("\n".join(lines))
