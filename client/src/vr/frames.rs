//! One session with a headset: its states, and one frame after the other.
#![allow(unsafe_code, reason = "the runtime takes over handles of the graphics device")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use image::RgbaImage;
use nalgebra::Isometry3;
use openxr as xr;

use super::error::HeadsetError;
use super::eyes::{Acquired, Eyes};
use super::gpu;
use super::hands::HandTrackers;
use super::link::{HeadsetLink, HeadsetState, Mirror};
use super::runtime::{BOTH_EYES, Runtime, System};
use super::table::{isometry, room_from_world};
use super::timing::Timing;
use super::worker::Wishes;
use crate::render::{Lens, Part, SceneRenderer, Viewpoint};
use crate::scene::Scene;

/// A session. Fields are dropped in this order: what draws, then the images, then the session, then the runtime.
/// The session keeps the device until the runtime has let go of it.
pub(super) struct Frames {
    renderer: SceneRenderer,
    eyes: Eyes,
    /// Where the runtime says that things are: about where the wearer was when it began.
    room: xr::Space,
    head: xr::Space,
    hands: Option<HandTrackers>,
    waiter: xr::FrameWaiter,
    stream: xr::FrameStream<xr::Vulkan>,
    session: xr::Session<xr::Vulkan>,
    blend: xr::EnvironmentBlendMode,
    runtime: Runtime,
    system: System,
    state: xr::SessionState,
    /// Between its begin and its end, as the runtime wants them.
    is_running: bool,
    /// `None` until the head has been seen.
    world_from_room: Option<Isometry3<f64>>,
    /// How often that has changed.
    n_tables: u32,
    /// When the runtime moves the room, if it has said so.
    table_due: Option<xr::Time>,
    timing: Timing,
    pictures: Option<[RgbaImage; 2]>,
}

/// How a session ended that did not break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// As we wanted.
    Stopped,
    /// The wearer has closed us from within the headset.
    Closed,
}

/// What is done with a frame before the runtime gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AndThen {
    GoOn,
    KeepPictures,
}

/// What an eye sees, and from where.
struct Sight {
    pose_in_room: xr::Posef,
    room_from_eye: Isometry3<f64>,
    fov: xr::Fovf,
}

/// Between two looks for news while nothing is shown.
const IDLE: Duration = Duration::from_millis(10);
/// Nearer, nobody sees a thing sharply; farther, there is only the ground.
const NEAR: f64 = 0.02;
const FAR: f64 = 20.0;
/// A runtime that lets us wait longer for a clean end is left.
const LONGEST_FAREWELL: Duration = Duration::from_secs(2);

impl Frames {
    /// Begins a session with the headset that the runtime has.
    pub(super) fn open(runtime: Runtime, wishes: Wishes) -> Result<Self, HeadsetError> {
        let system = runtime.system()?;
        if wishes.hands {
            runtime.hands_of(&system)?;
        }
        let shared = gpu::shared(&runtime, &system)?;
        // SAFETY: the handles are those of a device which the runtime has made for this system, on an instance
        // which it made as well; the guard keeps both until the session is gone. Only this thread submits to its
        // queue, so that nobody does while the runtime uses it.
        let (session, waiter, stream) = unsafe {
            runtime.instance.create_session_with_guard::<xr::Vulkan>(
                system.id,
                &shared.handles,
                Box::new(shared.gpu.clone()),
            )
        }?;
        let eyes = Eyes::new(&runtime, &system, &session, &shared.gpu)?;
        let space = |kind| session.create_reference_space(kind, xr::Posef::IDENTITY);
        let blend = runtime.instance.enumerate_environment_blend_modes(system.id, BOTH_EYES)?;
        let mut renderer = SceneRenderer::new(&shared.gpu.device, &shared.gpu.queue, eyes.format());
        renderer.upload(&Scene::default());
        Ok(Self {
            renderer,
            eyes,
            room: space(xr::ReferenceSpaceType::LOCAL)?,
            head: space(xr::ReferenceSpaceType::VIEW)?,
            hands: wishes.hands.then(|| HandTrackers::new(&session)).transpose()?,
            waiter,
            stream,
            session,
            // The first is what the headset likes best.
            blend: blend.first().copied().unwrap_or(xr::EnvironmentBlendMode::OPAQUE),
            runtime,
            system,
            state: xr::SessionState::UNKNOWN,
            is_running: false,
            world_from_room: None,
            n_tables: 0,
            table_due: None,
            timing: Timing::default(),
            pictures: None,
        })
    }

