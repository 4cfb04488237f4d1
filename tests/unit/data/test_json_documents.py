"""JSON is parsed to the values that the standard `json` gives, or refused with its words."""

import ast
import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errbar
from errbar.data.readers import documents, file_content
from errbar.data.readers.documents import document, elements, lines, parse, parse_elements
from errbar.errors import InputError

VALUES = [
    *("-0", "-0.0", "0", "1e5", "1E+5", "0e0", "1e-400", "4.9e-324", "2.4703282292062327e-324"),
    *("18446744073709551615", "18446744073709551616", "-9223372036854775809", "9" * 30, "9" * 310),
    *("9" * 4300, "0." + "1" * 5000, "1" + "0" * 400 + "e-400", "0e99999999999999999999"),
    *("1.7976931348623157e308", "9007199254740993.0", "123456789012345678901234567890.123"),
    *("1e400", "-1e400", "1.7976931348623159e308", "NaN", "Infinity", "-Infinity"),
    *('"\\ud800"', '"\\ud83d\\ude00"', '"\\udc00\\ud800"', '"\\uD83Dx"', '"\\u0000"', '"\x7f"'),
    *('{"a":1,"a":2}', '{"b":0,"a":1,"b":2}', '{"":1}', '{"\\ud800":1}', '["\u2028"]', '"é😀"'),
    *("null", "true", " [ ] ", '"\\/"', "[" * 100 + "]" * 100),
]
BROKEN = [
    *("01", "1.", ".5", "+1", "1e", "-", "--1", "0x10", "1_000", "00", "-01", "nul", "", " "),
    *('"\x00"', '"\x1f"', '"\t"', '"\n"', '{"a\x01":1}', '"\\x"', '"\\u12"', '"\\u+123"', '"a'),
    *("[1,]", '{"a":1,}', "[]x", "\x0b1", "1\x0c", "\xa01", "{1:2}", "{'a':1}", "// c\n1", "[1 2]"),
    *("9" * 5000, "-" + "9" * 5000, "1\x00", "[1]\x00", "[" * 100_000, '{"a":' * 100_000),
]
UNDECODABLE = [b'"\xed\xa0\x80"', b'"\xc0\x80"', b'"\xf4\x90\x80\x80"', b'"\xff"', b"\xff\xfe1\x00"]
WRAPPINGS = ["{}", "[{}]", '{{"k":{}}}', '{{"x":[1,{{"k":{},"l":2}}]}}', "\ufeff[{}]", "[0,{},0]"]


def outcome(read: Any, text: Any) -> tuple[Any, ...]:
    """What is read, told apart to the sign of zero, or the error and its words."""
    try:
        return ("value", tagged(read(text)))
    except RecursionError:
        return ("nested too deeply",)
    except ValueError as error:
        return (type(error), str(error))


def tagged(value: Any) -> Any:
    """Values with their types, so that 1, 1.0 and True differ, and nan equals nan."""
    if isinstance(value, dict):
        return [(tagged(key), tagged(part)) for key, part in value.items()]
    if isinstance(value, list):
        return ["list", *map(tagged, value)]
    if isinstance(value, float):
        return "float", "nan" if math.isnan(value) else (value, math.copysign(1, value))
    return type(value).__name__, value


def by_json(text: str | bytes) -> Any:
    return json.loads(text if isinstance(text, str) else text.decode("utf-8-sig"))


def require_same(text: str) -> None:
    assert outcome(parse, text) == outcome(by_json, text)
    raw = text.encode("utf-8", "surrogatepass")
    assert outcome(parse, raw) == outcome(by_json, raw)


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_every_text_is_read_or_refused_as_json_does(wrapping: str) -> None:
    for text in (*VALUES, *BROKEN):
        require_same(wrapping.format(text))


@pytest.mark.parametrize("raw", UNDECODABLE)
def test_bytes_that_are_not_utf_8_are_refused_as_json_does(raw: bytes) -> None:
    assert outcome(parse, raw) == outcome(by_json, raw)
    assert outcome(parse, b'{"k":' + raw + b"}") == outcome(by_json, b'{"k":' + raw + b"}")


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
DOCUMENTS = st.recursive(
    LEAVES, lambda part: st.lists(part) | st.dictionaries(st.text(), part), max_leaves=20
)


@given(DOCUMENTS, st.booleans(), st.sampled_from([None, 1]))
def test_whatever_json_writes_is_read_alike(value: Any, plain: bool, indent: int | None) -> None:
    require_same(json.dumps(value, ensure_ascii=plain, indent=indent))


