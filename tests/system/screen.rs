//! A virtual display with a person's hands and eyes: keys, clicks, and what can be seen.

use std::fs::File;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ClientMessageEvent, ConnectionExt,
    EventMask, ImageFormat, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MOTION_NOTIFY_EVENT,
    MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use crate::keys::SHIFT;
use crate::program::{PATIENCE, Program, until_next_look};

/// A virtual screen.
pub(crate) struct Screen {
    _server: Program,
    pub(crate) name: String,
    connection: RustConnection,
    root: Window,
}

impl Screen {
    pub(crate) fn start() -> Self {
        // The server picks a free display and prints its number, perhaps after words about those in
        // use.
        let server = Program::start(
            "Xvfb",
            Command::new("Xvfb").args(["-displayfd", "1", "-screen", "0", "1280x720x24"]),
        );
        let number = server.wait_for_line(|line| line.parse::<u32>().is_ok());
        let name = format!(":{number}");
        let (connection, screen) = RustConnection::connect(Some(&name)).unwrap();
        let root = connection.setup().roots[screen].root;
        Self { _server: server, name, connection, root }
    }

    /// The window with this title, once it can be seen.
    pub(crate) fn window(&self, title: &str) -> Window {
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "no window {title:?} has opened");
            let tree = self.connection.query_tree(self.root).unwrap().reply().unwrap();
            let titled = |window: &Window| {
                let name = self
                    .connection
                    .get_property(false, *window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64)
                    .ok()
                    .and_then(|request| request.reply().ok());
                name.is_some_and(|name| name.value == title.as_bytes())
            };
            let is_seen = |window: &Window| {
                let attributes = self.connection.get_window_attributes(*window).ok();
                let attributes = attributes.and_then(|request| request.reply().ok());
                attributes.is_some_and(|known| known.map_state == MapState::VIEWABLE)
            };
            if let Some(window) = tree.children.into_iter().find(titled).filter(is_seen) {
                return window;
            }
            until_next_look();
        }
    }

    /// Watches the screen until it meets a condition.
    pub(crate) fn wait_to_see(&self, what: &str, is_seen: impl Fn(&Picture) -> bool) -> Picture {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let picture = self.picture();
            if is_seen(&picture) {
                return picture;
            }
            if Instant::now() >= deadline {
                let (shares, file) = (picture.shares(), picture.keep());
                panic!("never saw {what}; now {shares:?}, in {}", file.display());
            }
            until_next_look();
        }
    }

    pub(crate) fn picture(&self) -> Picture {
        let (width, height) = (1280, 720);
        let image = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, width, height, u32::MAX)
            .unwrap()
            .reply()
            .unwrap();
        // 24-bit screens of this server store blue, green, red, nothing.
        Picture { pixels: image.data.chunks_exact(4).map(|p| [p[2], p[1], p[0]]).collect() }
    }

    /// Gives a window the keyboard focus, as a window manager would for the newest window.
    pub(crate) fn focus(&self, window: Window) {
        let now = x11rb::CURRENT_TIME;
        self.connection.set_input_focus(InputFocus::PARENT, window, now).unwrap().check().unwrap();
    }

    /// Presses a key and lets it go, as the real keyboard would.
    pub(crate) fn press(&self, keysym: u32) {
        self.press_with(&[], keysym);
    }

    /// The same while others are held.
    pub(crate) fn press_with(&self, held: &[u32], keysym: u32) {
        let held: Vec<u8> = held.iter().map(|held| self.code(*held)).collect();
        for code in &held {
            self.fake(KEY_PRESS_EVENT, *code, [0, 0]);
        }
        for event in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
            self.fake(event, self.code(keysym), [0, 0]);
        }
        for code in held.iter().rev() {
            self.fake(KEY_RELEASE_EVENT, *code, [0, 0]);
        }
    }

    /// Types small letters, digits, and what stands in paths and addresses.
    pub(crate) fn type_text(&self, text: &str) {
        for letter in text.bytes() {
            let held = if letter == b':' { &[SHIFT][..] } else { &[] };
            self.press_with(held, u32::from(letter));
        }
    }

    fn code(&self, keysym: u32) -> u8 {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let keyboard = self.connection.get_keyboard_mapping(first, last - first + 1);
        let keyboard = keyboard.unwrap().reply().unwrap();
        let per_key = usize::from(keyboard.keysyms_per_keycode);
        let mut keys = keyboard.keysyms.chunks(per_key);
        let place = keys.position(|key| key.contains(&keysym)).expect("the key is there");
        first + u8::try_from(place).unwrap()
    }

    /// Moves the pointer and clicks.
    pub(crate) fn click(&self, at: [i16; 2]) {
        self.click_button(1, at);
    }

    /// The same with the right button.
    pub(crate) fn click_right(&self, at: [i16; 2]) {
        self.click_button(3, at);
    }

    /// Moves the pointer.
    pub(crate) fn point(&self, at: [i16; 2]) {
        self.fake(MOTION_NOTIFY_EVENT, 0, at);
    }

    /// Presses the left button and holds it down until the program has seen enough of it.
    pub(crate) fn hold_while(&self, until: impl FnOnce()) {
        self.fake(BUTTON_PRESS_EVENT, 1, [0, 0]);
        until();
        self.fake(BUTTON_RELEASE_EVENT, 1, [0, 0]);
    }

    fn click_button(&self, button: u8, at: [i16; 2]) {
        self.fake(MOTION_NOTIFY_EVENT, 0, at);
        for event in [BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT] {
            self.fake(event, button, [0, 0]);
        }
    }

    fn fake(&self, event: u8, detail: u8, [x, y]: [i16; 2]) {
        let sent = self.connection.xtest_fake_input(event, detail, 0, self.root, x, y, 0);
        sent.unwrap().check().unwrap();
    }

    /// Sends the message of a window manager's close button.
    pub(crate) fn press_close_button(&self, window: Window) {
        let atom = |name: &str| {
            self.connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
        };
        let message = ClientMessageEvent::new(
            32,
            window,
            atom("WM_PROTOCOLS"),
            [atom("WM_DELETE_WINDOW"), 0, 0, 0, 0],
        );
        self.connection.send_event(false, window, EventMask::NO_EVENT, message).unwrap();
        self.connection.flush().unwrap();
    }
}

