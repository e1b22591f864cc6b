//! The calibration in the terminal: the pose to make, the live hand beside it, and how still it is.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use calibration::procedure::{Command, State, View};
use calibration::{JointAngles, Profile};
use drivers::Side;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::canvas::{Canvas, Line as Stroke};
use ratatui::widgets::{Block, Gauge, Paragraph, Wrap};

use super::guide::{Guide, RoundEnding};
use crate::input::DeviceState;

/// Time between two pictures.
const TICK: Duration = Duration::from_millis(60);

/// Guides the person until the round is over.
pub(super) fn show(guide: &mut Guide, stop: &AtomicBool) -> anyhow::Result<RoundEnding> {
    let mut terminal = ratatui::try_init()?;
    let ended = guided(guide, stop, &mut terminal);
    ratatui::restore();
    ended
}

fn guided(
    guide: &mut Guide,
    stop: &AtomicBool,
    terminal: &mut ratatui::DefaultTerminal,
) -> anyhow::Result<RoundEnding> {
    let mut next_picture = Instant::now();
    loop {
        if let Some(ending) = guide.turn(stop)? {
            return Ok(ending);
        }
        if Instant::now() < next_picture {
            continue;
        }
        next_picture = Instant::now() + TICK;
        let hand = guide.hand().map_or(Side::Right, |(hand, _)| hand);
        let live = guide.live();
        let shown = TerminalContents {
            view: guide.procedure.view(),
            hand,
            live,
            news: &guide.news,
            glove: guide.glove_state(),
        };
        terminal.draw(|frame| draw(frame, &shown))?;
        while event::poll(Duration::ZERO)? {
            let ending = match key(&event::read()?) {
                Some(TerminalKey::Quit) => Some(RoundEnding::GivenUp),
                Some(TerminalKey::Command(command)) => guide.command(command),
                None => None,
            };
            if let Some(ending) = ending {
                return Ok(ending);
            }
        }
    }
}

enum TerminalKey {
    Quit,
    Command(Command),
}

fn key(event: &Event) -> Option<TerminalKey> {
    let Event::Key(key) = event else { return None };
    if key.kind != KeyEventKind::Press {
        return None;
    }
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c') if is_control => TerminalKey::Quit,
        KeyCode::Char('q') | KeyCode::Esc => TerminalKey::Quit,
        KeyCode::Char(' ') | KeyCode::Enter => TerminalKey::Command(Command::Accept),
        KeyCode::Char('s') => TerminalKey::Command(Command::Skip),
        KeyCode::Char('r') => TerminalKey::Command(Command::Retake),
        KeyCode::Char('b') => TerminalKey::Command(Command::Back),
        _ => return None,
    })
}

/// Contents of one picture.
struct TerminalContents<'a> {
    view: View<'a>,
    hand: Side,
    live: Option<JointAngles>,
    news: &'a str,
    glove: DeviceState,
}

