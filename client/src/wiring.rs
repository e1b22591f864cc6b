//! Builds a session from the command line: the only place that chooses devices, objects and solver.

mod emulated_devices;
pub mod emulated_person;
mod grasp_motion;
mod hand_choice;
mod hand_devices;
mod push_device;
mod resting_turn;
mod solvers;
mod start_hands;
mod things;

use std::sync::Arc;

use ::objects::generate::GeneratedKind;
use anyhow::{Context, bail};
use drivers::Side;
use drivers::recorder::Recorder;
use drivers::recording::DeviceId;
use emulators::Motion;
use engine::{Bell, Mailbox, SolverLocation};
use interaction::grasp::GraspRules;
use interaction::thing::ThingParts;
use nalgebra::Isometry3;
use physics::contact::ContactSettings;
use physics::{Grip, Snapshot};

use crate::command_line::{
    ContactChoice, ProfilesFolder, ReplayOptions, RunOptions, SqueezeOptions,
};
use crate::input::Steering;
use crate::profiles;
use crate::session::{
    JOURNAL, LoadedProfile, ProfilesInUse, RunStart, Session, SessionParts, Trace,
};
use crate::vr::{Headset, HeadsetOptions};
use crate::window::Display;

pub use emulated_devices::emulator;
pub use hand_choice::{
    EmulatedPerformance, HandChoice, HandSourceContext, OpenedHands, Playback, RecordingChoice,
};
pub(crate) use hand_devices::recorder;
pub use hand_devices::{HandDevices, SecondDevices, live as live_devices, live_hands};
pub use solvers::{SolverChoice, chosen_solvers, solvers};
use start_hands::StartedHands;
pub use start_hands::{DevicesExpected, open as open_hands};
pub(crate) use things::{beside, held_if_possible, on_table};

/// Device number of the journal in our recordings.
pub(crate) const JOURNAL_ID: DeviceId = DeviceId::new(31).expect("31 is below 32");

/// A session with its devices, objects and solver, as the command line asks.
pub struct Workstation {
    pub session: Session,
    /// Solvers for objects that are added later.
    pub solvers: SolverLocation,
    /// Description for the user.
    pub description: String,
    /// Recorder of the run; must be finished after the session.
    pub recorder: Option<Recorder>,
    /// The headset's thread; must be finished after the session.
    pub headset: Option<Headset>,
    /// Initial source of the hand.
    pub hand: InitialHand,
    /// Profile of the hand, if one was named.
    pub person: Option<String>,
    /// Connections for hands of other sources.
    pub hand_context: HandSourceContext,
}

/// Initial source of the hand.
pub struct InitialHand {
    pub choice: HandChoice,
    /// Initial pose, if mouse and keys move the hand.
    pub driven: Option<Steering>,
    pub playback: Option<Playback>,
}

/// Options of a workstation.
#[derive(Debug, Clone, Copy)]
pub enum WorkstationOptions<'a> {
    Squeeze(&'a SqueezeOptions),
    Replay(&'a ReplayOptions),
}

impl<'a> WorkstationOptions<'a> {
    /// Options of the run.
    pub fn run(self) -> &'a RunOptions {
        match self {
            Self::Squeeze(squeeze) => &squeeze.run,
            Self::Replay(replay) => &replay.run,
        }
    }

    /// Returns objects, rules and profiles from the command line; missing ones come from the
    /// recorded run.
    fn begin(self) -> anyhow::Result<RunStart> {
        let run = self.run();
        let recorded = match self {
            Self::Squeeze(_) => None,
            Self::Replay(replay) => RunStart::read(&replay.file)
                .with_context(|| format!("cannot replay {}", replay.file.display()))?,
        };
        let objects = match self {
            Self::Squeeze(squeeze) => &squeeze.objects,
            Self::Replay(replay) => &replay.objects,
        };
        let Some(RunStart { rules, profiles_in_use, things: recorded_things, states }) = recorded
        else {
            let things = things::things(objects, run)?;
            return Ok(RunStart {
                rules: GraspRules::with(&run.rules)?,
                profiles_in_use: profiles(run)?,
                things,
                states: Vec::new(),
            });
        };
        let rules = [rules.in_words(), run.rules.clone()].concat();
        let (things, states) = match objects.is_empty() {
            true => {
                let mut recorded = (recorded_things, states);
                set_grip(&mut recorded.0, &mut recorded.1, &run.contact)?;
                recorded
            }
            false => (things::things(objects, run)?, Vec::new()),
        };
        Ok(RunStart {
            rules: GraspRules::with(&rules)?,
            profiles_in_use: if run.profile.is_some() { profiles(run)? } else { profiles_in_use },
            things,
            states,
        })
    }
}

/// Gives recorded things the grip that the command line asks for. Things that get another one lose
/// their recorded states.
fn set_grip(
    things: &mut [ThingParts],
    states: &mut Vec<(usize, Arc<Snapshot>)>,
    wanted: &ContactChoice,
) -> anyhow::Result<()> {
    for (i, thing) in things.iter_mut().enumerate() {
        let before = *thing.spec.contact_settings();
        let other = wanted.settings();
        let contact = ContactSettings {
            friction: if wanted.friction.is_some() { other.friction } else { before.friction },
            pad: if wanted.skin_softness.is_some() { other.pad } else { before.pad },
            ..before
        };
        let grip = wanted.grip.map_or(thing.spec.grip(), Grip::from);
        if contact == before && grip == thing.spec.grip() {
            continue;
        }
        let spec = thing.spec.with_contact_settings(contact).and_then(|spec| spec.held_by(grip));
        thing.spec = Arc::new(spec.with_context(|| format!("cannot squeeze {}", thing.name))?);
        // The recorded state is of other matter.
        states.retain(|(thing, _)| *thing != i);
    }
    Ok(())
}

