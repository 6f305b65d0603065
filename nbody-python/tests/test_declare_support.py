"""What the tests of declarations in Python share."""

import re

import nbody
from nbody import _native
from nbody import declare as declare_text

# The package of this name hides the function, unless the package `nbody` imports it first.
import nbody.declare  # isort: skip

compiled = __import__("nbody.declare", fromlist=["compiled"]).compiled
nbody.declare = declare_text


def declared(twin):
    """Returns the laws and programs of a declaration, by the compiler."""
    return compiled(twin, _native)


def cuda_text(law):
    """Returns the CUDA text of a law."""
    return _native.cuda_text(law)


def parts(text):
    """Returns the items of a CUDA text without comments, in alphabetical order, with numbers for constants."""
    code = re.sub(r"//[^\n]*", "", text)
    for name, value in re.findall(r"constexpr \w+ (\w+) = (.*);", code):
        code = re.sub(rf"\b{name}\b(?! =)", value, code)
    code = re.sub(r"constexpr .*\n", "", code)
    items = re.split(r"\n(?=struct|constexpr|__device__)", code)
    return sorted(" ".join(it.split()) for it in items if it.strip())
