//! One session with a headset: its states and its frame loop.
#![allow(unsafe_code, reason = "the runtime takes over handles of the graphics device")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use interaction::scene::Scene;
use nalgebra::Isometry3;
use openxr as xr;

use super::align_link::RoomObservation;
use super::board_pointer;
use super::controllers::Controllers;
use super::error::HeadsetError;
use super::eye_swapchain::EyeSwapchain;
use super::eye_views::{EyeView, locate_eyes};
use super::frame_timing::FrameTiming;
use super::hand_tracking::{HandTrackers, SeenBy};
use super::haptic_feedback::HapticFeedback;
use super::headset_link::{HeadsetLink, HeadsetState, MirrorView};
use super::headset_thread::HeadsetOptions;
use super::menu_board::{MenuBoard, WearerInput};
use super::room_space::RoomSpace;
use super::runtime::{BOTH_EYES, Runtime, System};
use super::shared_gpu;
use crate::render::{Antialiasing, Picture, SceneRenderer, Viewport};

/// A session. Fields are dropped in this order: renderers, images, session, runtime. The session
/// keeps the device until the runtime has let go of it.
pub(super) struct XrSession {
    renderer: SceneRenderer,
    eyes: EyeSwapchain,
    room: RoomSpace,
    hands: Option<HandTrackers>,
    controllers: Controllers,
    feedback: HapticFeedback,
    menu: MenuBoard,
    /// Wrists of open bare hands in this frame, left first.
    wrists: [Option<Isometry3<f64>>; 2],
    options: HeadsetOptions,
    waiter: xr::FrameWaiter,
    stream: xr::FrameStream<xr::Vulkan>,
    session: xr::Session<xr::Vulkan>,
    blend: xr::EnvironmentBlendMode,
    runtime: Runtime,
    system: System,
    state: xr::SessionState,
    /// True between the runtime's begin and end of the session.
    is_running: bool,
    timing: FrameTiming,
    pictures: Option<[Picture; 2]>,
}

/// Reason of a session's regular end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionEnd {
    /// The program ended it.
    Stopped,
    /// The wearer closed the program from within the headset.
    Closed,
}

/// Extra work on a drawn frame before the runtime gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterFrame {
    GoOn,
    KeepPictures,
}

/// Pause between two polls for events while nothing is shown.
const IDLE: Duration = Duration::from_millis(10);
/// Time limit for a clean end of the session.
const LONGEST_FAREWELL: Duration = Duration::from_secs(2);

impl XrSession {
    /// Opens a session with the runtime's headset.
    pub(super) fn open(
        runtime: Runtime,
        options: HeadsetOptions,
        link: &HeadsetLink,
    ) -> Result<Self, HeadsetError> {
        let system = runtime.system()?;
        // Needed with a glove, too: alignment with the tracker uses the gloved hand.
        let hands = runtime.hands_of(&system);
        if let (Err(why), true) = (&hands, options.hands) {
            tracing::warn!("{why}");
        }
        let shared = shared_gpu::shared(&runtime, &system)?;
        // SAFETY: the handles are those of a device which the runtime has made for this system, on
        // an instance which it made as well; the guard keeps both until the session is gone. Only
        // this thread submits to its queue, so the runtime's use of the queue never overlaps with
        // ours.
        let (session, waiter, stream) = unsafe {
            runtime.instance.create_session_with_guard::<xr::Vulkan>(
                system.id,
                &shared.handles,
                Box::new(shared.gpu.clone()),
            )
        }?;
        let eyes = EyeSwapchain::new(&runtime, &system, &session, &shared.gpu)?;
        let blend = runtime.instance.enumerate_environment_blend_modes(system.id, BOTH_EYES)?;
        let gpu = &shared.gpu;
        let mut renderer = SceneRenderer::new(
            gpu,
            eyes.format(),
            Antialiasing::at_interactive_speed(&gpu.adapter),
        );
        renderer.upload(&Scene::default());
        Ok(Self {
            renderer,
            eyes,
            room: RoomSpace::new(&session, link)?,
            hands: hands.is_ok().then(|| HandTrackers::new(&session)).transpose()?,
            controllers: Controllers::new(&runtime.instance, &session)?,
            feedback: HapticFeedback::new(&runtime, &system),
            menu: MenuBoard::default(),
            wrists: [None; 2],
            options,
            waiter,
            stream,
            session,
            // The headset prefers the first one.
            blend: blend.first().copied().unwrap_or(xr::EnvironmentBlendMode::OPAQUE),
            runtime,
            system,
            state: xr::SessionState::UNKNOWN,
            is_running: false,
            timing: FrameTiming::default(),
            pictures: None,
        })
    }

