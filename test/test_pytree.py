"""torch.utils._pytree: trees of containers are taken apart, mapped, put together and written as text."""

import copy
import dataclasses
import pickle
import time
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

import torch
from torch.utils import _pytree as pytree

Point = namedtuple("Point", "x y")
TREE = {
    "list": [1, (2, 3)],
    "named": Point(4, None),
    "ordered": OrderedDict(b=5, a=6),
    "default": defaultdict(list, {"q": 7}),
    "deque": deque([8, 9], maxlen=3),
    "size": torch.Size([10, 11]),
}


def test_leaves_come_in_order_and_the_tree_comes_back():
    leaves, spec = pytree.tree_flatten(TREE)
    assert leaves == [1, 2, 3, 4, None, 5, 6, 7, 8, 9, 10, 11]
    again = pytree.tree_unflatten(leaves, spec)
    assert again == TREE and [type(again[key]) for key in TREE] == [type(value) for value in TREE.values()]
    assert again["deque"].maxlen == 3 and again["default"].default_factory is list
    assert (spec.num_leaves, spec.num_children) == (12, 6) and spec.num_nodes == 20
    assert pytree.tree_leaves(TREE) == leaves == list(pytree.tree_iter(TREE))


def test_results_of_operators_are_containers():
    result = torch.max(torch.tensor([[1.0, 2.0]]), 1)
    doubled = pytree.tree_map(lambda x: 2 * x, result)
    assert type(doubled) is type(result) and doubled.values.item() == 4 and doubled.indices.item() == 2
    assert pytree.tree_is_leaf(time.localtime()) and pytree.is_structseq(time.localtime())
    assert not pytree.is_structseq(Point(1, 2)) and pytree.is_namedtuple(Point) and not pytree.is_namedtuple_class((1,))


def test_text_of_a_structure():
    spec = pytree.tree_structure([1, {"a": (2, 3)}])
    assert repr(spec) == "TreeSpec(list, None, [*,\n  TreeSpec(dict, ['a'], [TreeSpec(tuple, None, [*,\n      *])])])"
    assert repr(pytree.tree_structure(1)) == "*"
    assert pytree.treespec_pprint(spec) == "[*, {'a': (*, *)}]"


def test_structures_are_compared_pickled_and_written():
    spec = pytree.tree_structure({"a": [1, deque([2])], "d": defaultdict(int, k=1), "o": OrderedDict(z=1)})
    for other in (pickle.loads(pickle.dumps(spec)), copy.deepcopy(spec), pytree.treespec_loads(pytree.treespec_dumps(spec))):
        assert other == spec and hash(other) == hash(spec)
    assert spec != pytree.tree_structure({"a": [1, deque([2], maxlen=4)], "d": defaultdict(int, k=1), "o": OrderedDict(z=1)})
    leaf = '{"type": null, "context": null, "children_spec": []}'
    text = f'[1, {{"type": "builtins.list", "context": "null", "children_spec": [{leaf}]}}]'
    assert pytree.treespec_dumps(pytree.tree_structure([1])) == text
    with pytest.raises(NotImplementedError, match="Point"):
        pytree.treespec_dumps(pytree.tree_structure(Point(1, 2)))
    with pytest.raises(ValueError, match="protocol 7"):
        pytree.treespec_loads("[7, null]")


def test_map_over_several_trees():
    assert pytree.tree_map(lambda a, b: a + b, {"x": 1, "y": [2]}, {"y": [20], "x": 10}) == {"x": 11, "y": [22]}
    assert pytree.tree_map(lambda a, b: (a, b), [1, 2], [(3, 4), 5]) == [(1, (3, 4)), (2, 5)]
    assert pytree.tree_map(lambda a, b: a + b, {"x": 1}, OrderedDict(x=2)) == {"x": 3}
    seen = []
    tree = [1, [2]]
    assert pytree.tree_map_(seen.append, tree) is tree and seen == [1, 2]


@pytest.mark.parametrize("other, match", [
    ([1], "arity"), ((1, 2), "type mismatch"), ({"a": 1}, "type mismatch"), (3, "type mismatch"),
])  # fmt: skip
def test_trees_that_do_not_fit(other, match):
    with pytest.raises(ValueError, match=match):
        pytree.tree_map(lambda a, b: a, [1, 2], other)


def test_keys_that_do_not_fit():
    with pytest.raises(ValueError, match=r"missing \{'a'\}, unexpected \{'b'\}"):
        pytree.tree_map(lambda a, b: a, {"a": 1}, {"b": 1})


def test_wrong_leaves_and_specs():
    spec = pytree.tree_structure([1, 2])
    with pytest.raises(ValueError, match="got 1 leaves, and the structure has 2"):
        pytree.tree_unflatten([1], spec)
    with pytest.raises(TypeError, match="TreeSpec, got list"):
        pytree.tree_unflatten([1], [1])


def test_only_some_leaves():
    tree = [1, "a", True]
    assert pytree.tree_map_only(int, lambda x: x + 1, tree) == [2, "a", 2]
    assert pytree.tree_map_only((int, str), lambda x: x * 2, tree) == [2, "aa", 2]
    assert pytree.tree_map_only(lambda x: x == "a", str.upper, tree) == [1, "A", True]
    assert pytree.tree_all(lambda x: x, tree) and not pytree.tree_any(lambda x: x == 5, tree)
    assert pytree.tree_all_only(str, str.islower, tree) and pytree.tree_any_only(int, lambda x: x == 1, tree)
    assert pytree.tree_leaves([1, (2, 3)], is_leaf=lambda x: isinstance(x, tuple)) == [1, (2, 3)]
    with pytest.raises(TypeError, match="got int"):
        pytree.map_only(3)