@given(st.lists(st.sampled_from([*'{}[],:"\\01-.eE+ \n\tua\x00\x1f\ud800', "null", "é", "😀"])))
def test_whatever_is_not_json_is_refused_alike(parts: list[str]) -> None:
    require_same("".join(parts))


def test_documents_with_bytes_changed_are_read_or_refused_alike() -> None:
    rng = random.Random(17)
    whole = json.dumps({"a": [1, 2.5, -3e10, None, True, "xé\n"], "b": {"c": "😀"}}).encode()
    for _ in range(3000):
        raw = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        assert outcome(parse, bytes(raw)) == outcome(by_json, bytes(raw)), bytes(raw)


def test_numbers_are_read_to_the_last_bit() -> None:
    rng = random.Random(18)
    for _ in range(5000):
        whole, part = (rng.randrange(10 ** rng.randint(1, 25)) for _ in range(2))
        require_same(f"{rng.choice(['', '-'])}{whole}.{part}e{rng.randint(-345, 320)}")


def test_what_nan_becomes_may_be_chosen() -> None:
    assert parse('{"a": NaN, "b": 1}', {"NaN": None}.get) == {"a": None, "b": 1}


def test_elements_of_an_array_are_those_of_the_document(tmp_path: Path) -> None:
    file = tmp_path / "array.json"
    for text in (*VALUES, *BROKEN):
        file.write_bytes(f'[{{"at": 0}}, {text}, "last"]'.encode())
        one_by_one = refusal_or_value(lambda: list(elements(file)))
        assert one_by_one == refusal_or_value(lambda: document(file)), text


def refusal_or_value(read: Callable[[], Any]) -> Any:
    try:
        return tagged(read())
    except InputError as error:
        return str(error)


def test_elements_are_parsed_when_they_are_requested() -> None:
    parts = parse_elements(b'[{"a": 1}, "\xff"]')
    assert parts is not None
    assert next(parts) == {"a": 1}
    with pytest.raises(UnicodeDecodeError):
        next(parts)


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\n\n"])
def test_lines_that_only_json_reads_stand_among_others(end: str, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('\ufeff{"a": 1}' + end + '{"a": "\\ud800", "b": 1e400}' + end, newline="")
    step = 2 if end == "\n\n" else 1
    assert list(lines(file)) == [(1, {"a": 1}), (1 + step, {"a": "\ud800", "b": math.inf})]


LINES = [
    *('{"a":1}', '{"b":{}}', "{}", " {}", "{} ", "", "{}{}", '{"a":', "1}", "{},", "[1]", "7"),
    *('{"c":NaN}', '{"d":"}', '{"e":"é"}', "\ufeff{}", '{"f":"\\n"}', "\r", "{}\r", "{", "}"),
]


@pytest.mark.parametrize("size", [8, 1 << 17])
def test_lines_parsed_together_are_those_parsed_in_turn(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_content, "_BATCH", size)
    path, rng = tmp_path / "a.jsonl", random.Random(size)
    for _ in range(2000):
        some = LINES if rng.random() < 0.6 else LINES[:3]
        text = "\n".join(rng.choices(some, k=rng.randrange(6))) + rng.choice(["", "\n"])
        path.write_bytes(text.encode())
        found = refusal_or_value(lambda: list(lines(path)))
        expected = refusal_or_value(lambda: list(lines_in_turn(path)))
        assert found == expected, text


def lines_in_turn(path: Path) -> Iterator[tuple[int, Any]]:
    """Lines as a loop over the file gives them."""
    with path.open("rb") as file:
        for at, raw in enumerate(file, start=1):
            if raw.strip():
                where = f"{path}, line {at}"
                yield at, documents.require_object(documents.parsed(raw, where), where)


def test_nobody_else_parses_json() -> None:
    """Plug-ins parse what they wrote themselves, or what their host says, not logs."""
    package = Path(errbar.__file__).parent
    elsewhere = [
        f"{path.name}, line {node.lineno}"
        for path in sorted(package.rglob("*.py"))
        if path.name != "documents.py" and path.parent.name != "integrations"
        for text in [path.read_text(encoding="utf-8")]
        if "json." in text  # which takes a tenth of the time of parsing all modules
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "json"
        and node.attr in ("load", "loads", "JSONDecoder")
    ]
    assert not elsewhere
