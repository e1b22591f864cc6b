//! What the fingers of a hand feel and how they move, for devices that push back.

use calibration::HandPose;
use calibration::curl::{curled_by, curls};
use drivers::Side;
use nalgebra::{Isometry3, Point3, Vector3};
use physics::{ContactModel, ProxyId};

use super::{HandTrack, Tabletop};
use crate::hand::{Hand, centre};

/// Motion of a finger, and the model of what it touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FingerFeeling {
    /// Place of the fingertip in the world.
    pub tip: Point3<f64>,
    /// Velocity of the fingertip, from one sample to the next.
    pub velocity: Vector3<f64>,
    /// Curl: 0 open, 1 closed.
    pub curl: f64,
    /// Way of the fingertip for a whole unit of curl.
    pub way: Vector3<f64>,
    /// Model of the strongest contact.
    pub model: Option<FeltModel>,
}

/// A contact model, moved from the part of the finger that touches to the fingertip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeltModel {
    /// Index of the thing that is touched.
    pub thing: usize,
    /// Model in the object's frame.
    pub model: ContactModel,
    /// The object's frame; the fingertip is where the model has its part of the finger.
    pub world_from_object: Isometry3<f64>,
}

/// Change of curl by which the way of a fingertip is found.
const CURL: f64 = 1e-3;

impl Tabletop {
    /// What the fingers of a hand feel, thumb first, from the things for which `is_solved` is true;
    /// `None` without the hand.
    pub fn feelings(
        &self,
        side: Side,
        is_solved: impl Fn(usize) -> bool,
    ) -> Option<[FingerFeeling; 5]> {
        let track = self.hands[side as usize].as_ref()?;
        let HandTrack { latest, previous, pose, .. } = track;
        let hand = &latest.real;
        let angles = curled_by(pose.angles, CURL);
        let curled = Hand::new(self.profiles.of(side), &HandPose { angles, ..*pose });
        let curls = curls(&pose.angles);
        let elapsed = previous.as_ref().map(|before| (latest.time - before.time, &before.real));
        Some(std::array::from_fn(|finger| {
            let tip = hand.fingertips[finger].centre;
            let velocity = match elapsed {
                Some((time, before)) if time > 0.0 => {
                    (tip - before.fingertips[finger].centre) / time
                }
                _ => Vector3::zeros(),
            };
            let solved = self.things.iter().enumerate().filter(|(i, _)| is_solved(*i));
            let models = solved.flat_map(|(i, _)| self.models(i, side, finger, hand));
            let strength = |felt: &FeltModel| Vector3::from(felt.model.force).norm_squared();
            FingerFeeling {
                tip,
                velocity,
                curl: curls[finger],
                way: (curled.fingertips[finger].centre - tip) / CURL,
                model: models.max_by(|a, b| strength(a).total_cmp(&strength(b))),
            }
        }))
    }

    /// True if a thing's frame has models of what fingers feel: its forces are then felt by these.
    pub fn has_contact_models(&self, thing: usize) -> bool {
        let surface = self.things.get(thing).and_then(|thing| thing.surface.as_ref());
        surface.is_some_and(|surface| !surface.frame().contact_models.is_empty())
    }

    /// Models of a thing for a finger of a hand.
    fn models(
        &self,
        index: usize,
        side: Side,
        finger: usize,
        hand: &Hand,
    ) -> impl Iterator<Item = FeltModel> {
        let thing = &self.things[index];
        let frame = thing.surface.as_ref().map(|surface| surface.frame());
        let world_from_object = *thing.grasp.world_from_object();
        let tip = hand.fingertips[finger].centre;
        let of_finger = move |model: &&ContactModel| {
            model.proxy.hand == side as u8 && usize::from(model.proxy.finger) == finger
        };
        let models = frame.into_iter().flat_map(|frame| &frame.contact_models).filter(of_finger);
        models.filter_map(move |model| {
            let id: ProxyId = model.proxy;
            // A finger is rigid for as long as a model lives: the tip moves as its other parts do.
            let arm = tip - centre(&hand.part(id)?);
            let world_from_object = Isometry3::from_parts(
                (world_from_object.translation.vector + arm).into(),
                world_from_object.rotation,
            );
            Some(FeltModel { thing: index, model: *model, world_from_object })
        })
    }
}