    /// Shows scenes until `stop`, or until the wearer closes the program.
    pub(super) fn run(
        &mut self,
        link: &HeadsetLink,
        stop: &AtomicBool,
    ) -> Result<SessionEnd, HeadsetError> {
        let mut farewell: Option<Instant> = None;
        link.set_state(self.in_words());
        link.menu.begin();
        loop {
            link.beat();
            let before = self.state;
            if let Some(end) = self.take_events(link, farewell.is_some())? {
                return Ok(end);
            }
            if self.state != before {
                link.set_state(self.in_words());
            }
            if stop.load(Ordering::Relaxed) && farewell.is_none() {
                if self.is_running && self.options.pictures {
                    self.frame(link, AfterFrame::KeepPictures)?;
                }
                farewell = Some(Instant::now());
                if !self.is_running {
                    return Ok(SessionEnd::Stopped);
                }
                self.session.request_exit()?;
            }
            if farewell.is_some_and(|since| since.elapsed() > LONGEST_FAREWELL) {
                return Ok(SessionEnd::Stopped);
            }
            if self.is_running {
                self.frame(link, AfterFrame::GoOn)?;
            } else {
                std::thread::park_timeout(IDLE);
            }
        }
    }

    /// Returns the frame timing, and the last pictures if they were requested.
    pub(super) fn into_report(mut self) -> (FrameTiming, Option<[Picture; 2]>) {
        (std::mem::take(&mut self.timing), self.pictures.take())
    }

    pub(super) fn timing(&self) -> &FrameTiming {
        &self.timing
    }

    /// Returns the strongest feedback given to each hand, left first.
    pub(super) fn felt(&self) -> [f32; 2] {
        self.feedback.strongest()
    }

