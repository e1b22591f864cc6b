//! The only place that picks devices, object and solver.

mod choice;
mod devices;
mod emulated;
mod grasper;
mod hands;
mod objects;
pub mod person;
mod solvers;

use std::sync::Arc;

use ::objects::generate::Kind;
use anyhow::{Context, bail};
use drivers::Hand;
use drivers::recorder::Recorder;
use drivers::recording::DeviceId;
use emulators::Motion;
use engine::{Bell, Mailbox, Solvers};
use interaction::grasp::GraspRules;
use interaction::thing::ThingParts;
use nalgebra::Isometry3;

use crate::command_line::{Mover, ProfilesFolder, Replay, Run, Squeeze};
use crate::input::Steering;
use crate::profiles;
use crate::session::{Fitting, Head, JOURNAL, Own, Parts, Session, Trace};
use crate::vr::{Headset, Wishes};
use crate::window::Display;

pub use choice::{Doors, HandChoice, OpenedHands, Performance, Playback, ToPlay};
pub(crate) use devices::recorder;
pub use devices::{FingerForces, HandDevices, SecondDevices, live as live_devices, live_hands};
pub use emulated::emulator;
use hands::Hands;
pub use hands::{Expected, open as open_hands};
pub(crate) use objects::{beside, on_table};
pub use solvers::{SolverChoice, chosen_solvers, solvers};

/// The journal's number in our recordings.
pub(crate) const JOURNAL_ID: DeviceId = DeviceId::new(31).expect("31 is below 32");

/// A session with all that it needs, wired up as the command line asks.
pub struct Workstation {
    pub session: Session,
    /// For whatever the person wants solved besides.
    pub solvers: Solvers,
    /// In words, for the person at the desk.
    pub description: String,
    /// To be finished when the session is over.
    pub recorder: Option<Recorder>,
    /// To be finished when the session is over.
    pub headset: Option<Headset>,
    /// Where the hand comes from at first.
    pub hand: FirstHand,
    /// Whose it is, if somebody was named.
    pub person: Option<String>,
    /// What other hands are joined to.
    pub doors: Doors,
}

/// Where the hand comes from at first.
pub struct FirstHand {
    pub choice: HandChoice,
    /// Where it is, if mouse and keys move it.
    pub driven: Option<Steering>,
    pub playback: Option<Playback>,
}

/// Where the hand comes from.
#[derive(Debug, Clone, Copy)]
pub enum HandFrom<'a> {
    Devices(&'a Squeeze),
    Recording(&'a Replay),
}

impl<'a> HandFrom<'a> {
    /// What is done with the hand.
    pub fn run(self) -> &'a Run {
        match self {
            Self::Devices(squeeze) => &squeeze.run,
            Self::Recording(replay) => &replay.run,
        }
    }

    /// What it is done to, by which rules and with whose hands: as the command line says; what it says nothing
    /// of is as it was when a run was recorded.
    fn begin(self) -> anyhow::Result<Head> {
        let run = self.run();
        let recorded = match self {
            Self::Devices(_) => None,
            Self::Recording(replay) => Head::read(&replay.file).with_context(|| {
                format!("cannot replay {} with what it was recorded with", replay.file.display())
            })?,
        };
        let objects = match self {
            Self::Devices(squeeze) => &squeeze.objects,
            Self::Recording(replay) => &replay.objects,
        };
        let Some(Head { rules, fitting, things: recorded_things, states }) = recorded else {
            let things = objects::things(objects, run)?;
            return Ok(Head {
                rules: GraspRules::with(&run.rules)?,
                fitting: profiles(run)?,
                things,
                states: Vec::new(),
            });
        };
        let rules = [rules.in_words(), run.rules.clone()].concat();
        let (things, states) = match objects.is_empty() {
            true => (recorded_things, states),
            false => (objects::things(objects, run)?, Vec::new()),
        };
        Ok(Head {
            rules: GraspRules::with(&rules)?,
            fitting: if run.profile.is_some() { profiles(run)? } else { fitting },
            things,
            states,
        })
    }
}

