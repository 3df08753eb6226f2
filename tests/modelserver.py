"""A server that speaks the Messages API on this machine, for tests: its replies are computed from the prompt.

    with ModelServer(brain) as server:
        model = open_model("claude-test", base_url=server.url, environ={})

A *brain* is a function from a Prompt to what is answered: a dict or list goes out as JSON text, a str as it is, and the
records below make trouble (Trouble, Drop, Cut, Refuse, Fenced, Slow). `server.first(...)` queues answers that come
before the brain is asked, in order: `server.first(Trouble(429, retry_after=1), Drop())`. Ready-made brains are in
tests/brains.py.

Every request body is validated against the SDK's own types, and by what the API is known to refuse; a violation is
answered with 400, kept in `server.violations`, and fails the test when the server is closed. All prompts are kept in
`server.prompts`. Tokens are counted as characters / 4; prefixes that end in a cache_control are remembered, so that
cache reads and writes are what the API's would be.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, cast

from anthropic.types.message_create_params import (
    MessageCreateParamsNonStreaming,
    MessageCreateParamsStreaming,
)
from pydantic import TypeAdapter, ValidationError

_PLAIN: TypeAdapter[Any] = TypeAdapter(MessageCreateParamsNonStreaming)
_STREAMED: TypeAdapter[Any] = TypeAdapter(MessageCreateParamsStreaming)
_KNOWN = frozenset(MessageCreateParamsNonStreaming.__annotations__) | {
    name for base in MessageCreateParamsNonStreaming.__mro__ for name in getattr(base, "__annotations__", ())
}
MOST_CACHE_POINTS = 4


@dataclass(frozen=True)
class Prompt:
    """One request, taken apart."""

    number: int
    """From 1, over the life of the server."""
    model: str
    system: str
    texts: tuple[str, ...]
    """Text of the evidence blocks, in order."""
    images: tuple[bytes, ...]
    question: str
    """The last text block."""
    schema: Mapping[str, Any]
    """The JSON schema that was asked for."""
    body: Mapping[str, Any]
    """All of it."""
    headers: Mapping[str, str] = field(repr=False, default_factory=dict)

    @property
    def schema_name(self) -> str:
        """Name of the answer's type: tells the roles apart."""
        return str(self.schema.get("title", ""))

    @property
    def evidence(self) -> str:
        """All text of the evidence."""
        return "\n".join(self.texts)


@dataclass(frozen=True)
class Trouble:
    """An HTTP error; with stream=True, one inside a stream that began well."""

    status: int = 529
    kind: str = "overloaded_error"
    message: str = "Overloaded"
    retry_after: float | None = None
    in_stream: bool = False


@dataclass(frozen=True)
class Drop:
    """The connection breaks without an answer."""


@dataclass(frozen=True)
class Cut:
    """The answer stops in the middle: stop_reason max_tokens."""

    text: str = '{"answer": "this is not whole'
    stop_reason: str = "max_tokens"


@dataclass(frozen=True)
class Refuse:
    """The model declines, with or without words."""

    text: str = ""


@dataclass(frozen=True)
class Fenced:
    """The answer inside a Markdown fence, with words around it."""

    answer: object


@dataclass(frozen=True)
class Slow:
    """The answer comes late."""

    seconds: float
    then: object


Brain = Callable[[Prompt], object]
"""What is answered to a prompt: JSON (dict, list), text (str), or one of the records of this module."""

Violation = str


