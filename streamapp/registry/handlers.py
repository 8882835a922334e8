"""What a handler is: found by its dotted path, declared, and read from its signature."""

import inspect
from collections.abc import Callable
from typing import Any, get_args, get_origin, get_type_hints

from streamapp.codecs import decoder_for
from streamapp.mount import Shape
from streamapp.problems import Code, Findings
from streamapp.registry.declaration import declaration_of
from streamapp.registry.entry import Entry
from streamapp.registry.paths import imported

Handler = Callable[..., Any]
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def read_handler(path: object, findings: Findings) -> Handler | None:
    """Import a handler and see that it was declared."""
    try:
        handler = imported(path)
    except ImportError as error:
        what = f"HANDLER {path!r} can't be imported: {error}." if path else "HANDLER is missing."
        findings.report(Code.HANDLER_NOT_IMPORTABLE, what, "Give the dotted path of a function.")
        return None
    if callable(handler) and declaration_of(handler):
        return handler  # type: ignore[no-any-return]
    findings.report(
        Code.HANDLER_NOT_DECLARED,
        f"HANDLER {path!r} is not a function with the decorator.",
        "Put @subscriber(source) over it, with the source in the brackets.",
    )
    return None


def read_shape(handler: Handler, findings: Findings) -> Shape | None:
    """Read from the signature how a handler is called."""
    if (complaint := _complaint(handler)) is None:
        try:
            return shape_of(handler)
        except (NameError, AttributeError, TypeError, SyntaxError) as error:
            complaint = f"the annotation of its first parameter can't be resolved: {error}."
    findings.report(
        Code.BAD_SIGNATURE,
        f"the handler can't be called: {complaint}",
        "Write def handler(value: Type) or def handler(value: Type, ctx); functools.wraps keeps a signature.",
    )
    return None


def shape_of(handler: Handler) -> Shape:
    """Return how a handler is called, by its signature.

    A first parameter of `list[...]` makes a batch handler. Without an annotation it gets `bytes`. A
    second parameter of any name gets the context.
    """
    first, *others = _parameters(handler)
    annotation = _resolved(first, handler)
    is_batch = get_origin(annotation) is list
    return Shape(
        is_async=inspect.iscoroutinefunction(handler),
        is_batch=is_batch,
        takes_context=bool(others) and others[0].kind in _POSITIONAL,
        annotation=get_args(annotation)[0] if is_batch else annotation,
    )


def read_decoder(entry: Entry, shape: Shape | None) -> Callable[[bytes], Any] | None:
    """Return what decodes values for the handler: its DECODER, else what its annotation asks for."""
    if entry.get("DECODER") is not None:
        return entry.function("DECODER", Code.BAD_DECODER)
    try:
        return decoder_for(shape.annotation) if shape else None
    except (TypeError, NameError) as error:
        hint = "Annotate a dataclass, Struct, Pydantic model, dict, str, bytes or Record, or set DECODER."
        entry.report(
            Code.UNKNOWN_ANNOTATION, f"the handler's first parameter can't be decoded: {error}.", hint
        )
        return None


def _parameters(handler: Handler) -> list[inspect.Parameter]:
    return list(inspect.signature(handler).parameters.values())


def _complaint(handler: Handler) -> str | None:
    parameters = _parameters(handler)
    if not parameters or parameters[0].kind not in _POSITIONAL:
        return "it has no first parameter for the record."
    if any(_is_required(parameter) for parameter in parameters[2:]) or _needs_keyword(parameters):
        return "it needs more than a record and a context."
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        return "it has a yield, so that calling it would do nothing."
    return None


def _is_required(parameter: inspect.Parameter) -> bool:
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.default is inspect.Parameter.empty and parameter.kind not in variable


def _needs_keyword(parameters: list[inspect.Parameter]) -> bool:
    return any(
        parameter.kind is inspect.Parameter.KEYWORD_ONLY and _is_required(parameter)
        for parameter in parameters
    )


def _resolved(parameter: inspect.Parameter, handler: Handler) -> Any:
    """Resolve one annotation alone: others may name what is imported for type checkers only."""
    if parameter.annotation is inspect.Parameter.empty:
        return bytes

    def alone() -> None: ...

    alone.__annotations__ = {"first": parameter.annotation}
    namespace = getattr(inspect.unwrap(handler), "__globals__", {})
    return get_type_hints(alone, namespace, include_extras=True)["first"]
