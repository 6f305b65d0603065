"""The package as its users see it: stubs, docs and names."""

import ast
import inspect
import pathlib

import pytest

import nbody

STUBS = pathlib.Path(nbody.__file__).with_name("_native.pyi")


def test_stubs_name_what_the_extension_has():
    tree = ast.parse(STUBS.read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    native = nbody._native
    of_module = {name for name in dir(native) if not name.startswith("_")}
    assert of_module == set(classes) | functions
    for name, node in classes.items():
        found = getattr(native, name)
        if issubclass(found, BaseException):
            assert found.__bases__[0].__name__ == ast.unparse(node.bases[0])
            continue
        described = {it.name for it in node.body if isinstance(it, ast.FunctionDef)} - {"__new__"}
        public = {it for it in vars(found) if not it.startswith("_")}
        special = {it for it in described if it.startswith("_")}
        assert public == described - special, name
        assert special <= set(vars(found)), name


def test_everything_public_is_documented():
    for name in nbody.__all__:
        found = getattr(nbody, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(found), name
        if inspect.isclass(found) and found.__module__.startswith("nbody."):
            for member, value in vars(found).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError):
        nbody.no_such_name