pub(crate) struct Picture {
    pub(crate) pixels: Vec<[u8; 3]>,
}

impl Picture {
    pub(crate) fn share(&self, is_it: impl Fn([i32; 3]) -> bool) -> f64 {
        let count = self.pixels.iter().filter(|p| is_it(p.map(i32::from))).count();
        count as f64 / self.pixels.len() as f64
    }

    /// Coral, or yellow where it is squeezed.
    pub(crate) fn object(&self) -> f64 {
        self.share(|[r, _, b]| r > b + 60)
    }

    /// Mean position of the object.
    pub(crate) fn object_middle(&self) -> [i16; 2] {
        let (mut sum, mut n) = ([0; 2], 0);
        for (i, [r, _, b]) in self.pixels.iter().enumerate() {
            if i32::from(*r) > i32::from(*b) + 60 {
                (sum, n) = ([sum[0] + i % 1280, sum[1] + i / 1280], n + 1);
            }
        }
        sum.map(|sum| i16::try_from(sum / n.max(1)).unwrap())
    }

    /// A part of it with nothing but ground.
    pub(crate) fn ground(&self) -> Vec<[u8; 3]> {
        let rows = (400..500).flat_map(|y| (330..430).map(move |x| (x, y)));
        rows.map(|(x, y)| self.pixels[y * 1280 + x]).collect()
    }

    /// Number of pixels that differ.
    pub(crate) fn n_changed(&self, other: &Self) -> usize {
        self.pixels.iter().zip(&other.pixels).filter(|(a, b)| a != b).count()
    }

    /// Teal.
    pub(crate) fn hand(&self) -> f64 {
        self.share(|[r, g, b]| b > r + 30 && g > r + 25)
    }

    /// The bar behind a status line that says that something is lost: a red darker than the object.
    pub(crate) fn alarm(&self) -> f64 {
        self.share(|[r, g, b]| (130..175).contains(&r) && g < 50 && b < 55)
    }

    /// Bare skin: the hand to imitate.
    pub(crate) fn model(&self) -> f64 {
        self.share(|[r, g, b]| r > 150 && r > g + 15 && g > b + 15 && r < g + 70)
    }

    /// The green of what is done and good.
    pub(crate) fn good(&self) -> f64 {
        self.share(|p| p == [92, 200, 130])
    }

    pub(crate) fn brightness(&self) -> f64 {
        let sum: u64 = self.pixels.iter().flatten().map(|c| u64::from(*c)).sum();
        sum as f64 / (3 * self.pixels.len()) as f64
    }

    /// Saves it as a file for inspection.
    fn keep(&self) -> PathBuf {
        let file = std::env::temp_dir().join(format!("palpate-screen-{}.png", std::process::id()));
        let written = File::create(&file).map_err(png::EncodingError::from).and_then(|to| {
            let mut encoder = png::Encoder::new(to, 1280, 720);
            encoder.set_color(png::ColorType::Rgb);
            encoder.write_header()?.write_image_data(self.pixels.as_flattened())
        });
        match written {
            Ok(()) => file,
            Err(error) => format!("no file: {error}").into(),
        }
    }

    pub(crate) fn shares(&self) -> [f64; 3] {
        [self.object(), self.hand(), self.alarm()]
    }
}