class ModelServer:
    """Serves a brain on a loopback port; a context manager. Threads, so requests may come at once."""

    def __init__(self, brain: Brain, *, key: str = "") -> None:
        self.brain = brain
        self.key = key
        """Where not empty, another key is answered with 401; may be changed while running: a key that is revoked."""
        self.prompts: list[Prompt] = []
        self.violations: list[Violation] = []
        self.batches: dict[str, Batch] = {}
        self._queue: deque[object] = deque()
        self._prefixes: dict[str, int] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._http = _Http(self)

    @property
    def url(self) -> str:
        """Base URL for the SDK."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def first(self, *answers: object) -> None:
        """Queues answers that come before the brain is asked again."""
        self._queue.extend(answers)

    def asked(self, schema_name: str) -> list[Prompt]:
        """The prompts that wanted this type of answer."""
        return [prompt for prompt in self.prompts if prompt.schema_name == schema_name]

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        if kind is None:
            assert not self.violations, self.violations

    # -- what the handler calls

    def take(self, body: dict[str, Any], headers: Mapping[str, str]) -> tuple[object, dict[str, int]]:
        """The answer to a body that is known to be valid, and its usage."""
        with self._lock:
            prompt = prompt_of(body, number=len(self.prompts) + 1, headers=headers)
            self.prompts.append(prompt)
            usage = self._usage(body)
            answer = self._queue.popleft() if self._queue else None
        if answer is None:
            answer = self.brain(prompt)
        while isinstance(answer, Slow):
            self._stopping.wait(answer.seconds)
            answer = answer.then
        return answer, usage

    def violation(self, body: object, *, stream: bool) -> str:
        """What is wrong with a body, remembered; "" for nothing."""
        wrong = violation_of(body, stream=stream)
        if wrong:
            self.violations.append(wrong)
        return wrong

    def _usage(self, body: dict[str, Any]) -> dict[str, int]:
        """Tokens of the prompt: read from the cache, written to it, or neither."""
        blocks = [*_as_blocks(body.get("system", "")), *_as_blocks(body["messages"][0]["content"])]
        digest, total, read, written = hashlib.sha256(body["model"].encode()), 0, 0, 0
        for block in blocks:
            plain = {key: value for key, value in block.items() if key != "cache_control"}
            digest.update(json.dumps(plain, sort_keys=True).encode())
            total += _tokens(block)
            name = digest.hexdigest()
            if name in self._prefixes:
                read = total
            if "cache_control" in block:
                self._prefixes[name] = total
                written = total
        return {
            "input_tokens": total - max(read, written),
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": max(0, written - read),
        }


def prompt_of(
    body: Mapping[str, Any], *, number: int = 1, headers: Mapping[str, str] | None = None
) -> Prompt:
    """A body of messages.create as a brain sees it."""
    content = _as_blocks(body["messages"][-1]["content"])
    texts = [block["text"] for block in content if block["type"] == "text"]
    images = [block["source"]["data"] for block in content if block["type"] == "image"]
    shape = (body.get("output_config") or {}).get("format") or {}
    return Prompt(
        number=number,
        model=body["model"],
        system="\n".join(block["text"] for block in _as_blocks(body.get("system", ""))),
        texts=tuple(texts[:-1]),
        images=tuple(base64.b64decode(data) for data in images),
        question=texts[-1] if texts else "",
        schema=shape.get("schema", {}),
        body=body,
        headers=dict(headers or {}),
    )


def _as_blocks(content: object) -> list[dict[str, Any]]:
    return (
        [{"type": "text", "text": content}] if isinstance(content, str) else list(cast("list[Any]", content))
    )


def _tokens(block: Mapping[str, Any]) -> int:
    return 1300 if block["type"] == "image" else max(1, len(block["text"]) // 4)


# --- validation --------------------------------------------------------------------------------------------


def violation_of(body: object, *, stream: bool = False) -> str:
    """What the API, or the SDK's types, would refuse; "" for nothing."""
    try:
        _walk((_STREAMED if stream else _PLAIN).validate_python(body))
    except ValidationError as error:
        return (
            f"the body does not fit the SDK's types: {error.errors(include_url=False, include_input=False)}"
        )
    assert isinstance(body, dict)
    wrong = [f"{name} is no parameter" for name in body.keys() - _KNOWN - {"stream"}]
    wrong += [f"{name} is not sent any more" for name in ("thinking", "tool_choice") if name in body]
    if body["messages"][-1]["role"] != "user":
        wrong.append("the last message is not the user's: prefilled answers are refused")
    blocks = [*_as_blocks(body.get("system", "")), *_as_blocks(body["messages"][-1]["content"])]
    if sum("cache_control" in block for block in blocks) > MOST_CACHE_POINTS:
        wrong.append("more than four cache points")
    wrong += [
        "an empty text block" for block in blocks if block["type"] == "text" and not block["text"].strip()
    ]
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
    wrong += _schema_wrongs(schema) if schema else []
    return "; ".join(wrong)


