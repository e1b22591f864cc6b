//! Alignment of tracker and headset. A gloved hand that both see is held still at several places;
//! from these places follows where the tracker's table stands in the headset's room.

use std::sync::Arc;

use calibration::ProfileStore;
use calibration::profile_store::Edition;
use calibration::tracker::alignment::{Alignment, AlignmentError, Sighting, align};
use drivers::Side;
use haptics::HandOutput;
use interaction::scene::{StatusLevel, StatusLine};
use nalgebra::Isometry3;

use super::clock::RunClock;
use super::{LoadedProfile, ProfilesInUse};
use crate::input::{HandPlace, SamplePair};
use crate::vr::{HeadsetLink, HeadsetState, RoomId, RoomLifetime, SeenBy};

/// Aligns tracker and headset, if there is a headset.
pub(super) struct Aligner {
    headset: Option<Arc<HeadsetLink>>,
    /// Store of the people's profiles.
    profile_store: Option<ProfileStore>,
    aligning: Option<GatheredByHand>,
}

/// Gathered sightings of each hand, left hand first. Either hand is enough, but their sightings
/// must not be mixed: each holds the receiver in its own way.
#[derive(Debug, Default)]
struct GatheredByHand([GatheredSightings; 2]);

#[derive(Debug, Default)]
struct GatheredSightings {
    /// Room of the headset in which the hand was seen.
    room: RoomId,
    /// Part of the hand that the headset saw.
    by: Option<SeenBy>,
    sightings: Vec<Sighting>,
    /// Time since which the receiver has kept still, in seconds, and its place.
    still: Option<(f64, Isometry3<f64>)>,
}

/// Result of taking a sighting.
#[derive(Debug, PartialEq)]
enum GatheringStep {
    /// The sighting does not count.
    Nothing,
    /// The sighting counts.
    Taken,
    /// The last sighting was taken; this is the alignment.
    Done(Box<Result<Alignment, AlignmentError>>),
}

/// Number of places to gather, more than the smallest number that determines the alignment; each
/// takes a second.
const ENOUGH: usize = 16;
/// The largest motion of a hand that is still, in metres and radians.
const TREMBLE: (f64, f64) = (0.004, 0.03);
/// Shortest time in which a hand must keep still, in seconds.
const STILL: f64 = 0.3;
/// Time after the hand came to rest from which headset samples count, in seconds.
const SETTLED: f64 = 0.15;
/// Smallest distance or turn between two places that count, in metres and radians.
const APART: (f64, f64) = (0.03, 0.17);

impl GatheredByHand {
    fn line(&self) -> StatusLine {
        let n = self.0.iter().map(|gathered| gathered.sightings.len()).max().unwrap_or_default();
        let text = match self.0.iter().any(|gathered| gathered.by.is_some()) {
            true => format!(
                "{n} of {ENOUGH} places: hold the hand still at another place, turned differently"
            ),
            false => {
                "the headset sees neither the gloved hand nor a controller in that hand".to_owned()
            }
        };
        StatusLine { name: "align", level: StatusLevel::Waiting, text }
    }
}

impl GatheredSightings {
    /// Returns true if a sighting of this room and kind counts. Sightings in another room are
    /// dropped, and so are a controller's when the wrist is seen. A controller does not count
    /// beside a wrist in the same room: it may lie on the desk.
    fn is_consistent_with(&mut self, room: RoomId, by: SeenBy) -> bool {
        let is_other = match (self.by, by) {
            (Some(SeenBy::Joints), SeenBy::Controller) if self.room == room => return false,
            (before, _) => self.room != room || before.is_some_and(|before| before != by),
        };
        if is_other {
            *self = Self { room, ..Self::default() };
        }
        self.by = Some(by);
        true
    }

    /// Takes a sighting: the tracker's part at `time`, the headset's part at `seen_at`.
    fn take(&mut self, time: f64, sighting: &Sighting, seen_at: f64) -> GatheringStep {
        let now = &sighting.source_from_sensor;
        let (since, at) = *self.still.get_or_insert((time, *now));
        if is_beyond(&at, now, TREMBLE) {
            self.still = Some((time, *now));
            return GatheringStep::Nothing;
        }
        let is_known = |known: &Sighting| !is_beyond(&known.source_from_sensor, now, APART);
        if time - since < STILL || seen_at - since < SETTLED || self.sightings.iter().any(is_known)
        {
            return GatheringStep::Nothing;
        }
        self.sightings.push(*sighting);
        match self.sightings.len() {
            n if n < ENOUGH => GatheringStep::Taken,
            _ => GatheringStep::Done(Box::new(align(&self.sightings))),
        }
    }
}

/// True if two poses are farther apart, or turned farther, than this.
fn is_beyond(a: &Isometry3<f64>, b: &Isometry3<f64>, (metres, radians): (f64, f64)) -> bool {
    let apart = (a.translation.vector - b.translation.vector).norm();
    apart > metres || a.rotation.angle_to(&b.rotation) > radians
}

impl Aligner {
    pub(super) fn new(
        headset: Option<Arc<HeadsetLink>>,
        profile_store: Option<ProfileStore>,
    ) -> Self {
        Self { headset, profile_store, aligning: None }
    }

