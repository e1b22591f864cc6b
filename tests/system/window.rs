//! The real window on a virtual display: seen, and closed as a person would.

use std::process::Command;
use std::time::Instant;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt, EventMask, ImageFormat, Window,
};
use x11rb::rust_connection::RustConnection;

use crate::program::{PATIENCE, Program, Server, emulated_devices, squeeze};

/// A virtual screen.
struct Screen {
    _server: Program,
    name: String,
    connection: RustConnection,
    root: Window,
}

impl Screen {
    fn start() -> Self {
        // The server picks a free display and prints its number; a line of its own ends it.
        let server = Program::start(
            "Xvfb",
            Command::new("Xvfb").args(["-displayfd", "1", "-screen", "0", "1280x720x24"]),
        );
        let said = server.wait_for("\n");
        let number = said.lines().find(|line| line.parse::<u32>().is_ok());
        let name = format!(":{}", number.unwrap_or_else(|| panic!("Xvfb said {said}")));
        let (connection, screen) = RustConnection::connect(Some(&name)).unwrap();
        let root = connection.setup().roots[screen].root;
        Self { _server: server, name, connection, root }
    }

    /// The window with this title, once it is there.
    fn window(&self, title: &str) -> Window {
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
            if let Some(window) = tree.children.into_iter().find(titled) {
                return window;
            }
        }
    }

    /// Looks at the screen until it shows what it should.
    fn wait_to_see(&self, what: &str, is_seen: impl Fn(&Picture) -> bool) -> Picture {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let picture = self.picture();
            if is_seen(&picture) {
                return picture;
            }
            assert!(Instant::now() < deadline, "never saw {what}; now {:?}", picture.shares());
        }
    }

    fn picture(&self) -> Picture {
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

    /// What a window manager sends when its close button is pressed.
    fn press_close_button(&self, window: Window) {
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

struct Picture {
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn share(&self, is_it: impl Fn([i32; 3]) -> bool) -> f64 {
        let count = self.pixels.iter().filter(|p| is_it(p.map(i32::from))).count();
        count as f64 / self.pixels.len() as f64
    }

    /// Coral, or yellow where it is squeezed.
    fn object(&self) -> f64 {
        self.share(|[r, _, b]| r > b + 60)
    }

    /// Teal.
    fn hand(&self) -> f64 {
        self.share(|[r, g, b]| b > r + 30 && g > r + 25)
    }

    /// The bar behind a status line that says that something is lost: a red darker than the object.
    fn alarm(&self) -> f64 {
        self.share(|[r, g, b]| (130..175).contains(&r) && g < 50 && b < 55)
    }

    fn shares(&self) -> [f64; 3] {
        [self.object(), self.hand(), self.alarm()]
    }
}

#[test]
fn the_window_shows_hand_and_object_and_a_loss_and_closes_cleanly() {
    let screen = Screen::start();
    let runtime = tempfile::tempdir().unwrap();
    let (glove, tracker) = emulated_devices();
    let server = Server::start("127.0.0.1:0");
    let palpate = Program::start(
        "palpate",
        squeeze(&glove, &tracker)
            .args(["--server", &server.url])
            .env("DISPLAY", &screen.name)
            .env("XDG_RUNTIME_DIR", runtime.path()),
    );
    let window = screen.window("Palpate");
    let first = screen
        .wait_to_see("hand and object", |picture| picture.object() > 0.01 && picture.hand() > 0.01);
    assert_eq!(first.alarm(), 0.0);
    screen.wait_to_see("the hand move", |picture| {
        let moved = picture.pixels.iter().zip(&first.pixels).filter(|(a, b)| a != b).count();
        moved > 10_000
    });

    server.program.kill();
    palpate.wait_for("solver lost");
    let one_loss = screen.wait_to_see("the server's loss", |picture| picture.alarm() > 0.005);
    glove.unplug();
    palpate.wait_for("glove lost");
    let both = screen.wait_to_see("the glove's loss as well", |picture| {
        picture.alarm() > 1.5 * one_loss.alarm()
    });
    assert!(both.object() > 0.01 && both.hand() > 0.01, "the last good scene stays on the screen");

    screen.press_close_button(window);
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    assert!(said.contains("glove lost") && said.contains("run       stopped"), "{said}");
    let drawn = said.lines().find_map(|line| line.strip_prefix("pictures  ")).unwrap();
    let n: u64 = drawn.trim_end_matches(" drawn").parse().unwrap();
    assert!(n > 5, "{said}");
}