def _walk(value: object) -> None:
    """Goes through lazily validated iterables: until then their errors stay hidden."""
    if isinstance(value, Mapping):
        for item in value.values():
            _walk(item)
    elif not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        for item in cast("Iterator[object]", value):
            _walk(item)


def _schema_wrongs(schema: Any, path: str = "schema") -> list[str]:
    """Strict schemas: every property required, nothing additional."""
    if not isinstance(schema, dict):
        return []
    wrong = []
    if schema.get("type") == "object" or "properties" in schema:
        missing = schema.get("properties", {}).keys() - set(schema.get("required", ()))
        wrong += [f"{path}.{name} is not required" for name in sorted(missing)]
        if schema.get("additionalProperties") is not False:
            wrong.append(f"{path} allows additional properties")
    for key, value in schema.items():
        children = value.items() if key in ("properties", "$defs") else [("", value)]
        for name, child in children:
            for each in child if isinstance(child, list) else [child]:
                wrong += _schema_wrongs(each, f"{path}.{name or key}")
    return wrong


# --- batches -----------------------------------------------------------------------------------------------


@dataclass
class Batch:
    """A batch of requests; it has ended when it is looked at for the second time."""

    id: str
    requests: Sequence[dict[str, Any]]
    looks: int = 0

    def record(self, url: str) -> dict[str, Any]:
        """The batch as the API tells of it."""
        ended = self.looks >= 2
        count = len(self.requests)
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                "processing": 0 if ended else count,
                "succeeded": count if ended else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": "2026-11-30T00:00:00Z",
            "expires_at": "2026-12-01T00:00:00Z",
            "ended_at": "2026-11-30T00:01:00Z" if ended else None,
            "results_url": f"{url}/v1/messages/batches/{self.id}/results" if ended else None,
        }