/// Starts devices and solver.
pub fn workstation(options: WorkstationOptions<'_>) -> anyhow::Result<Workstation> {
    let run = options.run();
    let RunStart { rules, profiles_in_use, things, states } = options.begin()?;
    let trace = run
        .trace
        .as_deref()
        .map(|path| {
            Trace::create(path)
                .with_context(|| format!("cannot write the trace {}", path.display()))
        })
        .transpose()?;
    let bell = Arc::new(Bell::default());
    let choice = HandChoice::of(options);
    let headset = headset(options, &choice, &bell)?;
    let hand_context = HandSourceContext {
        profiles: run.profiles.clone(),
        bell: Arc::clone(&bell),
        steering: Arc::new(Mailbox::ringing(Arc::clone(&bell))),
        headset: headset
            .as_ref()
            .filter(|_| choice.needs_headset())
            .map(|headset| Arc::clone(headset.link())),
    };
    let record = match options {
        WorkstationOptions::Squeeze(squeeze) => {
            squeeze.record.as_deref().map(|path| (path, run.existing.into()))
        }
        WorkstationOptions::Replay(_) => None,
    };
    let StartedHands { source, driven, playback, recorder, emulated, description, .. } =
        start_hands::start_first(&choice, things.first(), &hand_context, record)?;
    let description = format!(
        "{description} {}, {}",
        in_words(&things),
        match &run.server {
            Some(url) => format!("solved by {url}"),
            None => "solved in this process".to_owned(),
        }
    );
    let solvers = solvers(run)?;
    let session = Session::new(SessionParts {
        hands: source,
        profiles_in_use,
        rules,
        things,
        states,
        solvers: solvers.clone(),
        bell,
        trace,
        headset: headset.as_ref().map(|headset| Arc::clone(headset.link())),
        // A profile chosen later may have an alignment to save. Without a home folder there are no
        // profiles.
        profile_store: profiles::store(&run.profiles).ok(),
        notes: recorder.as_ref().map(|recorder| recorder.notes(JOURNAL_ID, JOURNAL)),
        emulated,
    })
    .context("cannot start the solver")?;
    let push_device = match options {
        WorkstationOptions::Squeeze(squeeze) => push_device::push_device(squeeze)?,
        WorkstationOptions::Replay(_) => None,
    };
    let session = session.with_push_device(push_device);
    let hand = InitialHand { choice, driven, playback };
    let person = run.profile.clone();
    Ok(Workstation { session, solvers, description, recorder, headset, hand, person, hand_context })
}

/// Starts the headset if `--vr` or the source of the hand asks for it. Without a window, the
/// wearer's last pictures are kept.
fn headset(
    options: WorkstationOptions<'_>,
    choice: &HandChoice,
    bell: &Arc<Bell>,
) -> anyhow::Result<Option<Headset>> {
    let run = options.run();
    let hands = choice.needs_headset();
    let pictures = run.headless || !Display::is_named();
    let headset_options = HeadsetOptions { pictures, hands, placement: run.headset.into() };
    let started = (run.vr || hands).then(|| Headset::start(headset_options, bell)).transpose();
    started.context("cannot start the headset's thread")
}

fn profiles(run: &RunOptions) -> anyhow::Result<ProfilesInUse> {
    profiles_in_use(run.profile.as_deref(), &run.profiles)
}

/// Loads a person's profiles. A hand without a profile gets an average one, with a warning.
pub fn profiles_in_use(
    person: Option<&str>,
    folder: &ProfilesFolder,
) -> anyhow::Result<ProfilesInUse> {
    let Some(name) = person else { return Ok(ProfilesInUse::anonymous()) };
    let own = |hand: Side| {
        profiles::load(folder, name, hand).map(|saved| LoadedProfile::Saved(Box::new(saved)))
    };
    let missing = |hand: Side, error: anyhow::Error| {
        LoadedProfile::Missing(match profiles::is_missing(&error) {
            true => format!("{name} has none for the {} hand", hand.name()),
            false => format!("{error:#}"),
        })
    };
    match (own(Side::Left), own(Side::Right)) {
        (Err(left), Err(right)) if profiles::is_missing(&left) && profiles::is_missing(&right) => {
            bail!("there is no profile of {name}; `palpate calibrate --name {name}` makes one")
        }
        (Err(left), Err(right)) => {
            // An unusable file is a better explanation than a missing one.
            let error = if profiles::is_missing(&right) { left } else { right };
            Err(error).with_context(|| format!("cannot use the profile of {name}"))
        }
        (left, right) => Ok(ProfilesInUse::of_person(
            name,
            left.unwrap_or_else(|error| missing(Side::Left, error)),
            right.unwrap_or_else(|error| missing(Side::Right, error)),
        )),
    }
}

/// Returns the motion of emulated devices for this object.
fn script(thing: Option<&ThingParts>) -> anyhow::Result<Motion> {
    /// Offset from the demonstration's object, in metres.
    const FARTHEST: f64 = 1e-3;
    // The demonstration is fitted to the object at its initial position.
    let is_demonstrated = |thing: &ThingParts| {
        let Isometry3 { rotation, translation } = thing.home;
        let away = translation.vector.xz().norm();
        let is_placed = away < FARTHEST && rotation.angle() < FARTHEST;
        thing.name == GeneratedKind::Cube.name() && is_placed && thing.spec.grip() == Grip::Nodes
    };
    match thing {
        Some(thing) if !is_demonstrated(thing) => {
            grasp_motion::grasp_motion(&thing.spec, &thing.home, &grasp_motion::BOTH_SIDES)
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