    /// State of the headset, if there is one.
    pub(super) fn headset_state(&self) -> Option<HeadsetState> {
        self.headset.as_ref().map(|headset| headset.state())
    }

    /// Restores an alignment from the profiles. It holds as long as the headset's stage stays the
    /// same.
    pub(super) fn recall(&self, profiles_in_use: &ProfilesInUse) {
        let Some(headset) = &self.headset else { return };
        let place = |side: Side| {
            Some(table_from(profiles_in_use, side, profiles_in_use.of(side).stage_from_source()?))
        };
        headset.align.recall([Side::Right, Side::Left].into_iter().find_map(place));
    }

    /// Takes a pair of samples during an alignment.
    pub(super) fn take(
        &mut self,
        pair: &SamplePair,
        profiles_in_use: &ProfilesInUse,
        clock: &RunClock,
    ) {
        let (side, time) = (pair.hand, clock.time_of(pair.arrival));
        let Some(headset) = self.headset.clone() else { return };
        if headset.align.takes_stage_moved() {
            tracing::warn!(
                "the headset's stage was moved: tracker and headset have to be aligned again"
            );
            [Side::Left, Side::Right]
                .into_iter()
                .for_each(|side| self.keep_stage(profiles_in_use, side, None));
        }
        if !headset.align.is_wanted() {
            self.aligning = None;
            return;
        }
        // Without a tracker there is nothing to align.
        let HandPlace::Tracked(source_from_sensor) = pair.place else { return };
        let aligning = self.aligning.get_or_insert_default();
        let Some(sight) = headset.align.sights[side as usize].take() else { return };
        let seen_at = clock.time_of(sight.arrival);
        let gathered = &mut aligning.0[side as usize];
        if !gathered.is_consistent_with(sight.room, sight.by) {
            return;
        }
        let sighting = Sighting { source_from_sensor, stage_from_seen: sight.room_from_seen };
        match gathered.take(time, &sighting, seen_at) {
            GatheringStep::Nothing => {}
            GatheringStep::Taken => {
                tracing::info!("align: {}", aligning.line().text);
                // The wearer of a headset does not see the window: a force confirms the place.
                let half = [0.5; 5];
                headset.felt[side as usize].put(HandOutput { hold: half, vibration: half });
            }
            GatheringStep::Done(found) => {
                headset.align.want(false);
                match *found {
                    Ok(alignment) => {
                        self.take_alignment(profiles_in_use, side, sight.room, &alignment)
                    }
                    Err(why) => tracing::warn!("tracker and headset are not aligned: {why}"),
                }
            }
        }
    }

    /// Line of the status panel during an alignment.
    pub(super) fn line(&self) -> Option<StatusLine> {
        self.aligning.as_ref().map(GatheredByHand::line)
    }

    fn take_alignment(
        &self,
        profiles_in_use: &ProfilesInUse,
        side: Side,
        room: RoomId,
        alignment: &Alignment,
    ) {
        let Alignment { stage_from_source, residual, residual_angle, n_left_out, .. } = alignment;
        let (mm, degrees) = (1e3 * residual, residual_angle.to_degrees());
        tracing::info!(
            "tracker and headset are aligned, to {mm:.1} mm and {degrees:.1} degrees; \
             {n_left_out} places left out"
        );
        let table = table_from(profiles_in_use, side, *stage_from_source);
        match self.headset.as_ref().and_then(|headset| headset.align.put_table(room, table)) {
            Some(RoomLifetime::AsStage) => {}
            Some(RoomLifetime::ForNow) => {
                tracing::info!("not saved: saving needs `--standing` and a headset with a stage");
                return;
            }
            None => {
                tracing::warn!("the headset's room has changed: align again");
                return;
            }
        }
        self.keep_stage(profiles_in_use, side, Some(*stage_from_source));
        // An alignment by the other hand is older and must not be restored next time.
        self.keep_stage(profiles_in_use, side.other(), None);
    }

    /// Saves the place of the tracker on the headset's stage in a hand's profile, or removes it.
    fn keep_stage(
        &self,
        profiles_in_use: &ProfilesInUse,
        side: Side,
        stage_from_source: Option<Isometry3<f64>>,
    ) {
        let (LoadedProfile::Saved(saved), Some(store)) =
            (profiles_in_use.loaded(side), &self.profile_store)
        else {
            return;
        };
        // The person of a recording may have been calibrated again since.
        let newest = store.load(&saved.about.person, side, Edition::Newest);
        let kept = newest.and_then(|mut newest| {
            if stage_from_source.is_none() && newest.profile.stage_from_source().is_none() {
                return Ok(None);
            }
            newest.profile = newest.profile.with_stage(stage_from_source);
            store.save(&newest).map(Some)
        });
        match kept {
            Ok(Some(path)) if stage_from_source.is_some() => {
                tracing::info!("saved in {}", path.display());
            }
            Ok(_) => {}
            Err(why) => tracing::warn!("the alignment was not saved: {why}"),
        }
    }
}

/// Place of the table in the headset's room, from tracker and profile.
fn table_from(
    profiles_in_use: &ProfilesInUse,
    side: Side,
    room_from_source: Isometry3<f64>,
) -> Isometry3<f64> {
    room_from_source * profiles_in_use.of(side).tracker().world_from_source.inverse()
}

#[cfg(test)]
mod tests;
