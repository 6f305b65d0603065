"""Packs a wheel again, with smaller streams: python pack.py FROM TO

Zopfli finds the smallest streams that every inflater reads.
"""

import sys
import zipfile

import zopfli.zlib


class Compressor:
    """The part of `zlib.compressobj` that zipfile uses."""

    def __init__(self):
        self.parts = []

    def compress(self, part):
        self.parts.append(bytes(part))
        return b""

    def flush(self):
        # A ZIP file has the stream alone, without the header and the sum of zlib.
        return zopfli.zlib.compress(b"".join(self.parts), numiterations=5)[2:-4]


zipfile._get_compressor = lambda *_: Compressor()
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w") as new:
    for entry in old.infolist():
        new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED)
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2]) as new:
    assert new.testzip() is None and new.namelist() == old.namelist()
    assert all(new.read(name) == old.read(name) for name in old.namelist())
