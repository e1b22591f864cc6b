//! Contacts of the fingertips, and the holds that they begin and end.

use super::hold::{HeldNodes, Hold};
use super::{AfterRelease, Grasp, GraspRules, GraspState, Patch};
use crate::collision::{Ball, SurfaceContact, TouchableSurface};
use crate::hand::Fingertip;

/// Depth below the skin, in metres, beyond which a fingertip holds only the nearest node.
const DEEPEST_TIP: f64 = 0.02;

impl Grasp {
    /// Finds the contacts of the fingertips at `time`, and ends the holds of fingers that opened.
    pub(super) fn find_contacts(
        &mut self,
        tips: &[Fingertip; 5],
        time: f64,
        surface: &TouchableSurface,
    ) {
        let version = surface.frame().topology.version;
        if version != self.topology_version {
            self.topology_version = version;
            self.drop_holds();
        }
        self.make_room(surface.frame().topology.nodes.len());
        for (i, tip) in tips.iter().enumerate() {
            let GraspRules { release, release_gap, .. } = self.rules;
            let opened = |hold: &mut Hold| hold.opened_by(&tip.centre, release) > release_gap;
            self.holds[i].iter_mut().for_each(|hold| hold.press(&tip.centre));
            if let Some(hold) = self.holds[i].take_if(opened) {
                if release == AfterRelease::Keeps && self.state == GraspState::Deforming {
                    // A node that is pressed again takes the newer dent.
                    self.dents.retain(|dent| hold.nodes().all(|node| node != dent.node));
                    self.dents.extend(hold.known_displacements(&tip.centre, release));
                }
                self.opening[i] = true;
                self.spare_nodes.push(hold.into_nodes());
            }
            self.taken.clear();
            self.taken.extend(self.holds.iter().flatten().flat_map(Hold::nodes).map(Some));
            let before = self.tips_before.as_ref().map(|tips| &tips[i]);
            // Hysteresis: a finger that touched leaves the skin at a larger distance than it came.
            let reach = if self.touching[i] { self.rules.touch_gap } else { 0.0 };
            let ball = Ball { radius: tip.radius + reach, ..tip.ball() };
            let contact = surface.contact(before, &ball, &self.taken);
            self.opening[i] &= contact.is_some();
            let contact = contact.filter(|_| !self.opening[i]);
            self.touching[i] = contact.is_some() || self.holds[i].is_some();
            if let (None, Some(contact), true) = (&self.holds[i], contact, self.is_held()) {
                self.holds[i] = Some(self.hold_of(tip, &contact, surface));
            }
        }
        if self.touching.contains(&true) {
            self.last_touch = time;
        }
        self.is_near = self.state == GraspState::Touching
            && tips.iter().any(|tip| {
                let ball = Ball { radius: tip.radius + self.rules.clear_gap, ..tip.ball() };
                surface.contact(None, &ball, &[]).is_some()
            });
    }

    /// Creates the hold of a fingertip that touches.
    fn hold_of(
        &mut self,
        tip: &Fingertip,
        contact: &SurfaceContact,
        surface: &TouchableSurface,
    ) -> Hold {
        self.patch.clear();
        match self.rules.patch {
            Patch::Node => {}
            Patch::Disc => {
                let radius = self.rules.disc * tip.radius;
                // The fingertip may have sunk in before it could take hold.
                let skin = surface.nearest(&tip.centre, tip.radius + DEEPEST_TIP);
                let middle =
                    skin.map_or(tip.centre - contact.normal * tip.radius, |skin| skin.point);
                surface.patch(&middle, radius, &contact.normal, &mut self.patch);
                self.patch.retain(|beside| !self.taken.contains(&Some(beside.node)));
            }
        }
        if self.patch.is_empty() {
            self.patch.push(*contact);
        }
        let nodes = self.spare_nodes.pop().unwrap_or_default();
        Hold::new(nodes, &self.patch, contact.normal, &tip.centre)
    }

    /// Reserves all memory that five fingers on `n_nodes` nodes can need.
    fn make_room(&mut self, n_nodes: usize) {
        self.taken.clear();
        self.taken.reserve(n_nodes);
        self.patch.clear();
        self.patch.reserve(n_nodes);
        self.dents.reserve(n_nodes.saturating_sub(self.dents.len()));
        let n_held = self.holds.iter().flatten().count();
        self.spare_nodes.resize_with(self.holds.len() - n_held, HeldNodes::new);
        for nodes in &mut self.spare_nodes {
            nodes.clear();
            nodes.reserve(n_nodes);
        }
    }

    pub(super) fn drop_holds(&mut self) {
        let nodes = self.holds.iter_mut().filter_map(Option::take).map(Hold::into_nodes);
        self.spare_nodes.extend(nodes);
    }
}