    /// Handles the runtime's events since the last call.
    fn take_events(
        &mut self,
        link: &HeadsetLink,
        is_leaving: bool,
    ) -> Result<Option<SessionEnd>, HeadsetError> {
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
                            let end =
                                if is_leaving { SessionEnd::Stopped } else { SessionEnd::Closed };
                            return Ok(Some(end));
                        }
                        xr::SessionState::LOSS_PENDING => return Err(HeadsetError::Ending),
                        _ => {}
                    }
                }
                xr::Event::InstanceLossPending(_) => return Err(HeadsetError::Ending),
                xr::Event::ReferenceSpaceChangePending(change) => {
                    let (kind, time) = (change.reference_space_type(), change.change_time());
                    self.room.will_move(link, kind, time);
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
            _ => HeadsetState::Waiting(format!("{name} is connected, but not worn or not in use")),
        }
    }

    /// Waits for the runtime's next frame and draws it.
    fn frame(&mut self, link: &HeadsetLink, after_frame: AfterFrame) -> Result<(), HeadsetError> {
        let frame = self.waiter.wait()?;
        let start = Instant::now();
        self.stream.begin()?;
        let time = frame.predicted_display_time;
        self.room.place_table(&self.session, link, time)?;
        self.read_hands(link, time)?;
        if !(frame.should_render && self.room.has_table()) {
            return Ok(self.stream.end(time, self.blend, &[])?);
        }
        if let Some(scene) = link.scenes.take() {
            self.renderer.upload(&scene);
            self.menu.see(&scene);
        }
        self.show_menu(link, time)?;
        let uploaded = Instant::now();
        let image = self.eyes.acquire()?;
        let mut moments = [Instant::now(); 3];
        let commands = [0, 1].map(|eye| {
            let target = self.eyes.target(image, eye);
            let commands = self.renderer.record(eye, target, Viewport::whole(target.size));
            moments[eye + 1] = Instant::now();
            commands
        });
        // Eye poses are asked for as late as possible, with all commands ready, because the head
        // keeps moving.
        let Some(sights) = locate_eyes(&self.session, &self.room, time)? else {
            self.eyes.release(image)?;
            return Ok(self.stream.end(time, self.blend, &[])?);
        };
        for (eye, sight) in sights.iter().enumerate() {
            self.renderer.aim(eye, &sight.viewpoint());
        }
        self.renderer.take(commands);
        let aimed = Instant::now();
        if after_frame == AfterFrame::KeepPictures {
            self.pictures = Some(self.eyes.pictures(image)?);
        }
        self.eyes.release(image)?;
        let views = [0, 1].map(|eye| {
            let EyeView { pose_in_room, fov, .. } = sights[eye];
            let picture = self.eyes.sub_image(eye);
            xr::CompositionLayerProjectionView::new().pose(pose_in_room).fov(fov).sub_image(picture)
        });
        let layer = xr::CompositionLayerProjection::new().space(self.room.space()).views(&views);
        self.stream.end(time, self.blend, &[&layer])?;
        let EyeView { world_from_eye, lens, .. } = sights[0];
        link.mirror.put(MirrorView { world_from_eye, lens });
        let [acquired, first, second] = moments;
        self.timing.add([start, uploaded, acquired, first, second, aimed, Instant::now()]);
        Ok(())
    }

    fn show_menu(&mut self, link: &HeadsetLink, time: xr::Time) -> Result<(), HeadsetError> {
        let Some(world_from_head) = self.room.head(time)? else { return Ok(()) };
        let (session, room) = (&self.session, &self.room);
        let input = WearerInput {
            world_from_head,
            wrists: self.wrists,
            aims: [
                self.controllers.aim(session, room, time, 0)?,
                self.controllers.aim(session, room, time, 1)?,
            ],
            button: self.controllers.wants_menu(session)?,
            scale: room.scale(),
        };
        self.menu.update(&input, link, &mut self.renderer, Instant::now());
        Ok(())
    }

    /// Reads hands and controllers, and sends haptic feedback.
    fn read_hands(&mut self, link: &HeadsetLink, time: xr::Time) -> Result<(), HeadsetError> {
        self.controllers.sync(&self.session)?;
        if link.align.is_wanted() {
            self.observe_for_alignment(link, time)?;
        }
        self.feedback.pass_on(link, &self.session, &self.controllers, self.hands.as_ref())?;
        for (hand, mailbox) in link.hands.iter().enumerate() {
            let bare = self.hands.as_ref().map(|hands| hands.seen(&self.room, time, hand));
            let bare = bare.transpose()?.flatten();
            // Needed with a glove, too: the other hand's palm may open the menu.
            let open = bare.filter(|seen| board_pointer::is_open(&seen.pose.angles));
            self.wrists[hand] = open.map(|seen| seen.pose.world_from_wrist);
            if !self.options.hands {
                continue;
            }
            let seen = match bare {
                Some(bare) => Some(bare),
                None => self.controllers.held(&self.session, &self.room, time, hand)?,
            };
            if let Some(seen) = seen {
                mailbox.put(seen);
            }
        }
        Ok(())
    }

    /// Sends the hands for the alignment with a tracker. A tracked hand comes before a controller,
    /// which may lie on the desk.
    fn observe_for_alignment(
        &self,
        link: &HeadsetLink,
        time: xr::Time,
    ) -> Result<(), HeadsetError> {
        for (hand, mailbox) in link.align.sights.iter().enumerate() {
            let arrival = Instant::now();
            let hands = self.hands.as_ref();
            let wrist = hands.map(|hands| hands.wrist_in_room(&self.room, time, hand));
            let (by, room_from_seen) = match wrist.transpose()?.flatten() {
                Some(wrist) => (SeenBy::Joints, Some(wrist)),
                None => {
                    let grip = self.controllers.grip_in_room(&self.room, time, hand)?;
                    (SeenBy::Controller, grip)
                }
            };
            if let Some(room_from_seen) = room_from_seen {
                mailbox.put(RoomObservation { room: self.room.id(), by, room_from_seen, arrival });
            }
        }
        Ok(())
    }
}