def test_paths():
    paths = [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(TREE)]
    assert paths[:5] == ["['list'][0]", "['list'][1][0]", "['list'][1][1]", "['named'].x", "['named'].y"]
    for path, leaf in pytree.tree_leaves_with_path(TREE):
        assert pytree.key_get(TREE, path) is leaf
    mapped = pytree.tree_map_with_path(lambda path, a, b: (pytree.keystr(path), a, b), {"a": [1]}, {"a": [2]})
    assert mapped == {"a": [("['a'][0]", 1, 2)]}


def test_a_prefix_is_spread():
    spec = pytree.tree_structure([1, [2, 3]])
    assert pytree._broadcast_to_and_flatten(0, spec) == [0, 0, 0]
    assert pytree._broadcast_to_and_flatten([1, 2], spec) == [1, 2, 2]
    assert pytree._broadcast_to_and_flatten([1, 2, 3], spec) is None
    assert pytree._broadcast_to_and_flatten((1, 2), spec) is None


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def test_registered_classes():
    with pytest.raises(ValueError, match="already registered"):
        pytree.register_pytree_node(list, None, None)
    assert pytree.tree_leaves(Pair(1, 2))[0].a == 1
    pytree.register_pytree_node(
        Pair, lambda p: ([p.a, p.b], "c"), lambda children, context: Pair(*children), serialized_type_name="test.Pair"
    )
    try:
        result = pytree.tree_map(lambda x: -x, [Pair(1, [2])])
        assert result[0].a == -1 and result[0].b == [-2]
        spec = pytree.tree_structure(Pair(1, 2))
        assert pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec
        with pytest.raises(ValueError, match="flatten_with_keys_fn"):
            pytree.tree_leaves_with_path(Pair(1, 2))
    finally:
        pytree._deregister_pytree_node(Pair)
    assert isinstance(pytree.tree_leaves(Pair(1, 2))[0], Pair)


@dataclasses.dataclass
class Data:
    a: int
    b: object = None


@dataclasses.dataclass(frozen=True)
class Constant:
    value: int


def test_data_classes_and_constants():
    pytree.register_dataclass(Data)
    assert pytree.tree_leaves(Data(1, [2, 3])) == [1, 2, 3] and pytree.tree_leaves(Data(1)) == [1]
    assert pytree.tree_map(lambda x: x + 1, Data(1, [2])) == Data(2, [3])
    assert pytree.tree_map(lambda x: x + 1, Data(1)) == Data(2, None)
    assert [pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(Data(1, [2]))] == [".a", ".b[0]"]
    pytree.register_constant(Constant)
    assert pytree.tree_leaves([Constant(1), 2]) == [2]
    assert pytree.tree_map(lambda x: x + 1, [Constant(1), 2]) == [Constant(1), 3]
    assert pytree.tree_structure(Constant(1)) != pytree.tree_structure(Constant(2))
    with pytest.raises(TypeError, match="__eq__"):
        pytree.register_constant(Pair)
    with pytest.raises(ValueError, match="fields"):
        pytree.register_dataclass(Data, field_names=["a"])


def test_specs_from_parts():
    leaf = pytree.treespec_leaf()
    assert leaf.is_leaf() and isinstance(leaf, pytree.LeafSpec) and pytree.LeafSpec() == leaf
    assert not isinstance(pytree.tree_structure([1]), pytree.LeafSpec)
    assert pytree.treespec_tuple([leaf]) == pytree.tree_structure((1,))
    assert pytree.treespec_dict({"a": leaf}) == pytree.tree_structure({"a": 1})


def test_deep_and_changing_trees():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for function in (pytree.tree_flatten, pytree.tree_leaves):
        with pytest.raises(RecursionError):
            function(deep)
    circle = []
    circle.append(circle)
    with pytest.raises(RecursionError):
        pytree.tree_flatten(circle)
    shrinks = [[1], [2], [3]]
    assert pytree.tree_leaves(shrinks, is_leaf=lambda x: x is not shrinks and shrinks.clear()) == [1, 2, 3]


def test_broken_nodes():
    class Broken:
        pass

    pytree.register_pytree_node(Broken, lambda b: b.parts, lambda children, context: 1 / 0)
    broken = Broken()
    for parts, error in ((1, TypeError), ([1], ValueError), ((1, None), TypeError)):
        broken.parts = parts
        with pytest.raises(error):
            pytree.tree_flatten(broken)
    broken.parts = [1], None
    with pytest.raises(ZeroDivisionError):
        pytree.tree_map(str, broken)
    empty = pytree.TreeSpec.__new__(pytree.TreeSpec)
    with pytest.raises((AttributeError, RuntimeError)):
        pytree.tree_unflatten([], empty)


def test_names_of_the_trees_in_cpp():
    import torch.utils._cxx_pytree as cxx

    assert cxx.tree_map is pytree.tree_map and cxx.tree_flatten([1, (2,)])[0] == [1, 2]