/// Starts devices and solver.
pub fn workstation(hand: HandFrom<'_>) -> anyhow::Result<Workstation> {
    let run = hand.run();
    let Head { rules, fitting, things, states } = hand.begin()?;
    let trace = run
        .trace
        .as_deref()
        .map(|path| {
            Trace::create(path)
                .with_context(|| format!("cannot write the trace {}", path.display()))
        })
        .transpose()?;
    let bell = Arc::new(Bell::default());
    let headset = headset(hand, &bell)?;
    let choice = HandChoice::of(hand);
    let doors = Doors {
        profiles: run.profiles.clone(),
        bell: Arc::clone(&bell),
        steering: Arc::new(Mailbox::ringing(Arc::clone(&bell))),
        headset: match &choice {
            HandChoice::Headset => headset.as_ref().map(|headset| Arc::clone(headset.link())),
            _ => None,
        },
    };
    let record = match hand {
        HandFrom::Devices(squeeze) => squeeze.record.as_deref(),
        HandFrom::Recording(_) => None,
    };
    let Hands { source, driven, playback, recorder, emulated, description, .. } =
        hands::first(&choice, things.first(), &doors, record)?;
    let description = format!(
        "{description} {}, {}",
        in_words(&things),
        match &run.server {
            Some(url) => format!("solved by {url}"),
            None => "solved in this process".to_owned(),
        }
    );
    let solvers = solvers(run)?;
    let session = Session::new(Parts {
        hands: source,
        fitting,
        rules,
        things,
        states,
        solvers: solvers.clone(),
        bell,
        trace,
        headset: headset.as_ref().map(|headset| Arc::clone(headset.link())),
        // Whoever is named later may have an alignment to keep; without a home folder nobody can be named.
        profiles: profiles::store(&run.profiles).ok(),
        notes: recorder.as_ref().map(|recorder| recorder.notes(JOURNAL_ID, JOURNAL)),
        emulated,
    })
    .context("cannot start the solver")?;
    let hand = FirstHand { choice, driven, playback };
    let person = run.profile.clone();
    Ok(Workstation { session, solvers, description, recorder, headset, hand, person, doors })
}

/// The headset, if it is asked for, or bare hands that it should see. Without a window, what its wearer saw last is kept as pictures.
fn headset(hand: HandFrom<'_>, bell: &Arc<Bell>) -> anyhow::Result<Option<Headset>> {
    let run = hand.run();
    let hands = matches!(hand, HandFrom::Devices(squeeze) if squeeze.hand == Some(Mover::Openxr));
    let pictures = run.headless || !Display::is_named();
    let wishes = Wishes { pictures, hands, placing: run.headset.into() };
    let started = (run.vr || hands).then(|| Headset::start(wishes, bell)).transpose();
    started.context("cannot start the headset's thread")
}

fn profiles(run: &Run) -> anyhow::Result<Fitting> {
    fitting(run.profile.as_deref(), &run.profiles)
}

/// A person's profiles; a hand that has none is nobody's in particular, and that is said.
pub fn fitting(person: Option<&str>, folder: &ProfilesFolder) -> anyhow::Result<Fitting> {
    let Some(name) = person else { return Ok(Fitting::of_nobody()) };
    let own =
        |hand: Hand| profiles::load(folder, name, hand).map(|saved| Own::Saved(Box::new(saved)));
    let missing = |hand: Hand, error: anyhow::Error| {
        Own::Missing(match profiles::is_missing(&error) {
            true => format!("{name} has none for the {} hand", hand.name()),
            false => format!("{error:#}"),
        })
    };
    match (own(Hand::Left), own(Hand::Right)) {
        (Err(left), Err(right)) if profiles::is_missing(&left) && profiles::is_missing(&right) => {
            bail!("there is no profile of {name}; `palpate calibrate --name {name}` makes one")
        }
        (Err(left), Err(right)) => {
            // A file that cannot be used says more than one that is not there.
            let error = if profiles::is_missing(&right) { left } else { right };
            Err(error).with_context(|| format!("cannot use the profile of {name}"))
        }
        (left, right) => Ok(Fitting::of_person(
            name,
            left.unwrap_or_else(|error| missing(Hand::Left, error)),
            right.unwrap_or_else(|error| missing(Hand::Right, error)),
        )),
    }
}

/// What emulated devices do with this thing.
fn script(thing: Option<&ThingParts>) -> anyhow::Result<Motion> {
    /// From where the demonstration finds it, in metres.
    const FARTHEST: f64 = 1e-3;
    // The demonstration is fitted to it, where it stands at first.
    let is_demonstrated = |thing: &ThingParts| {
        let Isometry3 { rotation, translation } = thing.home;
        let away = translation.vector.xz().norm();
        thing.name == Kind::Cube.name() && away < FARTHEST && rotation.angle() < FARTHEST
    };
    match thing {
        Some(thing) if !is_demonstrated(thing) => {
            grasper::takes(&thing.spec, &thing.home, &grasper::BOTH_SIDES)
        }
        Some(_) | None => Ok(Motion::grasp_and_squeeze()),
    }
}

/// "a cube of 343 nodes and a strawberry of 800 nodes".
fn in_words(things: &[ThingParts]) -> String {
    let words: Vec<String> = things
        .iter()
        .map(|thing| format!("a soft {} of {} nodes", thing.name, thing.spec.n_nodes()))
        .collect();
    words.join(" and ")
}
