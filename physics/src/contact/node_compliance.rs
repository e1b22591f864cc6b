//! Compliance `Ghat` between the nodes near contacts, gathered once from the columns of the solid.

use std::sync::Arc;

use nalgebra::{Matrix3, Point3, Vector3};

use super::free_body::FreeBody;
use crate::family::solid::SolidModel;
use crate::linear::NodeColumns;
use crate::mesh::NodeId;

/// Mark of a surface point without a place in the matrix.
const NONE: u32 = u32::MAX;

/// Dense matrix of the nodes that are used. A node keeps its place until the matrix is full.
pub(super) struct NodeCompliance {
    /// Place of each surface point.
    place_of: Vec<u32>,
    /// Surface point and columns at each place.
    nodes: Vec<(u32, Arc<NodeColumns>)>,
    /// Blocks of three rows, each of `room` blocks.
    blocks: Vec<Matrix3<f64>>,
    room: usize,
}

impl NodeCompliance {
    /// Number of nodes for which memory is taken at once.
    const ROOM: usize = 192;

    pub(super) fn new(n_surface: usize) -> Self {
        let room = Self::ROOM;
        let blocks = vec![Matrix3::zeros(); room * room];
        Self { place_of: vec![NONE; n_surface], nodes: Vec::with_capacity(room), blocks, room }
    }

    /// Gives a place to each of these surface points (ascending, each once). If there is no room,
    /// the others lose their places.
    pub(super) fn hold(&mut self, wanted: &[u32], model: &SolidModel, body: Option<&FreeBody>) {
        let n_missing = wanted.iter().filter(|at| self.place_of[**at as usize] == NONE).count();
        if n_missing == 0 {
            return;
        }
        if self.nodes.len() + n_missing > self.room {
            self.nodes.drain(..).for_each(|(at, _)| self.place_of[at as usize] = NONE);
            if wanted.len() > self.room {
                self.room = wanted.len() + wanted.len() / 4;
                self.blocks = vec![Matrix3::zeros(); self.room * self.room];
            }
        }
        let missing: Vec<u32> =
            wanted.iter().copied().filter(|at| self.place_of[*at as usize] == NONE).collect();
        let surface = &model.rest_surface().topology.nodes;
        let ids: Vec<NodeId> = missing.iter().map(|at| surface[*at as usize]).collect();
        let columns = model.columns().of(model.compliance(), &ids);
        for (at, columns) in missing.into_iter().zip(columns) {
            let place = self.nodes.len();
            self.place_of[at as usize] = place as u32;
            self.nodes.push((at, columns));
            for other in 0..=place {
                let block = self.gathered(place, other, model, body);
                self.blocks[place * self.room + other] = block;
                self.blocks[other * self.room + place] = block.transpose();
            }
        }
    }

    /// Block of two places. It is read from the column of the lower surface point, so that it does
    /// not depend on the order in which the nodes came.
    fn gathered(
        &self,
        one: usize,
        other: usize,
        model: &SolidModel,
        body: Option<&FreeBody>,
    ) -> Matrix3<f64> {
        let is_swapped = self.nodes[one].0 > self.nodes[other].0;
        let (low, high) = if is_swapped { (other, one) } else { (one, other) };
        let (at_low, columns) = &self.nodes[low];
        let at_high = self.nodes[high].0;
        let unscale = 1.0 / model.compliance().stiffness_scale();
        // Row: force at the lower node. Column: displacement of the higher one.
        let mut block = Matrix3::from_fn(|force, moved| {
            columns.exact(force, 3 * at_high as usize + moved) * unscale
        });
        if low == high {
            block = (block + block.transpose()) * 0.5;
        }
        if let Some(body) = body {
            let place = |at: u32| (at as usize, rest_position(model, at));
            let ((i, at_i), (j, at_j)) = (place(*at_low), place(at_high));
            block += body.relief((i, &at_i), (j, &at_j));
            if low == high {
                block = (block + block.transpose()) * 0.5;
            }
        }
        if is_swapped { block.transpose() } else { block }
    }

    /// Block of two surface points that have places: displacement of `moved` by a force at
    /// `pushed`.
    pub(super) fn block(&self, moved: u32, pushed: u32) -> &Matrix3<f64> {
        let row = self.place_of[moved as usize] as usize;
        &self.blocks[row * self.room + self.place_of[pushed as usize] as usize]
    }

    /// Columns of a surface point that has a place.
    pub(super) fn columns(&self, at: u32) -> &Arc<NodeColumns> {
        &self.nodes[self.place_of[at as usize] as usize].1
    }

    /// Displacement of a surface point that has a place by forces on others.
    pub(super) fn displacement(&self, at: u32, forces: &[(u32, Vector3<f64>)]) -> Vector3<f64> {
        let row = self.place_of[at as usize] as usize * self.room;
        let mut sum = Vector3::zeros();
        for (pushed, force) in forces {
            sum += self.blocks[row + self.place_of[*pushed as usize] as usize] * force;
        }
        sum
    }
}

/// Rest position of a surface point, in `f64`.
pub(super) fn rest_position(model: &SolidModel, at: u32) -> Point3<f64> {
    let node = model.rest_surface().topology.nodes[at as usize];
    model.mesh().rest_positions()[node.index()]
}
