//! Reads the lines that a host sends to a LucidGlove.

use crate::device_event::Vibration;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Order {
    Start,
    Stop,
    Information,
    /// Forces from thumb to pinkie; 1000 is full force.
    Forces([u16; 5]),
    Vibration(Vibration),
}

/// Longest valid line; longer ones are discarded.
const MAX_LINE: usize = 128;

/// Collects a line. The orders in parentheses and `Z` act at once.
#[derive(Debug, Default)]
pub(super) struct HostReader {
    line: Vec<u8>,
}

impl HostReader {
    pub(super) fn push(&mut self, byte: u8) -> Option<Order> {
        if byte == b'\n' {
            return line_order(&std::mem::take(&mut self.line));
        }
        self.line.push(byte);
        let order = match self.line.as_slice() {
            b"Z" => Some(Order::Information),
            line if line.ends_with(b"(ZA)") => Some(Order::Start),
            line if line.ends_with(b"(ZZ)") => Some(Order::Stop),
            _ => None,
        };
        if order.is_some() || self.line.len() > MAX_LINE {
            self.line.clear();
        }
        order
    }
}

/// The forces, if the line has a finger's letter; else the vibration, if it has the three letters
/// of one.
fn line_order(line: &[u8]) -> Option<Order> {
    let line = std::str::from_utf8(line).ok()?;
    let value = |key: char| -> Option<f64> {
        let (_, rest) = line.split_once(key)?;
        let end = rest.find(|next: char| !next.is_ascii_digit() && next != '.');
        rest[..end.unwrap_or(rest.len())].parse().ok()
    };
    let fingers = ['A', 'B', 'C', 'D', 'E'].map(value);
    if fingers.iter().any(Option::is_some) {
        // A number that is too large saturates; a finger without a number is released.
        return Some(Order::Forces(fingers.map(|force| force.unwrap_or_default() as u16)));
    }
    let (frequency_hz, seconds, amplitude) = (value('F')?, value('G')?, value('H')?);
    Some(Order::Vibration(Vibration { frequency_hz, seconds, amplitude }))
}
