//! Makes a mesh of tetrahedra that were read.

use nalgebra::Point3;
use physics::{NodeId, TetMesh};

use super::edges::Edges;
use super::faces::{Faces, turned};
use super::{Done, Finding, Findings, Quality, What, points};
use crate::format::{DuplicateNodes, Field, FormatError, Place, RawMesh};

/// Checks, mends what can be mended without guessing, and says so. Fields keep up with what is left out.
pub(super) fn checked(
    mut raw: RawMesh,
    duplicate_nodes: DuplicateNodes,
    findings: &mut Findings,
) -> Result<(TetMesh, Vec<Field>), FormatError> {
    findings.note_missing(&raw);
    // What follows looks at the nodes of elements, so they must be there.
    findings.refuse()?;
    find_duplicate_nodes(&mut raw, duplicate_nodes, findings);
    let in_file = leave_out(&raw.tetrahedra, findings);
    if in_file.len() < raw.tetrahedra.len() {
        raw.tetrahedra = in_file.iter().map(|i| raw.tetrahedra[*i]).collect();
        for field in raw.fields.iter_mut().filter(|field| field.place() == Place::Elements) {
            *field = field.rows(in_file.iter().copied());
        }
        let is_nothing = raw.tetrahedra.is_empty();
        findings.add(Finding::counted(What::Nothing, Done::Refused, usize::from(is_nothing)));
    }
    turn(&raw.points, &mut raw.tetrahedra, &in_file, findings);
    findings.refuse()?;
    let is_used = points::used(raw.points.len(), raw.tetrahedra.iter());
    let unused = is_used.iter().enumerate().filter(|(_, is)| !**is).map(|(i, _)| i);
    findings.add(Finding::of(What::Unreferenced, Done::Kept, unused));
    check_faces(&raw, &in_file, findings);
    findings.quality = Quality::of(&raw.points, &raw.tetrahedra);
    let elements = raw.tetrahedra.into_iter().map(|nodes| nodes.map(NodeId)).collect();
    let mesh = TetMesh::new(raw.points, elements)?;
    let n_parts = if mesh.n_bodies() > 1 { mesh.n_bodies() } else { 0 };
    findings.add(Finding::counted(What::Parts, Done::Kept, n_parts));
    Ok((mesh, raw.fields))
}

/// Finds nodes in one place, and joins them if asked to.
fn find_duplicate_nodes(
    raw: &mut RawMesh,
    duplicate_nodes: DuplicateNodes,
    findings: &mut Findings,
) {
    let firsts = points::first_in_place(&raw.points);
    let is_duplicate = |i: usize| firsts[i] as usize != i;
    let duplicates = (0..firsts.len()).filter(|i| is_duplicate(*i));
    let done = match duplicate_nodes {
        DuplicateNodes::Keep => Done::Kept,
        DuplicateNodes::Join => Done::Joined,
    };
    let finding = Finding::of(What::DuplicateNodes, done, duplicates.clone());
    let any = finding.is_some();
    findings.add(finding);
    if !any || duplicate_nodes == DuplicateNodes::Keep {
        return;
    }
    let kept: Vec<usize> = (0..firsts.len()).filter(|i| !is_duplicate(*i)).collect();
    let mut places = vec![0; firsts.len()];
    for (place, i) in kept.iter().enumerate() {
        places[*i] = place as u32;
    }
    let new_place = |node: u32| places[firsts[node as usize] as usize];
    raw.tetrahedra.iter_mut().for_each(|nodes| *nodes = nodes.map(new_place));
    raw.triangles.iter_mut().for_each(|nodes| *nodes = nodes.map(new_place));
    raw.points = kept.iter().map(|i| raw.points[*i]).collect();
    for field in raw.fields.iter_mut().filter(|field| field.place() == Place::Nodes) {
        *field = field.rows(kept.iter().copied());
    }
}

