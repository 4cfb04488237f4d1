"""Logs of inspect_ai taken apart and put together in plain Python, without errbar."""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from logs import FIXTURES

try:
    from compression import zstd
except ImportError:
    from backports import zstd

compress = zstd.compress

PLACE = FIXTURES / "inspect_ai"
LOGS = sorted(
    path.relative_to(PLACE).as_posix()
    for path in PLACE.rglob("*")
    if path.suffix in (".eval", ".json")
    and path.name not in ("logs.json", "eval-set.json", "reference.json")
)
ARCHIVES = [name for name in LOGS if name.endswith(".eval")]
REFERENCE = json.loads((PLACE / "reference.json").read_text(encoding="utf-8"))

Members = dict[str, bytes]


def members(path: Path) -> Members:
    """Every member of an archive, unpacked."""
    raw = path.read_bytes()
    found = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name, extra = struct.unpack(
                "<HH", raw[member.header_offset + 26 : member.header_offset + 30]
            )
            start = member.header_offset + 30 + name + extra
            packed = raw[start : start + member.compress_size]
            held = zstd.decompress(packed) if member.compress_type == 93 else archive.read(member)
            assert zlib.crc32(held) == member.CRC
            found[member.filename] = held
    return found


def samples(path: Path) -> list[dict[str, Any]]:
    """The samples of a log of either kind, whole."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8")).get("samples") or []
    return [json.loads(held) for name, held in members(path).items() if name.startswith("samples/")]


def write(
    path: Path, held: Members | Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED
) -> Path:
    """An archive of these members."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in held.items() if isinstance(held, dict) else held:
            archive.writestr(name, content)
    return path


def small(
    samples: list[Any] | None = None, *, results: Any = None, status: str = "success", **told: Any
) -> dict[str, Any]:
    """A log with these samples as one document."""
    given = [sample()] if samples is None else samples
    spec = {"task": "t", "model": "m", "task_id": "1", "created": "2026", **told}
    return {"version": 2, "status": status, "eval": spec, "results": results, "samples": given}


def sample(id: Any = "a", epoch: Any = 1, value: Any = "C", **more: Any) -> dict[str, Any]:
    return {"id": id, "epoch": epoch, "target": "x", "scores": {"s": {"value": value}}, **more}


def archived(path: Path, log: dict[str, Any]) -> Path:
    """A log as an archive with header and summaries."""
    header = {name: held for name, held in log.items() if name != "samples"}
    parts = {"_journal/start.json": header, "summaries.json": log["samples"], "header.json": header}
    return write(path, {name: json.dumps(part).encode() for name, part in parts.items()})


def saved(path: Path, log: dict[str, Any]) -> Path:
    path.write_text(json.dumps(log), encoding="utf-8")
    return path
