//! Checks and repairs a mesh of tetrahedra that was read.

use nalgebra::Point3;
use physics::{NodeId, TetMesh};

use super::edges::Edges;
use super::faces::{Faces, turned};
use super::{Finding, FindingKind, FindingOutcome, Findings, Quality, points};
use crate::format::{DuplicateNodes, Field, FieldPlace, FormatError, RawMesh};

/// Checks the mesh and makes the repairs that need no guess; every repair adds a finding. Rows of
/// fields are removed together with their nodes and elements.
pub(super) fn checked(
    mut raw: RawMesh,
    duplicate_nodes: DuplicateNodes,
    findings: &mut Findings,
) -> Result<(TetMesh, Vec<Field>), FormatError> {
    findings.note_missing(&raw);
    // The checks below use the nodes of elements, so these must exist.
    findings.refuse()?;
    find_duplicate_nodes(&mut raw, duplicate_nodes, findings);
    let in_file = leave_out(&raw.tetrahedra, findings);
    if in_file.len() < raw.tetrahedra.len() {
        raw.tetrahedra = in_file.iter().map(|i| raw.tetrahedra[*i]).collect();
        for field in raw.fields.iter_mut().filter(|field| field.place() == FieldPlace::Elements) {
            *field = field.rows(in_file.iter().copied());
        }
        let is_nothing = raw.tetrahedra.is_empty();
        findings.add(Finding::counted(
            FindingKind::Nothing,
            FindingOutcome::Refused,
            usize::from(is_nothing),
        ));
    }
    turn(&raw.points, &mut raw.tetrahedra, &in_file, findings);
    findings.refuse()?;
    let is_used = points::used(raw.points.len(), raw.tetrahedra.iter());
    let unused = is_used.iter().enumerate().filter(|(_, is)| !**is).map(|(i, _)| i);
    findings.add(Finding::of(FindingKind::Unreferenced, FindingOutcome::Kept, unused));
    check_faces(&raw, &in_file, findings);
    findings.quality = Quality::of(&raw.points, &raw.tetrahedra);
    let elements = raw.tetrahedra.into_iter().map(|nodes| nodes.map(NodeId)).collect();
    let mesh = TetMesh::new(raw.points, elements)?;
    let n_parts = if mesh.n_bodies() > 1 { mesh.n_bodies() } else { 0 };
    findings.add(Finding::counted(FindingKind::Parts, FindingOutcome::Kept, n_parts));
    Ok((mesh, raw.fields))
}

/// Finds nodes at the same position, and joins them if asked to.
fn find_duplicate_nodes(
    raw: &mut RawMesh,
    duplicate_nodes: DuplicateNodes,
    findings: &mut Findings,
) {
    let firsts = points::first_in_place(&raw.points);
    let is_duplicate = |i: usize| firsts[i] as usize != i;
    let duplicates = (0..firsts.len()).filter(|i| is_duplicate(*i));
    let done = match duplicate_nodes {
        DuplicateNodes::Keep => FindingOutcome::Kept,
        DuplicateNodes::Join => FindingOutcome::Joined,
    };
    let finding = Finding::of(FindingKind::DuplicateNodes, done, duplicates.clone());
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
    for field in raw.fields.iter_mut().filter(|field| field.place() == FieldPlace::Nodes) {
        *field = field.rows(kept.iter().copied());
    }
}

/// Finds elements that can be left out without leaving a gap: repetitions of others, and elements
/// that name a node twice, whose faces coincide. Returns the positions in the file of the elements
/// that stay.
fn leave_out(tetrahedra: &[[u32; 4]], findings: &mut Findings) -> Vec<usize> {
    let is_collapsed =
        |&[a, b, c, d]: &[u32; 4]| a == b || a == c || a == d || b == c || b == d || c == d;
    let mut keep: Vec<bool> = tetrahedra.iter().map(|nodes| !is_collapsed(nodes)).collect();
    let collapsed = keep.iter().enumerate().filter(|(_, keep)| !**keep).map(|(i, _)| i);
    findings.add(Finding::of(FindingKind::Collapsed, FindingOutcome::LeftOut, collapsed));
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
    findings.add(Finding::of(FindingKind::Repeated, FindingOutcome::LeftOut, repeated.into_iter()));
    keep.iter().enumerate().filter(|(_, keep)| **keep).map(|(i, _)| i).collect()
}

fn sorted((nodes, element): (&[u32; 4], u32)) -> ([u32; 4], u32) {
    let mut nodes = *nodes;
    nodes.sort_unstable();
    (nodes, element)
}

/// Reverses elements that are inside out, and refuses flat ones.
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
    let what = FindingKind::Inverted(tetrahedra.len());
    findings.add(Finding::of(what, FindingOutcome::Turned, inverted.into_iter()));
    findings.add(Finding::of(FindingKind::Flat, FindingOutcome::Refused, flat.into_iter()));
}

enum Side {
    Right,
    Wrong,
    /// Volume is negligible beside the cube of the longest edge; `TetMesh` has the same limit.
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

/// Checks the faces of the tetrahedra, and compares the skin with the triangles of the file.
fn check_faces(raw: &RawMesh, in_file: &[usize], findings: &mut Findings) {
    let mut faces = Faces::of(raw.points.len(), &raw.tetrahedra);
    if let Some((node, elements)) = faces.hinge(raw.points.len(), &raw.tetrahedra) {
        let elements = elements.map(|i| in_file[i as usize] as u32);
        let what = FindingKind::Hinge { node, elements };
        findings.add(Finding::counted(what, FindingOutcome::Kept, 1));
    }
    let overlapping = faces.overlapping.iter().map(|i| in_file[*i]);
    findings.add(Finding::of(FindingKind::Overlapping, FindingOutcome::Kept, overlapping));
    findings.add(Finding::counted(
        FindingKind::CrowdedFaces,
        FindingOutcome::Kept,
        faces.n_crowded,
    ));
    let (_, n_crowded) = Edges::of(&faces.skin).n_open_and_crowded();
    findings.add(Finding::counted(FindingKind::CrowdedEdges, FindingOutcome::Kept, n_crowded));
    if raw.triangles.is_empty() {
        return;
    }
    // Programs write faces in either orientation, so only their corners are compared.
    let corners = |triangle: [u32; 3]| {
        let [a, b, c] = turned(triangle);
        [a, b.min(c), b.max(c)]
    };
    let mut skin: Vec<[u32; 3]> = faces.skin.iter().map(|face| corners(*face)).collect();
    skin.sort_unstable();
    let is_on_skin = |triangle: &[u32; 3]| skin.binary_search(&corners(*triangle)).is_ok();
    let off = raw.triangles.iter().enumerate().filter(|(_, t)| !is_on_skin(t)).map(|(i, _)| i);
    findings.add(Finding::of(FindingKind::OffSkin, FindingOutcome::LeftOut, off));
}
