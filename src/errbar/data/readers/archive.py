"""Read members of a zip archive, within size limits: in memory, or unpacked into a folder."""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from errbar.base.files import directory_until_exit
from errbar.errors import InputError

_MOST = 1 << 30  # uncompressed bytes of a member
_MOST_OF_ALL = 1 << 32  # uncompressed bytes of all members read
_MOST_PACKED = 1000  # largest compression ratio
_STEP = 1 << 20
_ZSTD = 93  # compression method in the zip format
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD)
# the last two fields are the lengths of the name and of the extra field
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(OSError, EOFError, ValueError, ArithmeticError, RuntimeError),
)


class Archive:
    """A zip archive; of members with the same name the last one counts."""

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
                f"{path} is not a complete zip archive ({error}); it may be truncated. Copy it "
                f"again."
            ) from error
        every = self._zip.infolist()
        self._members = {member.filename: member for member in every}
        self.replaced = len(every) - len(self._members)  # by a later member of the same name

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def names(self, start: str) -> list[str]:
        """Names of members with this prefix, sorted."""
        return sorted(name for name in self._members if name.startswith(start))

    def read(self, name: str) -> bytes:
        """Read a member, within the size limits."""
        where, member = f"{self.path}, {name}", self._members[name]
        if member.flag_bits & 1:
            raise InputError(f"{where} is encrypted; errbar has no password for it.")
        if member.compress_type not in _METHODS:
            raise InputError(
                f"{where} is compressed with method {member.compress_type}; errbar reads "
                f"stored, deflate (8) and zstd (93) members."
            )
        most = min(_MOST, self._left, max(_STEP, member.compress_size * _MOST_PACKED))
        if member.file_size > most:
            raise InputError(f"{where}: {member.file_size:,} uncompressed bytes are too many.")
        parts, size = [], 0
        try:
            for part in self._parts(member):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise InputError(
                        f"{where}: more than {most:,} uncompressed bytes are too many."
                    )
        except InputError:
            raise
        except _BROKEN as error:
            raise InputError(f"{where} cannot be decompressed: {error}.") from error
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
        """Decompress a zstd member of one or more frames; zipfile cannot before Python 3.14."""
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
            raise zipfile.BadZipFile("its checksum differs from the one stated in the archive")

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        """Compressed bytes of a member."""
        self._file.seek(member.header_offset)
        mark, name, extra = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        if mark != b"PK\x03\x04":
            raise zipfile.BadZipFile("it does not start where the archive states")
        self._file.seek(name + extra, 1)
        return self._file.read(member.compress_size)


def unpack(path: str | Path) -> str | Path:
    """The folder with the files of a zip archive, removed at exit; any other path as it is."""
    path = Path(path) if str(path).lower().endswith(".zip") else path
    if isinstance(path, str) or path.suffix.lower() != ".zip" or not os.path.isfile(path):
        return path
    folder = directory_until_exit() / path.stem
    with Archive(path) as archive:
        for name in archive.names(""):
            parts = PurePosixPath(name.replace("\\", "/")).parts
            if name.endswith("/") or not parts:
                continue
            if ".." in parts or parts[0].startswith("/") or ":" in parts[0]:
                raise InputError(f"{path}: the name {name!r} in it points to another folder.")
            file = folder.joinpath(*parts)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.read(name))
    if not folder.exists():
        raise InputError(f"{path}: there is no file in this archive.")
    return folder


def _zstd() -> Any:
    try:
        from compression import zstd  # noqa: PLC0415  Python 3.14 and later
    except ImportError:
        from backports import zstd  # noqa: PLC0415  an extra
    return zstd