# --- HTTP --------------------------------------------------------------------------------------------------


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def do_POST(self) -> None:
        owner = self.server.owner
        body = self._body()
        if not self._allowed():
            return self._error(401, "authentication_error", "invalid x-api-key")
        if self.path == "/v1/messages/batches":
            return self._batch(body)
        if self.path != "/v1/messages":
            return self._error(404, "not_found_error", f"no such path: {self.path}")
        stream = bool(isinstance(body, dict) and body.get("stream"))
        if wrong := owner.violation(body, stream=stream):
            return self._error(400, "invalid_request_error", wrong)
        answer, usage = owner.take(cast("dict[str, Any]", body), dict(self.headers.items()))
        return self._answer(answer, usage, model=cast("dict[str, Any]", body)["model"], stream=stream)

    def do_GET(self) -> None:
        owner = self.server.owner
        if not self._allowed():
            return self._error(401, "authentication_error", "invalid x-api-key")
        name, _, rest = self.path.removeprefix("/v1/messages/batches/").partition("/")
        batch = owner.batches.get(name)
        if batch is None:
            return self._error(404, "not_found_error", f"no such path: {self.path}")
        if rest == "results":
            return self._results(batch)
        batch.looks += 1
        return self._json(200, batch.record(owner.url))

    def _allowed(self) -> bool:
        wanted = self.server.owner.key
        given = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        return not wanted or given == wanted

    def _body(self) -> object:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            return json.loads(data)
        except ValueError:
            return None

    def _answer(self, answer: object, usage: dict[str, int], *, model: str, stream: bool) -> None:
        if isinstance(answer, Drop):
            self.close_connection = True
            self.connection.close()
        elif isinstance(answer, Trouble) and not (answer.in_stream and stream):
            self._error(answer.status, answer.kind, answer.message, retry_after=answer.retry_after)
        elif stream:
            self._stream(answer, usage, model=model)
        else:
            self._json(200, message_of(answer, usage, model=model))

    def _stream(self, answer: object, usage: dict[str, int], *, model: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        broken = isinstance(answer, Trouble)
        whole = message_of("half an ans" if broken else answer, usage, model=model)
        for event in _events(whole, whole=not broken):
            self._event(event)
        if isinstance(answer, Trouble):
            self._event({"type": "error", "error": {"type": answer.kind, "message": answer.message}})

    def _event(self, event: Mapping[str, Any]) -> None:
        self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def _batch(self, body: object) -> None:
        owner = self.server.owner
        requests = body.get("requests", []) if isinstance(body, dict) else []
        wrong = [owner.violation(each.get("params"), stream=False) for each in requests]
        if any(wrong) or not requests:
            return self._error(400, "invalid_request_error", "; ".join(filter(None, wrong)) or "no requests")
        batch = Batch(f"msgbatch_{len(owner.batches) + 1:04d}", requests)
        owner.batches[batch.id] = batch
        return self._json(200, batch.record(owner.url))

    def _results(self, batch: Batch) -> None:
        """Last request first: the order is not to be relied upon."""
        lines = []
        for each in reversed(batch.requests):
            answer, usage = self.server.owner.take(each["params"], dict(self.headers.items()))
            if isinstance(answer, Trouble):
                error = {"type": "error", "error": {"type": answer.kind, "message": answer.message}}
                result: dict[str, Any] = {"type": "errored", "error": error}
            else:
                message = message_of(answer, usage, model=each["params"]["model"])
                result = {"type": "succeeded", "message": message}
            lines.append(json.dumps({"custom_id": each["custom_id"], "result": result}))
        self._send(200, "application/x-jsonl", "\n".join(lines).encode())

    def _error(self, status: int, kind: str, message: str, *, retry_after: float | None = None) -> None:
        more = {"retry-after": f"{retry_after:g}"} if retry_after is not None else {}
        self._json(status, {"type": "error", "error": {"type": kind, "message": message}}, more)

    def _json(self, status: int, value: object, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, "application/json", json.dumps(value).encode(), headers)

    def _send(self, status: int, kind: str, data: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def message_of(answer: object, usage: Mapping[str, int], *, model: str) -> dict[str, Any]:
    """An answer as a Message. A thinking block comes first, as it may from the API: text is to be picked by type."""
    text, stop_reason = _said(answer)
    content = [{"type": "thinking", "thinking": "…", "signature": "none"}]
    if text:
        content.append({"type": "text", "text": text})
    return {
        "id": f"msg_{time.monotonic_ns()}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": max(1, len(text) // 4)},
    }


def _said(answer: object) -> tuple[str, str]:
    if isinstance(answer, Cut):
        return answer.text, answer.stop_reason
    if isinstance(answer, Refuse):
        return answer.text, "refusal"
    if isinstance(answer, Fenced):
        return f"Here it is:\n```json\n{json.dumps(answer.answer, indent=1)}\n```\nThat is all.", "end_turn"
    return answer if isinstance(answer, str) else json.dumps(answer), "end_turn"


def _events(message: Mapping[str, Any], *, whole: bool) -> Iterator[dict[str, Any]]:
    """The events of a streamed message; without the end where it is not whole."""
    start = {
        **message,
        "content": [],
        "stop_reason": None,
        "usage": {**message["usage"], "output_tokens": 1},
    }
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(message["content"]):
        thinking = block["type"] == "thinking"
        empty = {**block, "thinking": "", "signature": ""} if thinking else {**block, "text": ""}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        text = block["thinking"] if thinking else block["text"]
        for at in range(0, len(text), 40):
            piece = text[at : at + 40]
            delta = (
                {"type": "thinking_delta", "thinking": piece}
                if thinking
                else {"type": "text_delta", "text": piece}
            )
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        if whole:
            yield {"type": "content_block_stop", "index": index}
    if whole:
        output = {"output_tokens": message["usage"]["output_tokens"]}
        delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": output}
        yield {"type": "message_stop"}
