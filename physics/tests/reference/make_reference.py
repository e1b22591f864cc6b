#!/usr/bin/env python3
"""Makes scikit_fem.json: an independent reference for linear elastic 4-node tetrahedra.

scikit-fem assembles the stiffness of three small bodies. The script prescribes displacements at some
nodes, and writes displacements, reactions and energy to a file, which the tests compare with.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python make_reference.py scikit_fem.json
    venv/bin/python make_reference.py scikit_fem.json --calculix    # also compares with ccx

Accuracy. The system is solved in f64 and refined with residuals in 80-bit numbers until nothing changes.
The remaining error is the rounding of the assembled matrix. The script estimates it with a second
assembly in 80-bit numbers, prints the difference, and stops if it exceeds 1e-13 of the largest
displacement. The file contains the measured error of each case.

CalculiX (ccx 2.20 of Debian 12, C3D4) was run for all 15 cases: displacements agree to 2.1e-7 of the
largest, reactions to 3.8e-7. That is the precision of the seven digits that ccx prints.

All in SI units. Node and element numbers count from 0. Elements are oriented so that
(x2 - x1) . ((x3 - x1) x (x4 - x1)) > 0. `null` in a displacement leaves that component free. Reactions are
the forces that hold a node, zero along free components. The seeds are fixed, and every number is written
with all its digits; the versions of the libraries are in the file.
"""

import argparse
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import scipy
import scipy.linalg
import skfem
from scipy.spatial import Delaunay
from skfem.models.elasticity import lame_parameters, linear_elasticity

ACCURACY = 1e-13


def jittered_box(rng, counts, size, jitter):
    """A lattice cut into tetrahedra by scikit-fem, every node moved by a share of the spacing."""
    axes = [np.linspace(0.0, length, count) for length, count in zip(size, counts)]
    mesh = skfem.MeshTet.init_tensor(*axes)
    spacing = np.array([length / (count - 1) for length, count in zip(size, counts)])
    x = mesh.p.T + rng.uniform(-jitter, jitter, mesh.p.T.shape) * spacing
    return x, mesh.t.T


def irregular_body(rng, n_nodes, radius):
    """Delaunay tetrahedra of random points in a sphere, stretched; flat ones on the skin are left out."""
    points = []
    while len(points) < n_nodes:
        # A minimum distance prevents needle-shaped elements.
        x = rng.uniform(-1.0, 1.0, 3)
        if np.linalg.norm(x) < 1.0 and all(np.linalg.norm(x - y) > 0.25 for y in points):
            points.append(x)
    x = np.array(points) * radius * np.array([1.4, 1.0, 0.8]) + np.array([0.3, -0.2, 0.1])
    elements = Delaunay(x).simplices
    edges = x[elements[:, 1:]] - x[elements[:, :1]]
    longest = np.linalg.norm(edges, axis=2).max(axis=1)
    return x, elements[np.abs(np.linalg.det(edges)) > 0.05 * longest**3]


def oriented(x, elements):
    elements = np.array(elements, dtype=np.int64)
    flipped = np.linalg.det(x[elements[:, 1:]] - x[elements[:, :1]]) < 0.0
    elements[flipped] = elements[flipped][:, [0, 2, 1, 3]]
    if len(np.unique(elements)) != len(x):
        raise SystemExit("a node belongs to no element: change the seed")
    return elements


def stiffness(x, elements, young, poisson):
    """K by scikit-fem, dense, ordered node by node."""
    # scikit-fem needs the nodes of each element in ascending order; K does not depend on the order.
    mesh = skfem.MeshTet(x.T.copy(), np.sort(elements, axis=1).T.copy())
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTetP1()))
    k = linear_elasticity(*lame_parameters(young, poisson)).assemble(basis).toarray()
    dofs = basis.nodal_dofs.T.ravel()
    return k[np.ix_(dofs, dofs)]


def stiffness_80_bit(x, elements, young, poisson):
    """K in 80-bit numbers and by another formula, to measure the rounding of `stiffness`."""
    wide = np.longdouble
    x, young, poisson = x.astype(wide), wide(young), wide(poisson)
    lam = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    mu = young / (2 * (1 + poisson))
    k = np.zeros((3 * len(x), 3 * len(x)), dtype=wide)
    for nodes in elements:
        a, b, c = x[nodes[1:]] - x[nodes[0]]
        six_volumes = np.dot(a, np.cross(b, c))
        g = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)]) / six_volumes
        g = np.vstack([-g.sum(axis=0), g])
        for i in range(4):
            for j in range(4):
                block = lam * np.outer(g[i], g[j]) + mu * np.outer(g[j], g[i])
                block += mu * np.dot(g[i], g[j]) * np.eye(3, dtype=wide)
                at = np.ix_(3 * nodes[i] + np.arange(3), 3 * nodes[j] + np.arange(3))
                k[at] += block * six_volumes / 6
    return k


