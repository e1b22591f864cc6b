//! Reads what a host sends to a one-axis device.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Order {
    Describe,
    /// In newtons.
    Force(f64),
}

/// Collects the bytes of an order. Foreign bytes and damaged frames are skipped.
#[derive(Debug, Default)]
pub(super) struct HostReader {
    frame: Vec<u8>,
}

impl HostReader {
    pub(super) fn push(&mut self, byte: u8) -> Option<Order> {
        if self.frame.is_empty() {
            if byte == b'F' {
                self.frame.push(byte);
            }
            return (byte == b'?').then_some(Order::Describe);
        }
        self.frame.push(byte);
        if self.frame.len() < 6 {
            return None;
        }
        let frame = std::mem::take(&mut self.frame);
        let total: u32 = frame[..5].iter().map(|byte| u32::from(*byte)).sum();
        let number = frame[1..5].iter().rev().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
        let micronewtons = number.cast_signed();
        (total % 256 == u32::from(frame[5])).then(|| Order::Force(f64::from(micronewtons) / 1e6))
    }
}
