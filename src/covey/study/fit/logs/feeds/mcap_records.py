"""The messages of a bag in MCAP, from strangers: never more of it in memory than is allowed.

A bag [1] is a sequence of records, most of them in chunks that are packed. What a chunk unpacks to
is written before it; more than `MOST_UNPACKED` is refused before it is unpacked, and a chunk that
gives more than it says is refused at that byte. Of a few thousand messages at a time the earliest
comes first, as recorders write them in about that order.

[1] https://mcap.dev/spec
"""

from __future__ import annotations

import heapq
import io
import struct
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from covey.dynamics.validation import Progress
from covey.errors import InputError
from covey.files.bounded_file import open_bytes
from covey.study.fit.logs.table import read_progress

if TYPE_CHECKING:
    from mcap.records import Channel, Chunk, Message, Schema

MOST_UNPACKED = 128_000_000  # bytes of a record or a chunk
_AHEAD, _BYTES_AHEAD = 10_000, 64_000_000  # messages that are put in order, and what they hold
_MAGIC = b"\x89MCAP0\r\n"
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _FOOTER = 0x03, 0x04, 0x05, 0x06, 0x02
_HEAD = struct.Struct("<BQ")  # what a record is, and how long
_INSTALL = 'ROS 2 bags are read by mcap, which is not installed: pip install "covey[ros]"'


class BagMessage(NamedTuple):
    """A message with what is known of it."""

    schema: Schema | None
    channel: Channel
    message: Message


def bag_messages(path: str, progress: Progress | None = None) -> Iterator[BagMessage]:
    """Every message of a bag, in the order of time.

    Args:
        path: The file.
        progress: Called as progress(done, total, text) while it is read.
    """
    notify = read_progress(path, progress)
    with open_bytes(path, "a bag in MCAP", only_files=True) as stream:
        waiting: list[tuple[int, int, BagMessage]] = []
        size = 0
        for number, found in enumerate(_whole(stream)):
            if notify is not None:
                notify(stream.tell())
            heapq.heappush(waiting, (found.message.log_time, number, found))
            size += len(found.message.data)
            while len(waiting) > _AHEAD or size > _BYTES_AHEAD:
                *_, first = heapq.heappop(waiting)
                size -= len(first.message.data)
                yield first
        while waiting:
            yield heapq.heappop(waiting)[-1]


def _whole(stream: IO[bytes]) -> Iterator[BagMessage]:
    """The messages as they lie; whatever damaged bytes make of mcap is one kind of error."""
    found = _messages(stream)
    while True:
        try:
            one = next(found, None)
        except (OSError, InputError):
            raise
        except Exception as error:
            raise InputError(
                f"not a complete bag in MCAP: {type(error).__name__} {error}"
            ) from None
        if one is None:
            return
        yield one


def _messages(stream: IO[bytes]) -> Iterator[BagMessage]:
    try:
        from mcap import records  # noqa: PLC0415  (optional)
        from mcap.data_stream import ReadDataStream  # noqa: PLC0415
    except ImportError:
        raise InputError(_INSTALL) from None
    schemas: dict[int, Schema] = {}
    channels: dict[int, Channel] = {}
    for kind, raw in _records(stream):
        data = ReadDataStream(io.BytesIO(raw))
        if kind == _SCHEMA:
            schema = records.Schema.read(data)
            schemas[schema.id] = schema
        elif kind == _CHANNEL:
            channel = records.Channel.read(data)
            channels[channel.id] = channel
        else:
            message = records.Message.read(data, len(raw))
            channel = channels[message.channel_id]
            yield BagMessage(schemas.get(channel.schema_id), channel, message)


def _records(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Schemas, channels and messages, in chunks or not; others are skipped."""
    if stream.read(len(_MAGIC)) != _MAGIC:
        raise InputError("not a complete bag in MCAP: it does not begin like one")
    size = stream.seek(0, io.SEEK_END)
    stream.seek(len(_MAGIC))
    complete = False
    for kind, raw in _wanted(stream, size - len(_MAGIC)):
        complete = complete or kind == _FOOTER
        if kind == _CHUNK:
            unpacked = _unpacked(raw)
            yield from _wanted(io.BytesIO(unpacked), len(unpacked))
        elif kind != _FOOTER:
            yield kind, raw
    if not complete:
        raise InputError("not a complete bag in MCAP: it was cut off")


def _wanted(stream: IO[bytes], end: int) -> Iterator[tuple[int, bytes]]:
    """The records up to a byte that are looked at, each in whole."""
    at = stream.tell()
    while at < end:
        kind, length = _HEAD.unpack(stream.read(_HEAD.size))
        at += _HEAD.size + length
        if at > end:
            raise InputError("not a complete bag in MCAP: a record goes beyond its end")
        if kind not in (_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _FOOTER):
            stream.seek(at)
            continue
        if length > MOST_UNPACKED:
            raise InputError(_too_large("a record", length))
        yield kind, stream.read(length)


def _unpacked(raw: bytes) -> bytes:
    """What is in a chunk."""
    from mcap.data_stream import ReadDataStream  # noqa: PLC0415
    from mcap.records import Chunk  # noqa: PLC0415

    chunk = Chunk.read(ReadDataStream(io.BytesIO(raw)))
    if chunk.uncompressed_size > MOST_UNPACKED:
        raise InputError(_too_large("a chunk", chunk.uncompressed_size))
    data = _unpack(chunk, chunk.uncompressed_size + 1)
    if len(data) != chunk.uncompressed_size:
        raise InputError("not a complete bag in MCAP: a chunk is not as long as it says")
    return data


def _unpack(chunk: Chunk, most: int) -> bytes:
    """At most so many bytes of a chunk."""
    if chunk.compression == "zstd":
        import zstandard  # noqa: PLC0415

        return zstandard.ZstdDecompressor().stream_reader(chunk.data).read(most)
    if chunk.compression == "lz4":
        import lz4.frame  # noqa: PLC0415

        unpacker: Any = lz4.frame.LZ4FrameDecompressor()
        return bytes(unpacker.decompress(chunk.data, max_length=most))
    if chunk.compression:
        raise InputError(
            f"a chunk is packed by {chunk.compression[:20]!r}: zstd or lz4 is expected"
        )
    return chunk.data


def _too_large(what: str, size: int) -> str:
    return (
        f"{what} of the bag holds {size / 1e6:,.0f} MB, and {MOST_UNPACKED / 1e6:,.0f} MB are read "
        "at most: write the bag anew in smaller chunks"
    )
