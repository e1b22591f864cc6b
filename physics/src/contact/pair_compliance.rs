//! Compliance between the points in contact, in the object's frame: elastic, local and rigid.
//!
//! A block depends on its two points only, so it is computed when a contact comes and used in all
//! substeps in which the contact stays.

use nalgebra::{Matrix3, Matrix6, Point3, Vector3};

use super::free_body::{FreeBody, NodeRows};
use super::held::HeldNodes;
use super::local_compliance::{LocalCompliance, LocalLengths};
use super::node_compliance::{NodeCompliance, rest_position};
use super::points::{Facet, SkinPoint};
use crate::family::solid::SolidModel;

/// Number that stands for no shape: a held node has no local compliance.
const NO_SHAPE: u32 = u32::MAX;

/// Blocks of the contacts that have a place here.
pub(super) struct PairCompliance {
    blocks: Vec<Matrix3<f64>>,
    room: usize,
    places: Vec<Place>,
    free: Vec<u32>,
    /// `V` of each place: a row for each held component. The blocks are without its share.
    reduced: Vec<Vector3<f64>>,
    n_held: usize,
}

/// Contact with a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    proxy: u32,
    point: SkinPoint,
    lengths: LocalLengths,
    /// Rows of `R`, and `dt² J^-1` times them.
    rows: NodeRows,
    rows_by_inertia: NodeRows,
    is_used: bool,
}

/// What the blocks of a body are computed from.
pub(super) struct Compliances<'a> {
    pub(super) model: &'a SolidModel,
    pub(super) body: Option<&'a FreeBody>,
    pub(super) nodes: &'a NodeCompliance,
    /// `None`: plain finite elements.
    pub(super) local: Option<&'a mut LocalCompliance>,
    /// `dt² J^-1` of a free body, else zero.
    pub(super) rigid: Matrix6<f64>,
}

impl PairCompliance {
    pub(super) fn new() -> Self {
        const ROOM: usize = 160;
        let blocks = vec![Matrix3::zeros(); ROOM * ROOM];
        Self {
            blocks,
            room: ROOM,
            places: Vec::with_capacity(ROOM),
            free: Vec::new(),
            reduced: Vec::new(),
            n_held: 0,
        }
    }

    /// Forgets all contacts. Those that come are without the share of these held nodes.
    pub(super) fn clear(&mut self, held: &HeldNodes) {
        self.places.clear();
        self.free.clear();
        self.n_held = held.n_rows();
        self.reduced.clear();
        self.reduced.resize(self.room * self.n_held, Vector3::zeros());
    }

    /// Gives up the place of a contact.
    pub(super) fn remove(&mut self, place: u32) {
        self.places[place as usize].is_used = false;
        self.free.push(place);
    }

    /// Gives a place to a contact, and computes its blocks with all others.
    pub(super) fn add(
        &mut self,
        proxy: u32,
        point: &SkinPoint,
        from: &mut Compliances,
        held: &HeldNodes,
    ) -> u32 {
        let lengths = from.local.as_mut().map_or_else(LocalLengths::default, |local| {
            local.lengths(point, from.nodes, from.model, from.body)
        });
        let rows = from.body.map_or_else(NodeRows::zeros, |body| body.rows(&point.rest));
        let rows_by_inertia = rows * from.rigid;
        let place = Place { proxy, point: *point, lengths, rows, rows_by_inertia, is_used: true };
        let at = match self.free.pop() {
            Some(at) => {
                self.places[at as usize] = place;
                at
            }
            None => {
                if self.places.len() == self.room {
                    self.grow();
                }
                self.places.push(place);
                self.places.len() as u32 - 1
            }
        } as usize;
        let n_held = self.n_held;
        held.find_reduced(&place, from, &mut self.reduced[at * n_held..(at + 1) * n_held]);
        for other in 0..self.places.len() {
            if self.places[other].is_used {
                let mut block = computed(&place, &self.places[other], from);
                for (a, b) in self.reduced(at as u32).iter().zip(self.reduced(other as u32)) {
                    block -= a * b.transpose();
                }
                self.blocks[other * self.room + at] = block.transpose();
                self.blocks[at * self.room + other] = block;
            }
        }
        at as u32
    }

    /// Displacement of one contact's point by a force on the other's.
    pub(super) fn block(&self, moved: u32, pushed: u32) -> &Matrix3<f64> {
        &self.blocks[moved as usize * self.room + pushed as usize]
    }

    /// `V` of a contact: a row for each held component.
    pub(super) fn reduced(&self, place: u32) -> &[Vector3<f64>] {
        &self.reduced[place as usize * self.n_held..(place as usize + 1) * self.n_held]
    }

    /// Rows of `R` at a contact's point.
    pub(super) fn rows(&self, place: u32) -> &NodeRows {
        &self.places[place as usize].rows
    }

    fn grow(&mut self) {
        let (old, room) = (self.room, 2 * self.room);
        let mut blocks = vec![Matrix3::zeros(); room * room];
        for (row, from) in self.blocks.chunks_exact(old).enumerate() {
            blocks[row * room..row * room + old].copy_from_slice(from);
        }
        (self.blocks, self.room) = (blocks, room);
        self.reduced.resize(room * self.n_held, Vector3::zeros());
    }
}

impl Place {
    /// Place of a held node.
    pub(super) fn held(corner: u32, from: &Compliances) -> Self {
        let rest = rest_position(from.model, corner);
        let rows = from.body.map_or_else(NodeRows::zeros, |body| body.rows(&rest));
        let point = SkinPoint {
            corners: [corner; 3],
            weights: [1.0, 0.0, 0.0],
            area: 0.0,
            sides: [Facet::default(); 3],
            rest,
            normal: Vector3::zeros(),
            is_node: true,
        };
        let lengths = LocalLengths::default();
        let rows_by_inertia = rows * from.rigid;
        Self { proxy: NO_SHAPE, point, lengths, rows, rows_by_inertia, is_used: true }
    }

    /// Rest position.
    pub(super) fn rest(&self) -> Point3<f64> {
        self.point.rest
    }

    /// Rows of `R`.
    pub(super) fn rows(&self) -> &NodeRows {
        &self.rows
    }
}

/// Block of two contacts, computed in an order that does not depend on which came first.
pub(super) fn computed(one: &Place, other: &Place, from: &Compliances) -> Matrix3<f64> {
    let order = |place: &Place| (place.point.corners, place.point.weights.map(f64::to_bits));
    if order(one) > order(other) {
        return computed(other, one, from).transpose();
    }
    let mut block = Matrix3::zeros();
    for (&a, weight_a) in one.point.corners.iter().zip(one.point.weights) {
        for (&b, weight_b) in other.point.corners.iter().zip(other.point.weights) {
            let weight = weight_a * weight_b;
            if weight != 0.0 {
                block += from.nodes.block(a, b) * weight;
            }
        }
    }
    // Points of one patch only: the formula is that of a half-space.
    if one.proxy == other.proxy
        && one.proxy != NO_SHAPE
        && let Some(local) = &from.local
    {
        block += local.block((&one.point, one.lengths), (&other.point, other.lengths));
    }
    block + one.rows_by_inertia * other.rows.transpose()
}
