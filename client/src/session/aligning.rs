//! Tracker and headset are brought to agree: a gloved hand that both see is held still at several places, and the table
//! then stands in the headset where the tracker says that it does.

use calibration::store::Edition;
use calibration::tracker::alignment::{Alignment, AlignmentError, Sighting, align};
use drivers::Hand as Side;
use interaction::scene::{Level, StatusLine};
use nalgebra::Isometry3;

use super::{Own, Session};
use crate::vr::{Lasts, RoomId, SeenBy};

/// What has been gathered, left hand first. Either hand will do, but what it holds sits on it in its own way.
#[derive(Debug, Default)]
pub(super) struct Aligning([Gathered; 2]);

#[derive(Debug, Default)]
struct Gathered {
    /// Where the headset saw the hand, and what of it.
    room: RoomId,
    by: Option<SeenBy>,
    sightings: Vec<Sighting>,
    /// Since when the receiver has been there, in seconds.
    still: Option<(f64, Isometry3<f64>)>,
}

/// What a sighting brought.
#[derive(Debug, PartialEq)]
enum Step {
    Nothing,
    /// It is one of those that count.
    Taken,
    Done(Box<Result<Alignment, AlignmentError>>),
}

/// More than the least that tells all; each takes a second.
const ENOUGH: usize = 16;
/// A hand is still if it keeps within this, in metres and radians, for so many seconds; what the headset saw before
/// the last of them is older than that.
const TREMBLE: (f64, f64) = (0.004, 0.03);
const STILL: f64 = 0.3;
const SETTLED: f64 = 0.15;
/// Places that are nearer to each other and hardly turned tell nothing new.
const APART: (f64, f64) = (0.03, 0.17);

impl Aligning {
    fn line(&self) -> StatusLine {
        let n = self.0.iter().map(|gathered| gathered.sightings.len()).max().unwrap_or_default();
        let text = match self.0.iter().any(|gathered| gathered.by.is_some()) {
            true => format!("{n} of {ENOUGH}: hold the hand still elsewhere, turned another way"),
            false => "the headset sees neither the gloved hand nor a controller in it".to_owned(),
        };
        StatusLine { name: "align", level: Level::Waiting, text }
    }
}

impl Gathered {
    /// Whether what the headset saw so goes with what was gathered. What was gathered in another room is of no use in
    /// this one, nor is a controller's place beside a wrist's: the controller may lie on the desk.
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
    fn take(&mut self, time: f64, sighting: &Sighting, seen_at: f64) -> Step {
        let now = &sighting.source_from_sensor;
        let (since, at) = *self.still.get_or_insert((time, *now));
        if is_beyond(&at, now, TREMBLE) {
            self.still = Some((time, *now));
            return Step::Nothing;
        }
        let is_known = |known: &Sighting| !is_beyond(&known.source_from_sensor, now, APART);
        if time - since < STILL || seen_at - since < SETTLED || self.sightings.iter().any(is_known)
        {
            return Step::Nothing;
        }
        self.sightings.push(*sighting);
        match self.sightings.len() {
            n if n < ENOUGH => Step::Taken,
            _ => Step::Done(Box::new(align(&self.sightings))),
        }
    }
}

/// Whether two poses are farther apart, or turned farther, than that.
fn is_beyond(a: &Isometry3<f64>, b: &Isometry3<f64>, (metres, radians): (f64, f64)) -> bool {
    let apart = (a.translation.vector - b.translation.vector).norm();
    apart > metres || a.rotation.angle_to(&b.rotation) > radians
}

impl Session {
    /// A place that was found before holds as long as the headset's stage does.
    pub(super) fn recall_alignment(&self) {
        let Some(headset) = &self.headset else { return };
        let place =
            |side: Side| Some(self.table_from(side, self.fitting.of(side).stage_from_source()?));
        headset.align.recall([Side::Right, Side::Left].into_iter().find_map(place));
    }

    /// Takes where the tracker sees a hand at `time`, if somebody wants to have both brought to agree.
    pub(super) fn align_with(
        &mut self,
        side: Side,
        source_from_sensor: &Isometry3<f64>,
        time: f64,
    ) {
        let Some(headset) = self.headset.clone() else { return };
        if headset.align.takes_stage_moved() {
            tracing::warn!(
                "the headset's stage was moved: tracker and headset have to be aligned again"
            );
            [Side::Left, Side::Right].into_iter().for_each(|side| self.keep_stage(side, None));
        }
        if !headset.align.is_wanted() {
            self.aligning = None;
            return;
        }
        let aligning = self.aligning.get_or_insert_default();
        let Some(sight) = headset.align.sights[side as usize].take() else { return };
        let seen_at = sight.arrival.saturating_duration_since(self.start).as_secs_f64();
        let gathered = &mut aligning.0[side as usize];
        if !gathered.goes_with(sight.room, sight.by) {
            return;
        }
        let sighting = Sighting {
            source_from_sensor: *source_from_sensor,
            stage_from_seen: sight.room_from_seen,
        };
        match gathered.take(time, &sighting, seen_at) {
            Step::Nothing => {}
            Step::Taken => {
                tracing::info!("align: {}", aligning.line().text);
                // Whoever wears a headset does not see the window.
                headset.felt[side as usize].put([0.5; 5]);
            }
            Step::Done(found) => {
                headset.align.want(false);
                match *found {
                    Ok(alignment) => self.take_alignment(side, sight.room, &alignment),
                    Err(why) => tracing::warn!("tracker and headset are not aligned: {why}"),
                }
            }
        }
    }