    /// Shows scenes until `stop`, or until the wearer closes us.
    pub(super) fn run(
        &mut self,
        link: &HeadsetLink,
        stop: &AtomicBool,
        wishes: Wishes,
    ) -> Result<End, HeadsetError> {
        let mut farewell: Option<Instant> = None;
        link.set_state(self.in_words());
        loop {
            let before = self.state;
            if let Some(end) = self.take_events(farewell.is_some())? {
                return Ok(end);
            }
            if self.state != before {
                link.set_state(self.in_words());
            }
            if stop.load(Ordering::Relaxed) && farewell.is_none() {
                if self.is_running && wishes.pictures {
                    self.frame(link, AndThen::KeepPictures)?;
                }
                farewell = Some(Instant::now());
                if !self.is_running {
                    return Ok(End::Stopped);
                }
                self.session.request_exit()?;
            }
            if farewell.is_some_and(|since| since.elapsed() > LONGEST_FAREWELL) {
                return Ok(End::Stopped);
            }
            if self.is_running {
                self.frame(link, AndThen::GoOn)?;
            } else {
                std::thread::park_timeout(IDLE);
            }
        }
    }

    /// What was measured, and the pictures if they were wanted.
    pub(super) fn into_report(mut self) -> (Timing, Option<[RgbaImage; 2]>) {
        (std::mem::take(&mut self.timing), self.pictures.take())
    }

    pub(super) fn timing(&self) -> &Timing {
        &self.timing
    }

