"""Where language models are reached: the Messages API through the anthropic SDK, other providers through pydantic-ai.

This is the only file that talks to a model. It builds one HTTP request from a ModelRequest and says what came of it;
repeating, repairing and giving up is `judge.asking`'s. Both SDKs are imported when a model is opened, not before.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from instrument.errors import UsageError
from judge.asking import SECONDS, PatientModel, SendError, Sent, with_schema
from judge.credentials import base_url_of, find_credentials, is_loopback
from judge.picturesize import fitted, media_type
from judge.request import ImageBlock, Model, ModelRequest, Usage

if TYPE_CHECKING:
    from anthropic.types import Message

STREAM_ABOVE = 16_000
"""max_tokens from which a reply is streamed: a silent connection would be cut on the way."""
_LASTING = (401, 402, 403, 404)
_AGAIN = (408, 409, 425, 429)
_AGAIN_TYPES = ("overloaded_error", "rate_limit_error", "api_error", "timeout_error")
"""Errors inside a stream, whose HTTP status is 200."""
_NO_SCHEMAS = re.compile(r"output_config|output_format|json_schema|structured output", re.IGNORECASE)
"""What a server complains of that knows no schemas."""


def open_model(
    name: str, *, base_url: str = "", environ: Mapping[str, str], seconds: float = SECONDS
) -> Model:
    """The model of this name: "claude-sonnet-5-5", or "provider:model" for pydantic-ai's providers.

    base_url: another address of the Messages API; "" for EXPLORER_BASE_URL or the SDK's own. A server that was named is
    asked for any name, also one with a colon. seconds: that one request may take. Raises UsageError where there is no
    key, or the extra [any] is wanted and not installed.
    """
    if ":" in name and not base_url_of(base_url, environ):
        return PatientModel(AnySender(name), seconds=seconds)
    return PatientModel(AnthropicSender(name, base_url=base_url, environ=environ), seconds=seconds)


class AnthropicSender:
    """The Messages API."""

    def __init__(self, name: str, *, base_url: str = "", environ: Mapping[str, str]) -> None:
        import anthropic

        address = base_url_of(base_url, environ)
        keyless = not find_credentials(environ)
        if keyless and not is_loopback(address):
            raise UsageError(
                f"There is no key for the model {name}: set ANTHROPIC_API_KEY, or use --model none for the built-ins."
            )
        self.name = name
        self._anthropic = anthropic
        self._strict = True
        """Whether the server takes a schema for its answers; gateways may not."""
        # A server on this machine needs no key, but the SDK wants one; profiles and tokens it finds by itself.
        key = environ.get("ANTHROPIC_API_KEY") or ("none" if keyless else None)
        self._client = anthropic.AsyncAnthropic(api_key=key, base_url=address or None, max_retries=0)

    async def send(self, request: ModelRequest, *, max_tokens: int, timeout_s: float) -> Sent:
        """One call of messages.create, streamed where the answer may be long."""
        body = body_of(request, self.name, max_tokens=max_tokens, strict=self._strict)
        try:
            message = await self._call(body, timeout_s)
        except self._anthropic.BadRequestError as error:
            if not (self._strict and _NO_SCHEMAS.search(str(error.api_message))):
                raise _status_error(error) from error
            self._strict = False
            return await self.send(request, max_tokens=max_tokens, timeout_s=timeout_s)
        except self._anthropic.APIStatusError as error:
            raise _status_error(error) from error
        except self._anthropic.APIConnectionError as error:
            raise SendError(f"no connection to the model: {error}", again=True) from error
        except self._anthropic.AnthropicError as error:
            raise SendError(f"the model cannot be asked: {error}", lasting=True) from error
        return _sent(message)

    async def _call(self, body: dict[str, Any], timeout_s: float) -> Message:
        messages = self._client.messages
        if body["max_tokens"] <= STREAM_ABOVE:
            return await messages.create(**body, timeout=timeout_s)  # type: ignore[no-any-return]
        async with messages.stream(**body, timeout=timeout_s) as stream:
            return await stream.get_final_message()

    async def close(self) -> None:
        """Lets connections go."""
        await self._client.close()


def body_of(request: ModelRequest, model: str, *, max_tokens: int, strict: bool = True) -> dict[str, Any]:
    """The body of messages.create: evidence first and the question last, so that the prefix may be cached.

    strict: the API keeps the answer to the schema; otherwise the question asks for it.
    """
    from anthropic import transform_schema

    pictures = iter(fitted([block.data for block in request.blocks if isinstance(block, ImageBlock)]))
    content: list[dict[str, Any]] = []
    for block in request.blocks:
        part: dict[str, Any] = (
            _picture(next(pictures))
            if isinstance(block, ImageBlock)
            else {"type": "text", "text": _encodable(block.text)}
        )
        if block.cache_end:
            part["cache_control"] = {"type": "ephemeral", "ttl": request.cache_ttl}
        content.append(part)
    question = request.question if strict else with_schema(request)
    content.append({"type": "text", "text": _encodable(question)})
    shape = {"format": {"type": "json_schema", "schema": transform_schema(request.schema)}}
    return {
        "model": model,
        "max_tokens": max_tokens,
        "system": [{"type": "text", "text": request.system}],
        "messages": [{"role": "user", "content": content}],
        **({"output_config": shape} if strict else {}),
    }


def _encodable(text: str) -> str:
    """The text without lone surrogates, which a page may hold and no HTTP body can."""
    return text.encode("utf-8", "replace").decode()


def _picture(data: bytes) -> dict[str, Any]:
    source = {"type": "base64", "media_type": media_type(data), "data": base64.b64encode(data).decode()}
    return {"type": "image", "source": source}


def _sent(message: Message) -> Sent:
    """Text is picked by the type of its block: thinking may come before it."""
    blocks, usage = getattr(message, "content", None), getattr(message, "usage", None)
    if blocks is None or usage is None:
        raise SendError("the server's reply is no message of the Messages API")
    text = "".join(block.text for block in blocks if block.type == "text")
    counted = Usage(
        input=usage.input_tokens or 0,
        output=usage.output_tokens or 0,
        cache_read=usage.cache_read_input_tokens or 0,
        cache_write=usage.cache_creation_input_tokens or 0,
    )
    return Sent(text, str(message.stop_reason or ""), counted, message.model)


def _status_error(error: Any) -> SendError:
    status, kind = error.status_code, error.type or ""
    again = status in _AGAIN or status >= 500 or kind in _AGAIN_TYPES
    said = error.api_message or kind or "no reason given"
    return SendError(
        f"the model's server answered {status if status >= 400 else kind}: {said}",
        again=again,
        lasting=status in _LASTING,
        wait_s=_retry_after(error.response.headers.get("retry-after")) if again else None,
    )


def _retry_after(header: str | None) -> float | None:
    """Seconds to wait; None where the header is missing or is a date."""
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None


class AnySender:
    """Other providers, through pydantic-ai-slim (extra [any])."""

    def __init__(self, name: str) -> None:
        try:
            from pydantic_ai import exceptions
            from pydantic_ai.models import infer_model
        except ImportError as error:
            raise UsageError(
                f"The model {name} needs the extra [any]: pip install 'explore-app[any]'."
            ) from error
        self.name = name
        self._errors = exceptions
        try:
            self._model = infer_model(name)
        except (exceptions.UserError, ValueError, ImportError) as error:
            said = " ".join(str(error).split())
            raise UsageError(f"The model {name} cannot be used: {said}") from error

    async def send(self, request: ModelRequest, *, max_tokens: int, timeout_s: float) -> Sent:
        """One request through pydantic-ai's direct interface."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.settings import ModelSettings

        native = bool(self._model.profile.get("supports_json_schema_output", False))
        try:
            response = await model_request(
                self._model,
                _messages(request, native=native),
                model_settings=ModelSettings(max_tokens=max_tokens, timeout=timeout_s),
                model_request_parameters=_parameters(request, native=native),
            )
        except self._errors.ContentFilterError as error:
            return Sent(str(error), "refusal", Usage(), self.name)
        except self._errors.ModelAPIError as error:
            raise _any_error(error) from error
        except (self._errors.UserError, self._errors.AgentRunError) as error:
            raise SendError(f"the model cannot be asked: {error}") from error
        counted = response.usage
        usage = Usage(
            input=max(0, counted.input_tokens - counted.cache_read_tokens - counted.cache_write_tokens),
            output=counted.output_tokens,
            cache_read=counted.cache_read_tokens,
            cache_write=counted.cache_write_tokens,
        )
        reason = _STOP_REASONS.get(response.finish_reason or "", response.finish_reason or "")
        return Sent(response.text or "", reason, usage, response.model_name or self.name)

    async def close(self) -> None:
        """Nothing to let go: pydantic-ai shares its connections."""