    /// A line of the status panel while it goes on.
    pub(super) fn aligning_line(&self) -> Option<StatusLine> {
        self.aligning.as_ref().map(Aligning::line)
    }

    fn take_alignment(&self, side: Side, room: RoomId, alignment: &Alignment) {
        let Alignment { stage_from_source, residual, residual_angle, n_left_out, .. } = alignment;
        let (mm, degrees) = (1e3 * residual, residual_angle.to_degrees());
        tracing::info!(
            "tracker and headset are aligned, to {mm:.1} mm and {degrees:.1} degrees; {n_left_out} places left out"
        );
        let table = self.table_from(side, *stage_from_source);
        match self.headset.as_ref().and_then(|headset| headset.align.put_table(room, table)) {
            Some(Lasts::AsStage) => {}
            Some(Lasts::ForNow) => {
                tracing::info!("not kept: that takes `--standing` and a headset with a stage");
                return;
            }
            None => {
                tracing::warn!("the headset's room has changed: align again");
                return;
            }
        }
        self.keep_stage(side, Some(*stage_from_source));
        // What the other hand once found is older, and must not be taken for it the next time.
        self.keep_stage(side.other(), None);
    }

    /// Keeps where the tracker stands on the headset's stage in a hand's profile, or that nobody knows.
    fn keep_stage(&self, side: Side, stage_from_source: Option<Isometry3<f64>>) {
        let (Own::Saved(saved), Some(store)) = (self.fitting.own(side), &self.profiles) else {
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

    /// Where the table stands in the headset's room, as the tracker and the profile say.
    fn table_from(&self, side: Side, room_from_source: Isometry3<f64>) -> Isometry3<f64> {
        room_from_source * self.fitting.of(side).tracker().world_from_source.inverse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vr::AlignLink;
    use nalgebra::Vector3;

    /// What both see of a hand at one of several places.
    fn sighting(place: usize) -> Sighting {
        let x = Isometry3::new(Vector3::new(0.4, 0.9, -0.3), Vector3::new(0.3, 2.0, -0.1));
        let y = Isometry3::new(Vector3::new(0.02, -0.05, 0.06), Vector3::new(1.2, 0.1, 0.4));
        let angle = place as f64 * 0.9;
        let turn = Vector3::new(angle.sin(), (1.7 * angle).cos(), 0.5 * (2.3 * angle).sin()) * 0.6;
        let source_from_sensor = Isometry3::new(0.15 * turn.yzx(), turn);
        Sighting { source_from_sensor, stage_from_seen: x * source_from_sensor * y }
    }

    #[test]
    fn a_hand_that_is_held_still_at_enough_places_aligns() {
        let mut gathered = Gathered::default();
        let mut n_taken = 0;
        for place in 0..ENOUGH {
            for tick in 0..100 {
                let time = place as f64 + f64::from(tick) * 0.01;
                match gathered.take(time, &sighting(place), time - 0.02) {
                    Step::Nothing => {}
                    Step::Taken => n_taken += 1,
                    Step::Done(found) => {
                        let residual = found.unwrap().residual;
                        assert!(place == ENOUGH - 1 && n_taken == ENOUGH - 1 && residual < 1e-9);
                        return;
                    }
                }
            }
        }
        panic!("{n_taken} places were not enough");
    }

    #[test]
    fn a_hand_that_moves_or_that_the_headset_saw_elsewhere_does_not_count() {
        let mut moving = Gathered::default();
        for tick in 0..300 {
            let time = f64::from(tick) * 0.01;
            assert_eq!(moving.take(time, &sighting(tick as usize), time), Step::Nothing);
        }
        let mut late = Gathered::default();
        for tick in 0..100 {
            let time = f64::from(tick) * 0.01;
            // As if the headset had last looked before the hand came to rest.
            assert_eq!(late.take(time, &sighting(0), 0.1), Step::Nothing);
        }
    }

    #[test]
    fn what_was_gathered_in_another_room_or_of_something_else_is_forgotten() {
        let here = RoomId::default();
        let gathered = |by| {
            let mut gathered = Gathered::default();
            assert!(gathered.goes_with(here, by));
            gathered.take(0.0, &sighting(0), 0.0);
            assert_eq!(gathered.take(1.0, &sighting(0), 1.0), Step::Taken);
            gathered
        };
        let mut wrist = gathered(SeenBy::Joints);
        assert!(wrist.goes_with(here, SeenBy::Joints));
        // A controller that is seen while the wrist is not may lie on the desk.
        assert!(!wrist.goes_with(here, SeenBy::Controller));
        assert_eq!(wrist.sightings.len(), 1);
        assert!(wrist.goes_with(AlignLink::default().enter(Lasts::ForNow), SeenBy::Joints));
        assert!(wrist.sightings.is_empty() && wrist.still.is_none());
        let mut controller = gathered(SeenBy::Controller);
        assert!(controller.goes_with(here, SeenBy::Joints) && controller.sightings.is_empty());
    }
}