fn draw(frame: &mut Frame<'_>, shown: &TerminalContents<'_>) {
    let [title, text, hands, still, news, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(2),
        Constraint::Min(6),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let view = &shown.view;
    let step =
        format!("{} of {}: {}", (view.n_done + 1).min(view.n_steps), view.n_steps, view.name);
    frame.render_widget(Paragraph::new(step.bold()), title);
    frame.render_widget(Paragraph::new(view.instruction).wrap(Wrap { trim: true }), text);
    let [wanted, live] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(hands);
    picture(frame, wanted, "make this", shown.hand, Some(&view.picture), Color::Yellow);
    picture(frame, live, "your hand", shown.hand, shown.live.as_ref(), Color::Cyan);
    let (share, label) = in_words(&view.state, &shown.glove);
    let gauge = Gauge::default()
        .ratio(share.clamp(0.0, 1.0))
        .label(label)
        .gauge_style(Style::new().fg(Color::Green));
    frame.render_widget(gauge, still);
    frame.render_widget(Paragraph::new(shown.news.yellow()), news);
    let help = Line::from("space takes it now   s skip   r retake   b back   q gives up").dim();
    frame.render_widget(Paragraph::new(help), keys);
}

/// Progress of the step from 0 to 1, and what is missing.
pub(super) fn in_words(state: &State, glove: &DeviceState) -> (f64, String) {
    match glove {
        DeviceState::Missing(why) | DeviceState::Lost(why) => {
            return (0.0, format!("no glove: {why}"));
        }
        DeviceState::Faulty(why) => return (0.0, (*why).to_owned()),
        DeviceState::Silent => return (0.0, "the glove is silent".to_owned()),
        DeviceState::Garbled => return (0.0, "the glove sends only damaged data".to_owned()),
        DeviceState::Opening
        | DeviceState::Live(_)
        | DeviceState::Doubtful(_)
        | DeviceState::Late
        | DeviceState::Ended => {}
    }
    match state {
        State::Waiting if matches!(glove, DeviceState::Opening | DeviceState::Ended) => {
            (0.0, "waiting for the glove".to_owned())
        }
        State::Waiting => (0.0, "hold still".to_owned()),
        State::Leaving => (0.0, "move on to the next pose".to_owned()),
        State::Settling(stillness) if stillness.share > 0.0 => {
            (stillness.share, "hold still".to_owned())
        }
        State::Settling(stillness) => (0.0, format!("{} moves", stillness.worst.name())),
        State::NotThere(_) => (0.0, "not this pose yet; space takes it anyway".to_owned()),
        State::NoTracker => (0.0, "the tracker sends nothing".to_owned()),
        State::Turning { share, missing: Some(missing) } => (*share, missing.to_string()),
        State::Turning { share, missing: None } => (*share, "turn the hand on".to_owned()),
        State::Travelling { got } => (0.0, format!("go on: {:.0} cm so far", got * 100.0)),
        State::Done => (1.0, "done".to_owned()),
    }
}

/// A hand as a drawing of its bones, seen from above and from the thumb's side.
fn picture(
    frame: &mut Frame<'_>,
    area: Rect,
    title: &str,
    hand: Side,
    angles: Option<&JointAngles>,
    colour: Color,
) {
    /// Half the width and the height of the picture, in metres.
    const REACH: f64 = 0.13;
    let side = match hand {
        Side::Left => 1.0,
        Side::Right => -1.0,
    };
    let strokes: Vec<[(f64, f64); 2]> = angles.map_or_else(Vec::new, |angles| {
        let bones = Profile::uncalibrated(hand).bones(angles);
        let flat = |p: &nalgebra::Point3<f64>| (p.x + 0.45 * side * p.y, -p.z + 0.9 * p.y);
        let mut strokes = Vec::new();
        for finger in &bones.fingers {
            strokes.push([(0.0, 0.0), flat(&finger.joints[0])]);
            strokes.extend(finger.joints.windows(2).map(|pair| [flat(&pair[0]), flat(&pair[1])]));
        }
        strokes
    });
    let canvas = Canvas::default()
        .block(Block::bordered().title(title))
        .marker(Marker::Braille)
        .x_bounds([-REACH * 1.3, REACH * 1.3])
        .y_bounds([-0.05, 2.0 * REACH - 0.05])
        .paint(|context| {
            for [(x1, y1), (x2, y2)] in &strokes {
                context.draw(&Stroke { x1: *x1, y1: *y1, x2: *x2, y2: *y2, color: colour });
            }
        });
    frame.render_widget(canvas, area);
}

#[cfg(test)]
mod tests {
    use calibration::{Plan, Procedure};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn shown(size: [u16; 2], live: Option<JointAngles>) -> String {
        let procedure = Procedure::new(Plan::full());
        let shown = TerminalContents {
            view: procedure.view(),
            hand: Side::Right,
            live,
            news: "taken",
            glove: DeviceState::Opening,
        };
        let mut terminal = Terminal::new(TestBackend::new(size[0], size[1])).unwrap();
        terminal.draw(|frame| draw(frame, &shown)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn the_pose_its_instruction_and_both_hands_are_shown() {
        let text = shown([100, 30], Some(JointAngles::default()));
        for expected in ["flat hand", "make this", "your hand", "space takes it", "taken"] {
            assert!(text.contains(expected), "{expected:?} is missing in:\n{text}");
        }
        let dots =
            |text: &str| text.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count();
        // A silent glove has no hand to draw.
        assert!(dots(&text) > dots(&shown([100, 30], None)) + 20);
    }

    #[test]
    fn the_page_fits_any_terminal_size() {
        for size in [[1, 1], [20, 5], [300, 100]] {
            shown(size, Some(JointAngles::default()));
        }
    }
}