_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


def _messages(request: ModelRequest, *, native: bool) -> list[Any]:
    from pydantic_ai import BinaryContent, CachePoint
    from pydantic_ai.messages import ModelRequest as AnyRequest
    from pydantic_ai.messages import SystemPromptPart, UserPromptPart

    pictures = iter(fitted([block.data for block in request.blocks if isinstance(block, ImageBlock)]))
    content: list[Any] = []
    for block in request.blocks:
        if isinstance(block, ImageBlock):
            data = next(pictures)
            content.append(BinaryContent(data, media_type=media_type(data)))
        else:
            content.append(_encodable(block.text))
        if block.cache_end:
            content.append(CachePoint(ttl=request.cache_ttl))
    content.append(_encodable(request.question if native else with_schema(request)))
    return [AnyRequest(parts=[SystemPromptPart(request.system), UserPromptPart(content)])]


def _parameters(request: ModelRequest, *, native: bool) -> Any:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if not native:
        return ModelRequestParameters()
    shape = OutputObjectDefinition(
        request.schema.model_json_schema(), name=request.schema.__name__, strict=True
    )
    return ModelRequestParameters(output_mode="native", output_object=shape)


def _any_error(error: Any) -> SendError:
    status = getattr(error, "status_code", None)
    headers = getattr(error, "headers", None) or {}
    again = status is None or status in _AGAIN or status >= 500
    return SendError(
        f"the model's provider answered: {error}",
        again=again,
        lasting=status in _LASTING,
        wait_s=_retry_after(headers.get("retry-after")) if again else None,
    )
