"""Members of a zip archive, read in memory: never unpacked to disk, never larger than allowed."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from errbar.data.readers.documents import parsed
from errbar.errors import InputError

_MOST = 1 << 30  # bytes of one member, once unpacked
_MOST_OF_ALL = 1 << 32  # bytes of all members that are read
_MOST_PACKED = 1000  # times that a member may grow
_STEP = 1 << 20
_ZSTD = 93  # the method's number in the zip format
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD)
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # ends in the lengths of the name and of what follows it
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(OSError, EOFError, ValueError, ArithmeticError, RuntimeError),
)


class Archive:
    """A zip archive. Of members with one name the last counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._left = _MOST_OF_ALL
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error}.") from error
        try:
            self._zip = zipfile.ZipFile(self._file)
        except _BROKEN as error:
            self._file.close()
            raise InputError(
                f"{path} is no whole zip archive ({error}); it may be cut short. Copy it again."
            ) from error
        self._members = {member.filename: member for member in self._zip.infolist()}

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self, start: str) -> list[str]:
        """Members whose names begin like this, in order."""
        return sorted(name for name in self._members if name.startswith(start))

    def document(self, name: str) -> Any:
        """A member that is a JSON document."""
        return parsed(self.read(name), f"{self.path}, {name}")

    def read(self, name: str) -> bytes:
        """A whole member, if it is no larger than allowed."""
        where, member = f"{self.path}, {name}", self._members[name]
        if member.flag_bits & 1:
            raise InputError(f"{where} is encrypted; errbar has no password for it.")
        if member.compress_type not in _METHODS:
            raise InputError(
                f"{where} is packed by method {member.compress_type}; stored members, deflate (8) "
                f"and zstd (93) are read."
            )
        most = min(_MOST, self._left, max(_STEP, member.compress_size * _MOST_PACKED))
        if member.file_size > most:
            raise InputError(f"{where}: {member.file_size:,} bytes unpacked are too many.")
        parts, size = [], 0
        try:
            for part in self._parts(member):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise InputError(f"{where}: more than {most:,} bytes unpacked are too many.")
        except InputError:
            raise
        except _BROKEN as error:
            raise InputError(f"{where} cannot be unpacked: {error}.") from error
        self._left -= size
        return b"".join(parts)

    def _parts(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        if member.compress_type == _ZSTD:
            yield from self._parts_of_zstd(member)
            return
        with self._zip.open(member) as file:
            while part := file.read(_STEP):
                yield part

    def _parts_of_zstd(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        """Python's own zipfile knows zstd from 3.14 on. A member is one frame or several."""
        zstd = _zstd()
        packed, check = self._packed(member), 0
        while packed:
            frame = zstd.ZstdDecompressor()
            while not frame.eof:
                try:
                    part = frame.decompress(packed, max_length=_STEP)
                except zstd.ZstdError as error:
                    raise zipfile.BadZipFile(str(error)) from error
                packed = b""
                if not part and frame.needs_input and not frame.eof:
                    raise EOFError("it breaks off")
                check = zlib.crc32(part, check)
                yield part
            packed = frame.unused_data
        if check != member.CRC:
            raise zipfile.BadZipFile("its checksum is not the one that the archive states")

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        """The bytes of a member as they are in the file."""
        self._file.seek(member.header_offset)
        mark, name, extra = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        if mark != b"PK\x03\x04":
            raise zipfile.BadZipFile("it does not begin where the archive says")
        self._file.seek(name + extra, 1)
        return self._file.read(member.compress_size)


def _zstd() -> Any:
    try:
        from compression import zstd  # noqa: PLC0415  Python 3.14 and later
    except ImportError:
        from backports import zstd  # noqa: PLC0415  only where it is needed
    return zstd
