"""The declarations of the guide are accepted."""

import re
from pathlib import Path

from test_declare_support import HEADER, cell, declared

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "python-declarations.md"
RECORDS = """
class Body:
    pos: Point
    vel: Vector
    mass: Real

class Field:
    acc: Vector

class Force:
    force: Vector
"""


def test_declarations_of_the_guide():
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    for block in blocks:
        block = re.sub(r"^(import nbody|from nbody import .*|print.*)\n", "", block, flags=re.MULTILINE)
        names |= cell(f"{HEADER}{RECORDS}{block.replace('@nbody.', '@nd.')}")
    for name in ("SoftSphere", "Kick", "Energy", "Bond"):
        declared(names[name])
