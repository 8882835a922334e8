"""Where a call is at this moment, as text for an operator."""

import sys
import traceback
from collections.abc import Coroutine, Iterator
from types import FrameType
from typing import Any


def stack_of(thread: int, coroutine: Coroutine[Any, Any, Any] | None) -> str:
    """Return the stack of a thread, or of what a coroutine awaits; the innermost line comes last."""
    if coroutine is None:
        return _written(_frames(sys._current_frames().get(thread)))
    awaited = list(_awaited(coroutine))
    return _written([*awaited[:-1], *_running(awaited[-1])] if awaited else [])


def _awaited(coroutine: Any) -> Iterator[FrameType]:
    """Yield the frames from a coroutine down to what it waits for."""
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        yield frame
        coroutine = coroutine.cr_await


def _running(frame: FrameType) -> list[FrameType]:
    """Return a frame, and what it has called if a thread executes it at this moment."""
    for innermost in sys._current_frames().values():
        frames = _frames(innermost)
        if frame in frames:
            return frames[frames.index(frame) :]
    return [frame]


def _frames(innermost: FrameType | None) -> list[FrameType]:
    frames: list[FrameType] = []
    while innermost is not None:
        frames.append(innermost)
        innermost = innermost.f_back
    return frames[::-1]


def _written(frames: list[FrameType]) -> str:
    walked = ((frame, frame.f_lineno) for frame in frames)
    return "".join(traceback.StackSummary.extract(walked).format()).rstrip()
