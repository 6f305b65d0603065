"""The package as its users see it: stubs, docs, names and the command."""

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


def test_the_command(capsys):
    from nbody.__main__ import main

    def run(*arguments):
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    assert run("devices")[0] == 0
    assert "Law `yukawa`" in run("laws")[1]
    assert run("emit", "gravity")[1].count("impl Interaction") >= 1
    assert "real eps2" in run("emit", "gravity", "--cuda")[1]
    program = run("emit", "gravity", "--program", "--schedule", "symmetric", "--periodic")[1]
    assert program.count("__global__") >= 1 and "real eps2" in program
    for option in (("--periodic",), ("--schedule", "few"), ("--walk", "groups"), ("--precision", "single")):
        for text in ((), ("--cuda",)):
            code, out, err = run("emit", "gravity", *text, *option)
            assert code == 1 and not out and f"{option[0]} is of a whole program" in err
    options = ("gravity", "--device", "cpu", "-n", "100")
    code, out, _ = run("check", *options, "--set", "eps2=0.01")
    assert code == 0 and "passes" in out and "of bound" in out
    assert "pairs" in run("bench", *options, "--set", "eps2=0.01", "--runs", "3")[1]
    for wrong in ((), ("--set", "eps2"), ("--set", "eps2=nan"), ("--set", "eps=1")):
        code, _, err = run("check", *options, *wrong)
        assert code == 1 and err.startswith("error: ")
    with pytest.raises(SystemExit) as refused:
        run("check")
    assert refused.value.code == 2


def test_programs_are_emitted_for_each_schedule_and_option():
    seen = set()
    for options in (
        {},
        {"schedule": "symmetric"},
        {"schedule": "few"},
        {"walk": "groups"},
        {"walk": "particles"},
        {"precision": "double"},
        {"precision": "mixed"},
        {"accumulation": "direct"},
        {"math": "fast"},
        {"math": "exact"},
        {"periodic": True},
    ):
        text = nbody.emit("gravity", **options)
        assert "struct Gravity {" in text and "__global__" in text
        seen.add(text)
    # One kind of mathematics is the default.
    assert len(seen) == 10
    with pytest.raises(ValueError, match="ordered, symmetric, few"):
        nbody.emit("gravity", schedule="none")
    with pytest.raises(ValueError, match="groups, particles"):
        nbody.emit("gravity", walk="none")
    with pytest.raises(ValueError, match="give one"):
        nbody.emit("gravity", schedule="ordered", walk="groups")
    with pytest.raises(nbody.UnsupportedError, match="tree"):
        nbody.emit("lennard_jones", walk="groups")