def solve(k, prescribed):
    """u in 80-bit numbers, with `prescribed` {dof: metres} and no force elsewhere ([Ma98], eq. 3.43)."""
    wide = np.longdouble
    known = np.array(sorted(prescribed))
    free = np.setdiff1d(np.arange(len(k)), known)
    u = np.zeros(len(k), dtype=wide)
    u[known] = [prescribed[dof] for dof in known]
    factor = scipy.linalg.cho_factor(k[np.ix_(free, free)].astype(np.float64))
    k = k.astype(wide)
    for _ in range(20):
        residual = -(k[free] @ u)
        change = scipy.linalg.cho_solve(factor, residual.astype(np.float64))
        u[free] += change
        if np.abs(change).max() < 1e-16 * np.abs(u).max():
            return u
    raise SystemExit("refinement does not settle")


def spread_nodes(x, n, start, rng):
    """Nodes far from each other, from a random first node: they hold the body firmly."""
    chosen = [start]
    while len(chosen) < n:
        distance = np.min([np.linalg.norm(x - x[node], axis=1) for node in chosen], axis=0)
        candidates = np.argsort(distance)[::-1][:3]
        chosen.append(int(rng.choice(candidates)))
    return chosen


def cases(x, rng):
    """Name, supports and known displacements of each case."""
    size = np.linalg.norm(x - x.mean(axis=0), axis=1).max()

    def start():
        return int(rng.integers(len(x)))

    def touch(nodes):
        return [{"node": n, "displacement": (size * rng.uniform(-0.05, 0.05, 3)).tolist()} for n in nodes]

    yield "three whole nodes", [], touch(spread_nodes(x, 3, start(), rng))
    yield "five nodes", [], touch(spread_nodes(x, 5, start(), rng))

    nodes = spread_nodes(x, 8, start(), rng)
    yield "two nodes against five supports", nodes[:5], touch(nodes[5:7])

    known = touch(spread_nodes(x, 6, start(), rng))
    # 3 + 2 + 2 + 1 + 1 + 2: more than enough to hold the body, most nodes free along an axis or two.
    for entry, free in zip(known[1:], ([0], [1], [0, 2], [1, 2], [2])):
        for axis in free:
            entry["displacement"][axis] = None
    yield "single components free", [], known

    yield "fifteen nodes", [], touch(spread_nodes(x, 15, start(), rng))


def answer(x, k, k_wide, name, supports, known):
    """One case of the file, checked."""
    prescribed = {3 * node + axis: 0.0 for node in supports for axis in range(3)}
    for entry in known:
        for axis, value in enumerate(entry["displacement"]):
            if value is not None:
                prescribed[3 * entry["node"] + axis] = value
    u = solve(k, prescribed)
    error = float(np.abs(u - solve(k_wide, prescribed)).max() / np.abs(u).max())
    force = k.astype(np.longdouble) @ u
    held = np.zeros(len(u), dtype=bool)
    held[list(prescribed)] = True
    scale = np.abs(force).max()
    force_wide = k_wide @ solve(k_wide, prescribed)
    force_error = float(np.abs(force - force_wide)[held].max() / scale)
    if not (error < ACCURACY and np.abs(force[~held]).max() < 1e-14 * scale):
        raise SystemExit(f"{name}: displacements are good to {error:.1e} only")
    force[~held] = 0.0
    u64, f64 = u.astype(np.float64).reshape(-1, 3), force.astype(np.float64).reshape(-1, 3)
    balance = np.abs(f64.sum(axis=0)).max() / np.abs(f64).max()
    print(f"  {name}: error {error:.1e}, of reactions {force_error:.1e}, balance {balance:.1e}")
    touched = sorted({entry["node"] for entry in known} | set(supports))
    return {
        "name": name,
        "supports": supports,
        "known": known,
        "displacements": u64.tolist(),
        "reactions": [{"node": node, "force": f64[node].tolist()} for node in touched],
        "strain_energy": float(0.5 * np.dot(u, force)),
        "displacement_error": float(f"{error:.1e}"),
        "reaction_error": float(f"{force_error:.1e}"),
    }


