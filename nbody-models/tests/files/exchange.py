"""Reads the snapshots of a folder by numpy, ASE and h5py, compares them, and writes them anew."""

import importlib.machinery
import sys
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np


class WithoutScipy:
    """Stands in for scipy, which ASE imports, but does not call to read and write files."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "scipy":
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return MagicMock(__path__=[], __name__=spec.name)

    def exec_module(self, module):
        pass


FOLDER = Path(sys.argv[1])
NUMBERS = np.fromfile(FOLDER / "numbers").reshape(-1, 7)
MASS, POS, VEL = NUMBERS[:, 0], NUMBERS[:, 1:4], NUMBERS[:, 4:]
TIME = 0.625


def check(what, found, expected):
    assert np.array_equal(found, expected), f"{what}: {found}, expected {expected}"


def csv(ours, theirs):
    table = np.genfromtxt(ours, delimiter=",", names=True, skip_header=2)
    check("names", table.dtype.names, ("mass", "x", "y", "z", "vx", "vy", "vz"))
    check("table", np.array(table.tolist()), NUMBERS)
    header = f"time {TIME}\nmass,x,y,z,vx,vy,vz"
    np.savetxt(theirs, NUMBERS, delimiter=",", header=header, fmt="%.17g")


def nemo(ours, theirs):
    numbers = np.array(ours.read_text().split(), dtype=float)
    n = len(NUMBERS)
    check("header", numbers[:3], [n, 3, TIME])
    check("masses", numbers[3 : 3 + n], MASS)
    check("vectors", numbers[3 + n :].reshape(2, n, 3), [POS, VEL])
    with open(theirs, "w") as file:
        print(n, 3, TIME, file=file)
        for part in (MASS, POS, VEL):
            np.savetxt(file, part)


def xyz(ours, theirs):
    import ase.io.extxyz

    (frame,) = ase.io.extxyz.read_xyz(open(ours))
    check("time", frame.info["Time"], TIME)
    check("positions", frame.positions, POS)
    check("velocities", frame.arrays["velo"], VEL)
    check("masses", frame.arrays["mass"], MASS)
    ase.io.extxyz.write_xyz(open(theirs, "w"), [frame])


def hdf5(ours, theirs):
    import h5py

    n = len(NUMBERS)
    with h5py.File(ours) as file:
        header, tables = file["Header"].attrs, file["PartType1"]
        for name in ("NumPart_ThisFile", "NumPart_Total"):
            check(name, header[name], [0, n, 0, 0, 0, 0])
        check("MassTable", header["MassTable"], [0] * 6)
        check("Time", header["Time"], TIME)
        check("NumFilesPerSnapshot", header["NumFilesPerSnapshot"], 1)
        check("Coordinates", tables["Coordinates"], POS)
        check("Velocities", tables["Velocities"], VEL)
        check("Masses", tables["Masses"], MASS)
        check("ParticleIDs", tables["ParticleIDs"], np.arange(1, n + 1))

    def write(name, kind, version, count=n, claimed=False, **filters):
        with h5py.File(FOLDER / name, "w", libver=version) as file:
            header = file.create_group("Header").attrs
            header["NumPart_ThisFile"] = np.array([0, count, 0, 0, 0, 0], dtype="i4")
            header["Time"] = TIME
            tables = file.create_group("PartType1")
            for table, data in (("Coordinates", POS), ("Velocities", VEL), ("Masses", MASS)):
                if claimed:
                    shape = (count, *data.shape[1:])
                    tables.create_dataset(table, shape=shape, dtype=kind, chunks=True)
                else:
                    tables.create_dataset(table, data=data.astype(kind), **filters)

    write(theirs, "f8", ("earliest", "v108"))
    filters = dict(chunks=True, compression="gzip", shuffle=True, fletcher32=True)
    write("compressed.hdf5", "f8", ("v110", "v110"), **filters)
    write("single.hdf5", ">f4", ("earliest", "v108"))
    write("claimed.hdf5", "f8", ("v110", "v110"), count=10**9, claimed=True)


sys.meta_path.insert(0, WithoutScipy())
for name in sys.argv[2:]:
    globals()[name](FOLDER / f"ours.{name}", FOLDER / f"theirs.{name}")
