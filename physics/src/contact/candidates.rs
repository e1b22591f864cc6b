//! Contacts of a substep: points within reach of shapes, in a fixed order, with their frames.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::anchors::ContactMemory;
use super::nearby::{CANDIDATE, Nearby, scattered};
use super::node_compliance::NodeCompliance;
use super::points::SkinPoints;
use super::shape::{ContactProxy, Gap};

/// Contact of a substep, with or without force.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub(super) proxy: u32,
    pub(super) point: u32,
    /// Index of its memory.
    pub(super) memory: Option<u32>,
    /// Place of its blocks.
    pub(super) place: u32,
    /// Normal and two tangents, row by row, along the object's axes.
    pub(super) frame: Matrix3<f64>,
    /// Displacement of the point in the last substep.
    pub(super) displacement: Vector3<f64>,
    pub(super) gap: f64,
    /// Area of the point that faces the shape.
    pub(super) area: f64,
}

/// Largest number of contacts of a substep: the work grows with its square. Hands that squeeze deep
/// into soft matter have some hundreds.
pub(super) const MOST_CONTACTS: usize = 768;

/// Smallest share of a point's area that must face a shape: a shape does not push the skin beside
/// it or on the far side.
const FACING: f64 = 0.02;

/// What contacts are sought among.
pub(super) struct Surroundings<'a> {
    pub(super) points: &'a SkinPoints,
    pub(super) near: &'a Nearby,
    pub(super) proxies: &'a [ContactProxy],
    /// Poses of the shapes in the object's frame.
    pub(super) poses: &'a [Isometry3<f64>],
    pub(super) memory: &'a [ContactMemory],
}

impl Surroundings<'_> {
    fn gap(&self, proxy: usize, place: &Point3<f64>) -> Gap {
        let pose = &self.poses[proxy];
        let gap = self.proxies[proxy].shape.gap(&pose.inverse_transform_point(place));
        Gap { normal: pose.rotation * gap.normal, ..gap }
    }

    /// Collects the surface points whose displacements [`contacts`](Self::contacts) needs,
    /// ascending, each once.
    pub(super) fn corners(&self, forces: &[(u32, Vector3<f64>)], corners: &mut Vec<u32>) {
        corners.clear();
        let points = self.points.points();
        corners.extend(forces.iter().map(|(corner, _)| *corner));
        let remembered = self.memory.iter().map(|memory| memory.point);
        remembered.for_each(|at| corners.extend(points[at as usize].corners));
        let most = CANDIDATE + self.near.drift();
        for proxy in 0..self.proxies.len() {
            for near in self.near.of_proxy(proxy) {
                if self.gap(proxy, &near.place).distance < most {
                    corners.extend(points[near.point as usize].corners);
                }
            }
        }
        corners.sort_unstable();
        corners.dedup();
    }

    /// Collects contacts, ascending by shape and point. `forces` are those of the last substep.
    pub(super) fn contacts(
        &self,
        nodes: &NodeCompliance,
        forces: &[(u32, Vector3<f64>)],
        contacts: &mut Vec<Contact>,
    ) {
        contacts.clear();
        let most = CANDIDATE + self.near.drift();
        let mut next = 0;
        for proxy in 0..self.proxies.len() {
            for near in self.near.of_proxy(proxy) {
                let key = (proxy as u32, near.point);
                let of = |memory: &ContactMemory| (memory.proxy, memory.point);
                while self.memory.get(next).is_some_and(|memory| of(memory) < key) {
                    next += 1;
                }
                let memory = self.memory.get(next).filter(|memory| of(memory) == key);
                if self.gap(proxy, &near.place).distance >= most && memory.is_none() {
                    continue;
                }
                let point = &self.points.points()[near.point as usize];
                let displacement = match memory {
                    Some(memory) => memory.displacement,
                    None => point.mean(|corner| nodes.displacement(corner, forces)),
                };
                let gap = self.gap(proxy, &(point.rest + displacement));
                let nodes_only = self.proxies[proxy].touches_nodes_only;
                let facing = point.area_facing(&gap.normal, nodes_only);
                if gap.distance < CANDIDATE && facing > FACING * point.area {
                    contacts.push(Contact {
                        proxy: key.0,
                        point: key.1,
                        memory: memory.map(|_| next as u32),
                        place: 0,
                        frame: frame(&gap.normal),
                        displacement,
                        gap: gap.distance,
                        area: facing,
                    });
                }
            }
        }
    }
}

