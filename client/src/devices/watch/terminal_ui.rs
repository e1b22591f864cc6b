//! The terminal view: a bar for each value, and the device's state.

use std::time::Duration;

use drivers::reconnect::Presence;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::DeviceSnapshot;
use super::rows::Row;

/// Pictures per second: more could not be read.
const BETWEEN_PICTURES: Duration = Duration::from_millis(50);
/// Columns of a row without its bar.
const LABEL: usize = 24;
const VALUE: usize = 14;
/// Least width of a row: a value and a useful bar.
const NARROWEST: u16 = (LABEL + VALUE + 16) as u16;

/// Draws until q is pressed or the device ends.
pub(super) fn show(
    snapshot: impl Fn() -> DeviceSnapshot,
    is_over: impl Fn() -> bool,
) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let shown = loop {
        if is_over() {
            break Ok(());
        }
        let now = snapshot();
        if let Err(error) = terminal.draw(|frame| draw(frame, &now)) {
            break Err(error);
        }
        match is_asked_to_end() {
            Ok(false) => {}
            Ok(true) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    ratatui::restore();
    Ok(shown?)
}

/// Waits briefly for a key.
fn is_asked_to_end() -> std::io::Result<bool> {
    if !event::poll(BETWEEN_PICTURES)? {
        return Ok(false);
    }
    let Event::Key(key) = event::read()? else { return Ok(false) };
    let is_interrupt =
        key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    let is_quit = matches!(key.code, KeyCode::Char('q') | KeyCode::Esc);
    Ok(key.kind == KeyEventKind::Press && (is_interrupt || is_quit))
}

fn draw(frame: &mut Frame<'_>, snapshot: &DeviceSnapshot) {
    let [title, state, _, values, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(snapshot.title.as_str().bold()), title);
    let colour = match snapshot.presence {
        Presence::Live => Color::Green,
        Presence::Unopened | Presence::Late | Presence::Ended => Color::Yellow,
        Presence::Lost(_) => Color::Red,
    };
    frame.render_widget(Paragraph::new(snapshot.state()).style(Style::new().fg(colour)), state);
    frame.render_widget(Paragraph::new("q ends".dim()), keys);
    for (area, rows) in columns(values, &snapshot.rows) {
        let lines: Vec<Line<'_>> = rows.iter().map(|row| line(row, area.width.into())).collect();
        frame.render_widget(Paragraph::new(lines), area);
    }
}

/// Lays out rows in as many columns as they need and the screen has room for.
fn columns(area: Rect, rows: &[Row]) -> Vec<(Rect, &[Row])> {
    let height = usize::from(area.height).max(1);
    let n_needed = rows.len().div_ceil(height).max(1);
    let n = n_needed.min(usize::from(area.width / NARROWEST).max(1));
    let areas = Layout::horizontal(vec![Constraint::Fill(1); n]).spacing(2).split(area);
    areas.iter().copied().zip(rows.chunks(rows.len().div_ceil(n).max(1))).collect()
}

fn line(row: &Row, width: usize) -> Line<'_> {
    let label = Span::raw(format!("{:<LABEL$}", row.label));
    let Some(share) = row.share else {
        return Line::from(vec![label, Span::raw(row.value.as_str()).yellow()]);
    };
    let value = Span::raw(format!("{:>VALUE$}  ", row.value));
    let room = width.saturating_sub(LABEL + VALUE + 2);
    let length = (share.clamp(0.0, 1.0) * room as f64).round() as usize;
    let bar = Span::raw("█".repeat(length)).cyan();
    Line::from(vec![label, value, bar, Span::raw("·".repeat(room - length)).dim()])
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use drivers::reconnect::ConnectionCounts;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn picture(presence: Presence, n_rows: usize, [width, height]: [u16; 2]) -> String {
        let rows = (0..n_rows)
            .map(|i| Row {
                label: format!("sensor {i}"),
                value: (10 * i).to_string(),
                share: Some(i as f64 / 10.0),
            })
            .collect();
        let snapshot = DeviceSnapshot {
            title: "CyberGlove".to_owned(),
            rows,
            presence,
            counts: ConnectionCounts::default(),
            hz: 100.0,
            last: Some(Instant::now()),
        };
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, &snapshot)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn bars_are_as_long_as_values_are_large() {
        let text = picture(Presence::Live, 11, [80, 20]);
        let length = |label: &str| {
            let line = text.lines().find(|line| line.contains(label)).unwrap();
            line.matches('█').count()
        };
        assert_eq!(length("sensor 0 "), 0);
        assert_eq!(length("sensor 10"), 40);
        assert_eq!(length("sensor 5 "), 20);
        assert!(text.contains("live") && text.contains("100 Hz"), "{text}");
    }

    #[test]
    fn what_does_not_fit_below_goes_beside() {
        let text = picture(Presence::Live, 22, [130, 16]);
        assert!((0..22).all(|i| text.contains(&format!("sensor {i}"))), "{text}");
    }

    #[test]
    fn a_loss_is_shown_on_any_screen() {
        for size in [[80, 24], [40, 5], [10, 2], [1, 1]] {
            let text = picture(Presence::Lost("unplugged".to_owned()), 22, size);
            assert!(size[0] < 40 || text.contains("lost (unplugged)"), "{text}");
        }
    }
}
