//! Tracker and headset are brought to agree: a gloved hand that both see is held still at several
//! places, and the table then stands in the headset where the tracker says that it does.

use std::sync::Arc;

use calibration::ProfileStore;
use calibration::profile_store::Edition;
use calibration::tracker::alignment::{Alignment, AlignmentError, Sighting, align};
use drivers::Side;
use interaction::scene::{StatusLevel, StatusLine};
use nalgebra::Isometry3;

use super::clock::RunClock;
use super::{LoadedProfile, ProfilesInUse};
use crate::input::SamplePair;
use crate::vr::{HeadsetLink, HeadsetState, RoomId, RoomLifetime, SeenBy};

/// Brings tracker and headset to agree, if there is a headset.
pub(super) struct Aligner {
    headset: Option<Arc<HeadsetLink>>,
    /// Where people's profiles are kept.
    profile_store: Option<ProfileStore>,
    aligning: Option<GatheredByHand>,
}

/// What has been gathered, left hand first. Either hand will do, but what it holds sits on it in
/// its own way.
#[derive(Debug, Default)]
struct GatheredByHand([GatheredSightings; 2]);

#[derive(Debug, Default)]
struct GatheredSightings {
    /// Where the headset saw the hand, and what of it.
    room: RoomId,
    by: Option<SeenBy>,
    sightings: Vec<Sighting>,
    /// Since when the receiver has been there, in seconds.
    still: Option<(f64, Isometry3<f64>)>,
}

/// What a sighting brought.
#[derive(Debug, PartialEq)]
enum GatheringStep {
    Nothing,
    /// It is one of those that count.
    Taken,
    Done(Box<Result<Alignment, AlignmentError>>),
}

/// More than the least that tells all; each takes a second.
const ENOUGH: usize = 16;
/// The largest motion of a hand that is still, in metres and radians.
const TREMBLE: (f64, f64) = (0.004, 0.03);
/// Shortest time in which a hand must keep still, in seconds.
const STILL: f64 = 0.3;
/// Time after the hand came to rest from which headset samples count, in seconds.
const SETTLED: f64 = 0.15;
/// Places that are nearer to each other and hardly turned tell nothing new.
const APART: (f64, f64) = (0.03, 0.17);

impl GatheredByHand {
    fn line(&self) -> StatusLine {
        let n = self.0.iter().map(|gathered| gathered.sightings.len()).max().unwrap_or_default();
        let text = match self.0.iter().any(|gathered| gathered.by.is_some()) {
            true => format!("{n} of {ENOUGH}: hold the hand still elsewhere, turned another way"),
            false => "the headset sees neither the gloved hand nor a controller in it".to_owned(),
        };
        StatusLine { name: "align", level: StatusLevel::Waiting, text }
    }
}

impl GatheredSightings {
    /// Whether what the headset saw so goes with what was gathered. What was gathered in another
    /// room is of no use in this one, nor is a controller's place beside a wrist's: the controller
    /// may lie on the desk.
    fn goes_with(&mut self, room: RoomId, by: SeenBy) -> bool {
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

    /// Takes what the tracker sees at `time`, and what the headset saw at `seen_at`.
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

/// Whether two poses are farther apart, or turned farther, than that.
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

    /// How the headset is, if there is one.
    pub(super) fn headset_state(&self) -> Option<HeadsetState> {
        self.headset.as_ref().map(|headset| headset.state())
    }

    /// A place that was found before holds as long as the headset's stage does.
    pub(super) fn recall(&self, profiles_in_use: &ProfilesInUse) {
        let Some(headset) = &self.headset else { return };
        let place = |side: Side| {
            Some(table_from(profiles_in_use, side, profiles_in_use.of(side).stage_from_source()?))
        };
        headset.align.recall([Side::Right, Side::Left].into_iter().find_map(place));
    }

    /// Takes a tracker sample of a hand while an alignment is under way.
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
        let aligning = self.aligning.get_or_insert_default();
        let Some(sight) = headset.align.sights[side as usize].take() else { return };
        let seen_at = clock.time_of(sight.arrival);
        let gathered = &mut aligning.0[side as usize];
        if !gathered.goes_with(sight.room, sight.by) {
            return;
        }
        let sighting = Sighting {
            source_from_sensor: pair.source_from_sensor,
            stage_from_seen: sight.room_from_seen,
        };
        match gathered.take(time, &sighting, seen_at) {
            GatheringStep::Nothing => {}
            GatheringStep::Taken => {
                tracing::info!("align: {}", aligning.line().text);
                // Whoever wears a headset does not see the window.
                headset.felt[side as usize].put([0.5; 5]);
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

    /// A line of the status panel while it goes on.
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
            "tracker and headset are aligned, to {mm:.1} mm and {degrees:.1} degrees; {n_left_out} places left out"
        );
        let table = table_from(profiles_in_use, side, *stage_from_source);
        match self.headset.as_ref().and_then(|headset| headset.align.put_table(room, table)) {
            Some(RoomLifetime::AsStage) => {}
            Some(RoomLifetime::ForNow) => {
                tracing::info!("not kept: that takes `--standing` and a headset with a stage");
                return;
            }
            None => {
                tracing::warn!("the headset's room has changed: align again");
                return;
            }
        }
        self.keep_stage(profiles_in_use, side, Some(*stage_from_source));
        // What the other hand once found is older, and must not be taken for it the next time.
        self.keep_stage(profiles_in_use, side.other(), None);
    }

    /// Keeps where the tracker stands on the headset's stage in a hand's profile, or that it is not
    /// known.
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
        // Somebody of a recording may have been calibrated again since.
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
                tracing::info!("kept in {}", path.display());
            }
            Ok(_) => {}
            Err(why) => tracing::warn!("the alignment is not kept: {why}"),
        }
    }
}

/// Where the table stands in the headset's room, as the tracker and the profile say.
fn table_from(
    profiles_in_use: &ProfilesInUse,
    side: Side,
    room_from_source: Isometry3<f64>,
) -> Isometry3<f64> {
    room_from_source * profiles_in_use.of(side).tracker().world_from_source.inverse()
}

#[cfg(test)]
mod tests;
