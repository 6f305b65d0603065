"""The programs of the guide and of the README run as they are printed."""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs/guide/python.md", ROOT / "nbody-python/README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_programs_of_the_guide_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)
    assert blocks
    if "import jax" in page.read_text(encoding="utf-8"):
        pytest.importorskip("jax")
    names = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page.name}, program {number + 1}", "exec"), names)
    assert os.listdir(tmp_path) == (["cluster.run"] if page.name == "python.md" else [])
