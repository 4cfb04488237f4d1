"""Systems aligned by id, against sets and dictionaries."""

from hypothesis import given
from hypothesis import strategies as st

from errbar.analysis.alignment import align, group_by_task

IDS = st.lists(st.text("abc", max_size=2), unique=True)


@given(st.lists(IDS, min_size=1, max_size=4))
def test_every_id_is_where_its_system_says(systems: list[list[str]]) -> None:
    found = align(systems)
    assert found.ids == sorted(set().union(*systems))
    for ids, places in zip(systems, found.places, strict=True):
        assert [found.ids[at] for at in places] == ids
        assert found.at(ids).tolist() == places.tolist()


@given(st.lists(IDS, min_size=1, max_size=4))
def test_shared_ids_are_those_of_all_in_one_order(systems: list[list[str]]) -> None:
    common = sorted(set(systems[0]).intersection(*systems[1:]))
    for ids, places in zip(systems, align(systems).shared(), strict=True):
        assert [ids[at] for at in places] == common


def test_ids_may_stay_in_the_order_in_which_they_appear() -> None:
    assert align([["b", "a"], ["c", "a"]], order=list).ids == ["b", "a", "c"]


def test_tasks_hold_the_systems_that_have_them() -> None:
    there: dict[tuple[str, ...], int] = {("a", "x"): 1, ("b", "x"): 2, ("a", "y"): 3}
    assert group_by_task(there) == {"x": {"a": 1, "b": 2}, "y": {"a": 3}}
    assert group_by_task(there, ["b"]) == {"x": {"b": 2}}
