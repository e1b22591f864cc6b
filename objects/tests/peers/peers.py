"""Writes files with meshio and Gmsh, and reads files that Palpate wrote.

write FOLDER: a tetrahedral box of 60 x 40 x 20 in every format that both sides know, and lines on
standard output: name, number of nodes, number of tetrahedra (or triangles), volume, by the program
that wrote the file.
read FILE...: a line for each file with the same numbers, by meshio and, where it can, by Gmsh.
"""

import os
import sys

import gmsh
import meshio
import numpy


def volume(points, cells):
    a, b, c, d = (points[cells[:, i]] for i in range(4))
    return float(numpy.abs(numpy.einsum("ij,ij->i", b - a, numpy.cross(c - a, d - a))).sum() / 6)


def enclosed(points, triangles):
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return abs(float(numpy.einsum("ij,ij->i", a, numpy.cross(b, c)).sum() / 6))


def say(name, n_nodes, n_cells, size):
    print(name, n_nodes, n_cells, repr(size))


def start():
    gmsh.initialize(["gmsh", "-nopopup", "-v", "1"], readConfigFiles=False)
    gmsh.option.setNumber("General.Terminal", 0)


def box_of_gmsh():
    gmsh.model.add("box")
    gmsh.model.occ.addBox(0, 0, 0, 60, 40, 20)
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMin", 18)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 18)
    gmsh.option.setNumber("Mesh.SaveAll", 1)
    gmsh.model.mesh.generate(3)


def arrays_of_gmsh():
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    place = {tag: i for i, tag in enumerate(tags)}
    points = numpy.array(coordinates).reshape(-1, 3)

    def cells(kind, n):
        _, nodes = gmsh.model.mesh.getElementsByType(kind)
        return numpy.array([place[tag] for tag in nodes]).reshape(-1, n)

    return points, cells(4, 4), cells(2, 3)


def write(folder):
    start()
    box_of_gmsh()
    points, tets, triangles = arrays_of_gmsh()
    whole = volume(points, tets)
    for version in (2.2, 4.1):
        for binary in (0, 1):
            gmsh.option.setNumber("Mesh.MshFileVersion", version)
            gmsh.option.setNumber("Mesh.Binary", binary)
            name = f"gmsh-{version}-{binary}.msh"
            gmsh.write(os.path.join(folder, name))
            say(name, len(points), len(tets), whole)
    for binary in (0, 1):
        gmsh.option.setNumber("Mesh.Binary", binary)
        gmsh.write(os.path.join(folder, f"gmsh-{binary}.vtk"))
        say(f"gmsh-{binary}.vtk", len(points), len(tets), whole)
        gmsh.write(os.path.join(folder, f"gmsh-{binary}.stl"))
        say(f"gmsh-{binary}.stl", len(points), len(triangles), whole)
    gmsh.option.setNumber("Mesh.Binary", 0)
    gmsh.write(os.path.join(folder, "gmsh.mesh"))
    say("gmsh.mesh", len(points), len(tets), whole)
    heat = points[:, 0].copy()
    region = (points[tets].mean(axis=1)[:, 0] > 30).astype(numpy.int32) + 1
    solid = meshio.Mesh(points, [("tetra", tets)], point_data={"heat": heat})
    with_regions = meshio.Mesh(points, [("tetra", tets)], cell_data={"medit:ref": [region]})
    for name, kind, options in (
        ("meshio-2.2-text.msh", "gmsh22", {"binary": False}),
        ("meshio-2.2.msh", "gmsh22", {"binary": True}),
        ("meshio-4.1-text.msh", "gmsh", {"binary": False}),
        ("meshio-4.1.msh", "gmsh", {"binary": True}),
        ("meshio-4.2-text.vtk", "vtk42", {"binary": False}),
        ("meshio-4.2.vtk", "vtk42", {"binary": True}),
        ("meshio-5.1-text.vtk", "vtk51", {"binary": False}),
        ("meshio-5.1.vtk", "vtk51", {"binary": True}),
        ("meshio-text.vtu", "vtu", {"binary": False}),
        ("meshio-plain.vtu", "vtu", {"compression": None}),
        ("meshio-zlib.vtu", "vtu", {"compression": "zlib"}),
        ("meshio.node", "tetgen", {}),
    ):
        meshio.write(os.path.join(folder, name), solid, kind, **options)
        say(name, len(points), len(tets), whole)
    for name in ("regions.mesh", "regions.meshb"):
        meshio.write(os.path.join(folder, name), with_regions, "medit")
        say(name, len(points), len(tets), whole)
    skin = meshio.Mesh(points, [("triangle", triangles)])
    for name, options in (
        ("meshio-text.ply", {"binary": False}),
        ("meshio.ply", {"binary": True}),
        ("meshio.obj", {}),
        ("meshio-text.stl", {"binary": False}),
        ("meshio.stl", {"binary": True}),
    ):
        meshio.write(os.path.join(folder, name), skin, **options)
        say(name, len(points), len(triangles), whole)


def read(files):
    start()
    for path in files:
        name = os.path.basename(path)
        mesh = meshio.read(path)
        tets = mesh.cells_dict.get("tetra")
        if tets is not None:
            say(f"meshio {name}", len(mesh.points), len(tets), volume(mesh.points, tets))
        else:
            triangles = mesh.cells_dict["triangle"]
            size = enclosed(mesh.points, triangles)
            say(f"meshio {name}", len(mesh.points), len(triangles), size)
        for field in sorted([*mesh.point_data, *mesh.cell_data]):
            print(f"field {name} {field}")
        if name.endswith((".msh", ".stl")):
            gmsh.clear()
            gmsh.open(path)
            points, tets, triangles = arrays_of_gmsh()
            if len(tets):
                say(f"gmsh {name}", len(points), len(tets), volume(points, tets))
            else:
                say(f"gmsh {name}", len(points), len(triangles), enclosed(points, triangles))


if __name__ == "__main__":
    {"write": lambda: write(sys.argv[2]), "read": lambda: read(sys.argv[2:])}[sys.argv[1]]()
