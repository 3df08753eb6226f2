"""Memory: what was tried where, and the way back to what was not."""

from explorer.actions import Candidate, Key
from explorer.memory import Memory, page_of
from graph.records import Action, StateId

A, B, C, D = (StateId(name) for name in "ABCD")


def candidate(name: str) -> Candidate:
    return Candidate(Key("click", name), "click", place=name, functions=frozenset({1}))


def go(memory: Memory, start: StateId, name: str, end: StateId, gain: int = 0) -> None:
    item = candidate(name)
    memory.record(start, item.key, Action("click", "", family=name), after=end, gain=gain, candidate=item)


def world() -> Memory:
    memory = Memory()
    for state, names in ((A, "xy"), (B, "z"), (C, "zw")):
        memory.arrive(state, [candidate(name) for name in names], step=1)
    go(memory, A, "x", B)
    go(memory, B, "z", C)
    return memory


def test_untried_is_per_state() -> None:
    memory = world()
    assert [c.key.family for c in memory.untried(A)] == ["y"]
    assert memory.untried(B) == []
    assert [c.key.family for c in memory.untried(C)] == ["z", "w"]


def test_the_frontier_is_where_something_is_left_nearest_first_with_the_way_there() -> None:
    memory = world()
    way = ((A, Key("click", "x")), (B, Key("click", "z")))
    assert [(state, path, [c.key.family for c in left]) for state, path, left in memory.frontier(A)] == [
        (C, way, ["z", "w"])
    ]
    memory.arrive(B, [candidate("new")], step=9)
    assert [state for state, _, _ in memory.frontier(A)] == [B, C]
    assert list(memory.frontier(C)) == []


def test_path_is_the_shortest_known_one() -> None:
    memory = world()
    go(memory, A, "y", D)
    assert dict(memory.ways(A)).get(C) == ((A, Key("click", "x")), (B, Key("click", "z")))
    go(memory, A, "y", C)
    go(memory, A, "y", C)
    assert dict(memory.ways(A)).get(C) == ((A, Key("click", "y")),)


def test_no_path_where_nothing_leads() -> None:
    assert dict(world().ways(C)).get(A) is None


def test_transition_counts_as_what_it_mostly_led_to() -> None:
    memory = world()
    go(memory, A, "x", A)
    go(memory, A, "x", A)
    assert dict(memory.ways(A)).get(B) is None


def test_what_cost_the_page_is_not_done_again_in_no_state() -> None:
    memory = world()
    memory.lost(Key("click", "z"))
    assert not memory.allowed(Key("click", "z")) and memory.allowed(Key("click", "x"))
    assert dict(memory.ways(A)).get(C) is None
    assert [c.key.family for c in memory.untried(C)] == ["w"]


def test_failures_grow_without_gain_and_are_forgiven_by_one() -> None:
    memory = world()
    place = ("click", "x")
    assert memory.place_failures[place] == 1
    go(memory, A, "x", B)
    assert memory.place_failures[place] == 2
    go(memory, A, "x", B, gain=5)
    assert memory.place_failures[place] == 0.8


def test_handler_that_everything_shares_tells_nothing() -> None:
    memory, shared = Memory(), [candidate(name) for name in "abcdefg"]
    memory.arrive(A, shared[:6], step=0)
    assert memory.telling(shared[0]) == {1}
    memory.arrive(A, shared, step=1)
    assert memory.telling(shared[0]) == frozenset()


def test_what_could_not_be_performed_leads_nowhere_and_is_not_soon_tried_again() -> None:
    memory = world()
    memory.record(A, Key("click", "y"), Action("click", ""), after=C, gain=0, performed=False)
    assert memory.tries_in[A, Key("click", "y")] == 3
    assert dict(memory.ways(A)).get(C) == ((A, Key("click", "x")), (B, Key("click", "z")))


def test_page_of_an_address_is_its_path_and_its_route() -> None:
    assert page_of("/a/b.html?q=1#part") == "/a/b.html"
    assert page_of("b.html", base="/a/c.html?x") == "/a/b.html"
    assert page_of("#/active", base="/") == "/#/active"
    assert page_of("../index.html", base="/a/b/c.html") == "/a/index.html"