def calculix_difference(body, case):
    """Largest relative differences of displacements and reactions, within the digits that ccx prints."""
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{i + 1}, " + ", ".join(f"{c:.12e}" for c in p) for i, p in enumerate(body["positions"])]
    lines += ["*ELEMENT, TYPE=C3D4, ELSET=BODY"]
    lines += [f"{i + 1}, " + ", ".join(str(n + 1) for n in e) for i, e in enumerate(body["elements"])]
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{body['young']!r}, {body['poisson']!r}"]
    lines += ["*SOLID SECTION, ELSET=BODY, MATERIAL=M", "*STEP", "*STATIC", "*BOUNDARY"]
    lines += [f"{node + 1}, 1, 3, 0.0" for node in case["supports"]]
    for entry in case["known"]:
        for axis, value in enumerate(entry["displacement"]):
            if value is not None:
                lines.append(f"{entry['node'] + 1}, {axis + 1}, {axis + 1}, {value:.12e}")
    lines += ["*NODE PRINT, NSET=ALL", "U, RF", "*END STEP", ""]
    with tempfile.TemporaryDirectory() as folder:
        job = pathlib.Path(folder) / "job"
        job.with_suffix(".inp").write_text("\n".join(lines))
        run = subprocess.run(["ccx", "job"], cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0 or not job.with_suffix(".dat").exists():
            raise SystemExit(f"ccx failed:\n{run.stdout[-2000:]}")
        printed = job.with_suffix(".dat").read_text()
    # A row is a node number and three values; displacements come first, then forces.
    row = re.compile(r"^\s*(\d+)" + r"\s+([-+0-9.E]+)" * 3 + r"\s*$", re.MULTILINE)
    rows = np.array([[float(c) for c in found] for found in row.findall(printed)])
    n = len(body["positions"])
    if len(rows) != 2 * n:
        raise SystemExit(f"ccx printed {len(rows)} rows, expected {2 * n}")
    u, f = np.zeros((n, 3)), np.zeros((n, 3))
    u[rows[:n, 0].astype(int) - 1] = rows[:n, 1:]
    f[rows[n:, 0].astype(int) - 1] = rows[n:, 1:]
    ours = np.array(case["displacements"])
    forces = np.zeros((n, 3))
    for reaction in case["reactions"]:
        forces[reaction["node"]] = reaction["force"]
    return np.abs(u - ours).max() / np.abs(ours).max(), np.abs(f - forces).max() / np.abs(forces).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--calculix", action="store_true", help="compare every case with ccx")
    options = parser.parse_args()
    if options.calculix and shutil.which("ccx") is None:
        sys.exit("ccx is not installed: apt-get install --no-install-recommends calculix-ccx")

    rng = np.random.default_rng(1998)
    bodies = []
    for name, (x, elements), young, poisson in (
        ("jittered box", jittered_box(rng, (6, 4, 4), (0.10, 0.06, 0.06), 0.2), 1.0e4, 0.3),
        ("irregular body", irregular_body(rng, 100, 0.05), 2.5e5, 0.42),
        ("small plate", jittered_box(rng, (6, 5, 2), (0.08, 0.06, 0.015), 0.15), 3.0e6, 0.1),
    ):
        elements = oriented(x, elements)
        print(f"{name}: {len(x)} nodes, {len(elements)} elements")
        k = stiffness(x, elements, young, poisson)
        k_wide = stiffness_80_bit(x, elements, young, poisson)
        body = {"name": name, "young": young, "poisson": poisson}
        body |= {"positions": x.tolist(), "elements": elements.tolist()}
        body["cases"] = [answer(x, k, k_wide, *case) for case in cases(x, rng)]
        bodies.append(body)
    if options.calculix:
        differences = [calculix_difference(body, case) for body in bodies for case in body["cases"]]
        worst = np.max(differences, axis=0)
        print(f"CalculiX: {len(differences)} cases, displacements to {worst[0]:.1e}, reactions to {worst[1]:.1e}")
    versions = {"scikit-fem": skfem.__version__, "numpy": np.__version__, "scipy": scipy.__version__}
    versions["python"] = platform.python_version()
    made = {"made_by": "make_reference.py", "versions": versions, "bodies": bodies}
    pathlib.Path(options.output).write_text(json.dumps(made, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