    /// What happened in the runtime since the last look.
    fn take_events(&mut self, is_leaving: bool) -> Result<Option<End>, HeadsetError> {
        let mut storage = xr::EventDataBuffer::new();
        while let Some(event) = self.runtime.instance.poll_event(&mut storage)? {
            match event {
                xr::Event::SessionStateChanged(change) => {
                    self.state = change.state();
                    tracing::debug!(state = ?self.state, "the headset's session");
                    match self.state {
                        xr::SessionState::READY => {
                            self.session.begin(BOTH_EYES)?;
                            self.is_running = true;
                        }
                        xr::SessionState::STOPPING => {
                            self.is_running = false;
                            self.session.end()?;
                        }
                        xr::SessionState::EXITING => {
                            let end = if is_leaving { End::Stopped } else { End::Closed };
                            return Ok(Some(end));
                        }
                        xr::SessionState::LOSS_PENDING => return Err(HeadsetError::Ending),
                        _ => {}
                    }
                }
                xr::Event::InstanceLossPending(_) => return Err(HeadsetError::Ending),
                // Somebody has recentred the room: the table comes along.
                xr::Event::ReferenceSpaceChangePending(change)
                    if change.reference_space_type() == xr::ReferenceSpaceType::LOCAL =>
                {
                    self.table_due = Some(change.change_time());
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn in_words(&self) -> HeadsetState {
        let name = &self.system.name;
        match self.state {
            xr::SessionState::FOCUSED => HeadsetState::Showing(name.clone()),
            xr::SessionState::VISIBLE => HeadsetState::Showing(format!("{name}, behind its menu")),
            _ => HeadsetState::Waiting(format!("{name} is there, but nobody looks into it")),
        }
    }

    /// Waits for the runtime's next frame and draws it.
    fn frame(&mut self, link: &HeadsetLink, and_then: AndThen) -> Result<(), HeadsetError> {
        let frame = self.waiter.wait()?;
        let start = Instant::now();
        self.stream.begin()?;
        let time = frame.predicted_display_time;
        self.place_table(link, time)?;
        self.look_for_hands(link, time)?;
        let Some(world_from_room) = self.world_from_room.filter(|_| frame.should_render) else {
            return Ok(self.stream.end(time, self.blend, &[])?);
        };
        if let Some(scene) = link.scenes.take() {
            self.renderer.upload(&scene);
        }
        let uploaded = Instant::now();
        let image = self.eyes.acquire()?;
        // As late as can be: the head goes on moving meanwhile.
        let located = Instant::now();
        let Some(sights) = self.sights(time)? else {
            self.eyes.release(image)?;
            return Ok(self.stream.end(time, self.blend, &[])?);
        };
        let mut eyes_done = [located; 2];
        for (eye, sight) in sights.iter().enumerate() {
            self.draw(image, eye, &(world_from_room * sight.room_from_eye), &sight.lens());
            eyes_done[eye] = Instant::now();
        }
        if and_then == AndThen::KeepPictures {
            self.pictures = Some(self.eyes.pictures(image)?);
        }
        self.eyes.release(image)?;
        let views = [0, 1].map(|eye| {
            xr::CompositionLayerProjectionView::new()
                .pose(sights[eye].pose_in_room)
                .fov(sights[eye].fov)
                .sub_image(self.eyes.sub_image(eye))
        });
        let layer = xr::CompositionLayerProjection::new().space(&self.room).views(&views);
        self.stream.end(time, self.blend, &[&layer])?;
        link.mirror.put(Mirror {
            world_from_eye: world_from_room * sights[0].room_from_eye,
            lens: sights[0].lens(),
        });
        self.timing.add([start, uploaded, located, eyes_done[0], eyes_done[1], Instant::now()]);
        Ok(())
    }

    /// In front of the wearer as soon as the head is seen, and whenever it is asked for.
    fn place_table(&mut self, link: &HeadsetLink, now: xr::Time) -> Result<(), HeadsetError> {
        if self.table_due.is_some_and(|due| now.as_nanos() >= due.as_nanos()) || link.takes_table()
        {
            self.table_due = None;
            self.world_from_room = None;
            self.n_tables += 1;
        }
        if self.world_from_room.is_none() {
            let head = self.head.locate(&self.room, now)?;
            let needed =
                xr::SpaceLocationFlags::POSITION_VALID | xr::SpaceLocationFlags::ORIENTATION_VALID;
            if head.location_flags.contains(needed) {
                self.world_from_room =
                    isometry(&head.pose).map(|head| room_from_world(&head).inverse());
            }
        }
        Ok(())
    }

    fn look_for_hands(&self, link: &HeadsetLink, time: xr::Time) -> Result<(), HeadsetError> {
        let (Some(hands), Some(world_from_room)) = (&self.hands, &self.world_from_room) else {
            return Ok(());
        };
        for (seen, mailbox) in hands
            .seen(&self.room, time, (world_from_room, self.n_tables))?
            .into_iter()
            .zip(&link.hands)
        {
            if let Some(seen) = seen {
                mailbox.put(seen);
            }
        }
        Ok(())
    }

    /// Where the eyes will be at that time; `None` while the runtime does not know.
    fn sights(&self, time: xr::Time) -> Result<Option<[Sight; 2]>, HeadsetError> {
        let (flags, views) = self.session.locate_views(BOTH_EYES, time, &self.room)?;
        let needed = xr::ViewStateFlags::POSITION_VALID | xr::ViewStateFlags::ORIENTATION_VALID;
        let [left, right] = views[..] else { return Ok(None) };
        if !flags.contains(needed) {
            return Ok(None);
        }
        let sight = |view: xr::View| {
            let room_from_eye = isometry(&view.pose)?;
            Some(Sight { pose_in_room: view.pose, room_from_eye, fov: view.fov })
        };
        Ok(sight(left).zip(sight(right)).map(|(left, right)| [left, right]))
    }

    fn draw(&mut self, image: Acquired, eye: usize, world_from_eye: &Isometry3<f64>, lens: &Lens) {
        let target = self.eyes.target(image, eye);
        let viewpoint = Viewpoint::of_eye(world_from_eye, lens);
        self.renderer.draw(&viewpoint, target, Part::whole(target.size));
    }
}

impl Sight {
    fn lens(&self) -> Lens {
        let xr::Fovf { angle_left, angle_right, angle_up, angle_down } = self.fov;
        let [left, right, up, down] =
            [angle_left, angle_right, angle_up, angle_down].map(f64::from);
        Lens { left, right, up, down, near: NEAR, far: FAR }
    }
}