/// Finds elements that can be left out without a gap: those that name a node twice, whose faces fall on each
/// other, and repetitions of others. Gives the places in the file of those that stay.
fn leave_out(tetrahedra: &[[u32; 4]], findings: &mut Findings) -> Vec<usize> {
    let is_collapsed =
        |&[a, b, c, d]: &[u32; 4]| a == b || a == c || a == d || b == c || b == d || c == d;
    let mut keep: Vec<bool> = tetrahedra.iter().map(|nodes| !is_collapsed(nodes)).collect();
    let collapsed = keep.iter().enumerate().filter(|(_, keep)| !**keep).map(|(i, _)| i);
    findings.add(Finding::of(What::Collapsed, Done::LeftOut, collapsed));
    let mut by_nodes: Vec<([u32; 4], u32)> =
        tetrahedra.iter().zip(0..).filter(|(nodes, _)| !is_collapsed(nodes)).map(sorted).collect();
    by_nodes.sort_unstable();
    let mut repeated: Vec<usize> = by_nodes
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| pair[1].1 as usize)
        .collect();
    repeated.sort_unstable();
    repeated.iter().for_each(|i| keep[*i] = false);
    findings.add(Finding::of(What::Repeated, Done::LeftOut, repeated.into_iter()));
    keep.iter().enumerate().filter(|(_, keep)| **keep).map(|(i, _)| i).collect()
}

fn sorted((nodes, element): (&[u32; 4], u32)) -> ([u32; 4], u32) {
    let mut nodes = *nodes;
    nodes.sort_unstable();
    (nodes, element)
}

/// Turns elements round that are inside out; flat ones cannot be helped.
fn turn(
    points: &[Point3<f64>],
    tetrahedra: &mut [[u32; 4]],
    in_file: &[usize],
    findings: &mut Findings,
) {
    let (mut inverted, mut flat) = (Vec::new(), Vec::new());
    for (nodes, i) in tetrahedra.iter_mut().zip(in_file.iter().copied()) {
        match side(nodes.map(|node| points[node as usize])) {
            Side::Right => {}
            Side::Wrong => {
                nodes.swap(2, 3);
                inverted.push(i);
            }
            Side::Neither => flat.push(i),
        }
    }
    let what = What::Inverted(tetrahedra.len());
    findings.add(Finding::of(what, Done::Turned, inverted.into_iter()));
    findings.add(Finding::of(What::Flat, Done::Refused, flat.into_iter()));
}

enum Side {
    Right,
    Wrong,
    /// No volume to speak of beside the cube of the longest edge, as `TetMesh` has it.
    Neither,
}

fn side([a, b, c, d]: [Point3<f64>; 4]) -> Side {
    const FLAT: f64 = 1e-10;
    let volume = (b - a).dot(&(c - a).cross(&(d - a))) / 6.0;
    let edges = [b - a, c - a, d - a, c - b, d - b, d - c];
    let longest = edges.iter().map(|edge| edge.norm_squared()).fold(0.0, f64::max).sqrt();
    if !volume.is_normal() || volume.abs() <= FLAT * longest.powi(3) {
        Side::Neither
    } else if volume > 0.0 {
        Side::Right
    } else {
        Side::Wrong
    }
}

/// The skin and what is inside, and whether the file's own triangles agree.
fn check_faces(raw: &RawMesh, in_file: &[usize], findings: &mut Findings) {
    let faces = Faces::of(raw.points.len(), &raw.tetrahedra);
    let overlapping = faces.overlapping.iter().map(|i| in_file[*i]);
    findings.add(Finding::of(What::Overlapping, Done::Kept, overlapping));
    findings.add(Finding::counted(What::CrowdedFaces, Done::Kept, faces.n_crowded));
    let (_, n_crowded) = Edges::of(&faces.skin).n_open_and_crowded();
    findings.add(Finding::counted(What::CrowdedEdges, Done::Kept, n_crowded));
    if raw.triangles.is_empty() {
        return;
    }
    // Programs differ in which way round they write faces, so only their corners count.
    let corners = |triangle: [u32; 3]| {
        let [a, b, c] = turned(triangle);
        [a, b.min(c), b.max(c)]
    };
    let mut skin: Vec<[u32; 3]> = faces.skin.iter().map(|face| corners(*face)).collect();
    skin.sort_unstable();
    let is_on_skin = |triangle: &[u32; 3]| skin.binary_search(&corners(*triangle)).is_ok();
    let off = raw.triangles.iter().enumerate().filter(|(_, t)| !is_on_skin(t)).map(|(i, _)| i);
    findings.add(Finding::of(What::OffSkin, Done::LeftOut, off));
}
