//! The only place that picks devices, object and solver.

mod devices;
mod emulated;
mod grasper;
mod hands;
mod objects;
pub mod person;

use std::sync::Arc;

use ::objects::generate::Kind;
use anyhow::{Context, bail};
use drivers::Hand;
use drivers::recorder::Recorder;
use drivers::recording::DeviceId;
use emulators::Motion;
use engine::{Bell, Budget, Mailbox, Solvers, Workshop};

use crate::calibrate;
use crate::command_line::{Mover, Replay, Run, Squeeze};
use crate::grasp::GraspRules;
use crate::input::Steering;
use crate::session::{Fitting, Head, JOURNAL, Own, Parts, Session, ThingParts, Trace};
use crate::vr::{Headset, Wishes};
use crate::window::Display;

pub(crate) use devices::recorder;
pub use devices::{FingerForces, HandDevices, SecondDevices, live as live_devices, live_hands};
pub use emulated::emulator;
use hands::Hands;
pub(crate) use objects::beside;

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
    pub steering: Steered,
}

/// How mouse and keys reach a hand.
pub struct Steered {
    pub steering: Arc<Mailbox<Steering>>,
    /// Where the hand is at first, if it is theirs.
    pub driven: Option<Steering>,
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
        let Some(Head { rules, fitting, things: recorded_things }) = recorded else {
            let things = objects::things(objects, run)?;
            return Ok(Head {
                rules: GraspRules::with(&run.rules)?,
                fitting: profiles(run)?,
                things,
            });
        };
        let rules = [rules.in_words(), run.rules.clone()].concat();
        Ok(Head {
            rules: GraspRules::with(&rules)?,
            fitting: if run.profile.is_some() { profiles(run)? } else { fitting },
            things: if objects.is_empty() {
                recorded_things
            } else {
                objects::things(objects, run)?
            },
        })
    }
}

/// Starts devices and solver.
pub fn workstation(hand: HandFrom<'_>) -> anyhow::Result<Workstation> {
    let run = hand.run();
    let Head { rules, fitting, things } = hand.begin()?;
    let trace = run
        .trace
        .as_deref()
        .map(|path| {
            Trace::create(path)
                .with_context(|| format!("cannot write the trace {}", path.display()))
        })
        .transpose()?;
    let bell = Arc::new(Bell::default());
    let steering = Arc::new(Mailbox::ringing(Arc::clone(&bell)));
    let headset = headset(hand, &bell)?;
    let Hands { source, driven, recorder, emulated, description } =
        hands::first(hand, &things, &steering, headset.as_ref(), &bell)?;
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
        solvers: solvers.clone(),
        bell,
        trace,
        headset: headset.as_ref().map(|headset| Arc::clone(headset.link())),
        notes: recorder.as_ref().map(|recorder| recorder.notes(JOURNAL_ID, JOURNAL)),
        emulated,
    })
    .context("cannot start the solver")?;
    let steering = Steered { steering, driven };
    Ok(Workstation { session, solvers, description, recorder, steering, headset })
}

/// The headset, if it is asked for, or bare hands that it should see. Without a window, what its wearer saw last is kept as pictures.
fn headset(hand: HandFrom<'_>, bell: &Arc<Bell>) -> anyhow::Result<Option<Headset>> {
    let run = hand.run();
    let hands = matches!(hand, HandFrom::Devices(squeeze) if squeeze.hand == Mover::Openxr);
    let wishes = Wishes { pictures: run.headless || !Display::is_named(), hands };
    let started = (run.vr || hands).then(|| Headset::start(wishes, bell)).transpose();
    started.context("cannot start the headset's thread")
}

/// The person's profiles; a hand that has none is nobody's in particular, and that is said.
fn profiles(run: &Run) -> anyhow::Result<Fitting> {
    let Some(name) = &run.profile else { return Ok(Fitting::of_nobody()) };
    let own = |hand: Hand| {
        calibrate::load(&run.profiles, name, hand).map(|saved| Own::Saved(Box::new(saved)))
    };
    let missing = |hand: Hand, error: anyhow::Error| {
        Own::Missing(match calibrate::is_missing(&error) {
            true => format!("{name} has none for the {} hand", hand.name()),
            false => format!("{error:#}"),
        })
    };
    match (own(Hand::Left), own(Hand::Right)) {
        (Err(left), Err(right))
            if calibrate::is_missing(&left) && calibrate::is_missing(&right) =>
        {
            bail!("there is no profile of {name}; `palpate calibrate --name {name}` makes one")
        }
        (Err(left), Err(right)) => {
            // A file that cannot be used says more than one that is not there.
            let error = if calibrate::is_missing(&right) { left } else { right };
            Err(error).with_context(|| format!("cannot use the profile of {name}"))
        }
        (left, right) => Ok(Fitting::of_person(
            name,
            left.unwrap_or_else(|error| missing(Hand::Left, error)),
            right.unwrap_or_else(|error| missing(Hand::Right, error)),
        )),
    }
}

/// What emulated devices do with the first of these things.
fn script(things: &[ThingParts]) -> anyhow::Result<Motion> {
    match things.first() {
        // The demonstration is fitted to it.
        Some(cube) if cube.name == Kind::Cube.name() => Ok(Motion::grasp_and_squeeze()),
        Some(thing) => grasper::takes(&thing.spec, &thing.home, &grasper::BOTH_SIDES),
        None => Ok(Motion::grasp_and_squeeze()),
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

/// Who solves.
pub fn solvers(options: &Run) -> anyhow::Result<Solvers> {
    Ok(match options.server {
        Some(url) => Solvers::Remote(url),
        None => {
            let threads = options.threads.map(usize::from);
            Solvers::Embedded(Workshop::new(threads, Budget::default())?)
        }
    })
}
