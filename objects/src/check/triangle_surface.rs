//! Checks and repairs a surface of triangles that was read.

use nalgebra::Point3;

use super::edges::Edges;
use super::faces::turned;
use super::{Finding, FindingKind, FindingOutcome, Findings, points};
use crate::format::{Field, FieldPlace, FormatError, RawMesh};
use crate::surface::TriangleSurface;

/// Joins points, orients triangles and adds findings. Rows of fields are removed together with
/// their points.
pub(super) fn checked(
    raw: RawMesh,
    findings: &mut Findings,
) -> Result<(TriangleSurface, Vec<Field>), FormatError> {
    findings.note_missing(&raw);
    findings.refuse()?;
    let RawMesh { points, mut triangles, fields, .. } = raw;
    let firsts = points::first_in_place(&points);
    let duplicates = (0..points.len()).filter(|i| firsts[*i] as usize != *i);
    findings.add(Finding::of(FindingKind::DuplicateNodes, FindingOutcome::Joined, duplicates));
    triangles.iter_mut().for_each(|corners| *corners = corners.map(|i| firsts[i as usize]));
    let in_file = leave_out(&mut triangles, findings);
    findings.refuse()?;
    orient(&points, &mut triangles, &in_file, findings);
    let is_used = points::used(points.len(), triangles.iter());
    // Points that were joined with others have been counted already.
    let unused = (0..points.len()).filter(|i| !is_used[*i] && firsts[*i] as usize == *i);
    findings.add(Finding::of(FindingKind::Unreferenced, FindingOutcome::LeftOut, unused));
    let used: Vec<usize> = (0..points.len()).filter(|i| is_used[*i]).collect();
    let of_points =
        |field: &&Field| field.place() == FieldPlace::Nodes && field.n_rows() == points.len();
    let of_used = |field: &Field| field.rows(used.iter().copied());
    let fields = fields.iter().filter(of_points).map(of_used).collect();
    let mut places = vec![0; points.len()];
    used.iter().zip(0..).for_each(|(i, place)| places[*i] = place);
    triangles.iter_mut().for_each(|corners| *corners = corners.map(|i| places[i as usize]));
    let points = used.iter().map(|i| points[*i]).collect();
    let surface = TriangleSurface::new(points, triangles);
    Ok((surface.expect("indices and numbers were checked"), fields))
}

/// Leaves out triangles that name a point twice, and repetitions. Returns the positions in the file
/// of the others.
fn leave_out(triangles: &mut Vec<[u32; 3]>, findings: &mut Findings) -> Vec<usize> {
    let is_collapsed = |[a, b, c]: [u32; 3]| a == b || a == c || b == c;
    let mut order: Vec<(([u32; 3], u32), bool)> = triangles
        .iter()
        .zip(0..)
        .map(|(corners, i)| ((turned(*corners), i), is_collapsed(*corners)))
        .collect();
    let collapsed = order.iter().filter(|(_, is)| *is).map(|((_, i), _)| *i as usize);
    findings.add(Finding::of(FindingKind::Collapsed, FindingOutcome::LeftOut, collapsed));
    order.retain(|(_, is_collapsed)| !is_collapsed);
    order.sort_unstable();
    let same = |a: &(([u32; 3], u32), bool), b: &(([u32; 3], u32), bool)| a.0.0 == b.0.0;
    let mut repeated: Vec<usize> =
        order.chunk_by(same).flat_map(|same| &same[1..]).map(|((_, i), _)| *i as usize).collect();
    repeated.sort_unstable();
    let mut is_repeated = vec![false; triangles.len()];
    repeated.iter().for_each(|i| is_repeated[*i] = true);
    findings.add(Finding::of(FindingKind::Repeated, FindingOutcome::LeftOut, repeated.into_iter()));
    let stays = |i: &usize| !is_repeated[*i] && !is_collapsed(triangles[*i]);
    let in_file: Vec<usize> = (0..triangles.len()).filter(stays).collect();
    *triangles = in_file.iter().map(|i| triangles[*i]).collect();
    let is_nothing = usize::from(triangles.is_empty());
    findings.add(Finding::counted(FindingKind::Nothing, FindingOutcome::Refused, is_nothing));
    in_file
}

/// Orients each triangle like its neighbours, and reverses all of them if the whole surface is
/// inside out. (One part alone may be inside out: it bounds a hollow.)
fn orient(
    points: &[Point3<f64>],
    triangles: &mut [[u32; 3]],
    in_file: &[usize],
    findings: &mut Findings,
) {
    let edges = Edges::of(triangles);
    let (n_open, n_crowded) = edges.n_open_and_crowded();
    let orientation = edges.orientation();
    let mut must_turn = orientation.must_turn;
    // Counted from a point of the surface: from far away, the volume would be lost in rounding.
    let origin = triangles.first().map_or_else(Point3::origin, |t| points[t[0] as usize]);
    let volume = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|i| points[i as usize] - origin);
        a.dot(&b.cross(&c))
    };
    let signed = triangles.iter().zip(&must_turn);
    let volume: f64 =
        signed.map(|(t, must_turn)| if *must_turn { -volume(t) } else { volume(t) }).sum();
    // An open surface has no volume, so its outside is unknown.
    if n_open == 0 && volume < 0.0 {
        must_turn.iter_mut().for_each(|must_turn| *must_turn ^= true);
    }
    let turned = must_turn.iter().zip(in_file).filter(|(must, _)| **must).map(|(_, i)| *i);
    findings.add(Finding::of(FindingKind::TurnedTriangles, FindingOutcome::Turned, turned));
    for (triangle, _) in triangles.iter_mut().zip(&must_turn).filter(|(_, must)| **must) {
        triangle.swap(1, 2);
    }
    findings.add(Finding::counted(FindingKind::OpenEdges, FindingOutcome::Kept, n_open));
    findings.add(Finding::counted(FindingKind::CrowdedEdges, FindingOutcome::Kept, n_crowded));
    let n_contradictions = orientation.n_contradictions;
    findings.add(Finding::counted(
        FindingKind::Unorientable,
        FindingOutcome::Kept,
        n_contradictions,
    ));
    let n_parts = if orientation.n_parts > 1 { orientation.n_parts } else { 0 };
    findings.add(Finding::counted(FindingKind::Parts, FindingOutcome::Kept, n_parts));
}