/// Keeps one contact for each point and limb: the one that carries force, else the deepest.
/// `choices` is working memory.
pub(super) fn keep_one_per_limb(
    contacts: &mut Vec<Contact>,
    proxies: &[ContactProxy],
    memory: &[ContactMemory],
    choices: &mut Vec<LimbChoice>,
) {
    choices.clear();
    for (at, contact) in contacts.iter().enumerate() {
        if let Some(limb) = proxies[contact.proxy as usize].limb {
            let remembered = contact.memory.map(|at| &memory[at as usize]);
            choices.push(LimbChoice {
                limb,
                point: contact.point,
                is_free: remembered.is_none_or(|memory| memory.anchor.is_none()),
                gap: contact.gap,
                at: at as u32,
            });
        }
    }
    // Equal gaps are possible: the first shape then wins.
    choices.sort_unstable_by(|a, b| {
        let key = |it: &LimbChoice| (it.limb, it.point, it.is_free);
        key(a).cmp(&key(b)).then(a.gap.total_cmp(&b.gap)).then(a.at.cmp(&b.at))
    });
    let mut best = None;
    choices.retain(|choice| {
        best.replace((choice.limb, choice.point)) == Some((choice.limb, choice.point))
    });
    drop_chosen(contacts, choices);
}

/// Drops contacts beyond [`MOST_CONTACTS`]: those that carried no force first, then the shallowest.
/// `choices` is working memory.
pub(super) fn keep_the_deepest(
    contacts: &mut Vec<Contact>,
    memory: &[ContactMemory],
    choices: &mut Vec<LimbChoice>,
) {
    if contacts.len() <= MOST_CONTACTS {
        return;
    }
    choices.clear();
    choices.extend(contacts.iter().enumerate().map(|(at, contact)| {
        let remembered = contact.memory.map(|at| &memory[at as usize]);
        let is_free = remembered.is_none_or(|memory| memory.anchor.is_none());
        LimbChoice { limb: 0, point: contact.point, is_free, gap: contact.gap, at: at as u32 }
    }));
    let order = |a: &LimbChoice, b: &LimbChoice| {
        let is_first = a.is_free.cmp(&b.is_free).then(a.gap.total_cmp(&b.gap));
        is_first.then(scattered(a.at).cmp(&scattered(b.at)))
    };
    choices.sort_unstable_by(order);
    choices.drain(..MOST_CONTACTS);
    drop_chosen(contacts, choices);
}

/// Drops the contacts that the choices name.
fn drop_chosen(contacts: &mut Vec<Contact>, choices: &mut [LimbChoice]) {
    choices.sort_unstable_by_key(|choice| choice.at);
    let mut dropped = choices.iter().peekable();
    let mut at = 0;
    contacts.retain(|_| {
        let is_dropped = dropped.next_if(|choice| choice.at == at).is_some();
        at += 1;
        !is_dropped
    });
}

/// A contact of a limb, among those of the same point.
#[derive(Debug, Clone, Copy)]
pub(super) struct LimbChoice {
    limb: u32,
    point: u32,
    /// True if the contact carried no force in the last substep.
    is_free: bool,
    gap: f64,
    /// Index of the contact.
    at: u32,
}

/// Frame of a normal: itself and two tangents, row by row.
fn frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let away = Vector3::ith(normal.iamin(), 1.0);
    let first = normal.cross(&away);
    let first = first / first.norm();
    Matrix3::from_rows(&[normal.transpose(), first.transpose(), normal.cross(&first).transpose()])
}
