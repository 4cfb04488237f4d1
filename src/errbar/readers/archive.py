"""Members of a zip archive, read in memory: never unpacked to disk, never larger than allowed."""

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from errbar.errors import InputError
from errbar.readers.documents import parsed

_MOST = 1 << 30  # bytes of one member, once unpacked
_MOST_PACKED = 1000  # times that a member may grow
_STEP = 1 << 20
_ZSTD = 93  # the method's number in the zip format
_LOCAL_HEADER = 30


class Archive:
    """A zip archive. Of members with one name the last counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("rb")
            self._zip = zipfile.ZipFile(self._file)
        except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise InputError(f"{path} is no whole zip archive: {error}.") from error
        self._members = {one.filename: one for one in self._zip.infolist()}

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
        most = min(_MOST, max(_STEP, member.compress_size * _MOST_PACKED))
        if member.file_size > most:
            raise InputError(f"{where}: {member.file_size:,} bytes unpacked are too many.")
        parts, size = [], 0
        try:
            for part in self._parts(member):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise InputError(f"{where}: more than {most:,} bytes unpacked.")
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:
            raise InputError(f"{where} cannot be unpacked: {error}.") from error
        except NotImplementedError as error:
            raise InputError(f"{where} is packed in a way that is not known: {error}.") from error
        return b"".join(parts)

    def _parts(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        if member.compress_type == _ZSTD:
            yield from self._parts_of_zstd(member)
            return
        with self._zip.open(member) as file:
            while part := file.read(_STEP):
                yield part

    def _parts_of_zstd(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        """Python's own zipfile knows zstd from 3.14 on."""
        zstd = _zstd(self.path)
        self._file.seek(member.header_offset)
        head = self._file.read(_LOCAL_HEADER)
        names = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        self._file.seek(member.header_offset + _LOCAL_HEADER + names)
        packed = self._file.read(member.compress_size)
        unpacker, check = zstd.ZstdDecompressor(), 0
        try:
            while not unpacker.eof:
                part = unpacker.decompress(packed, max_length=_STEP)
                packed = b""
                if not part and unpacker.needs_input and not unpacker.eof:
                    raise EOFError("it breaks off")
                check = zlib.crc32(part, check)
                yield part
        except zstd.ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from error
        if check != member.CRC:
            raise zipfile.BadZipFile("its checksum is not the one that the archive states")


def _zstd(path: Path) -> Any:
    try:
        from compression import zstd  # noqa: PLC0415  Python 3.14 and later
    except ImportError:
        try:
            from backports import zstd  # noqa: PLC0415  an extra
        except ImportError as error:
            raise InputError(
                f"{path} is packed with zstd, which Python reads from 3.14 on; before: "
                f"pip install 'errbar[zstd]'."
            ) from error
    return zstd
