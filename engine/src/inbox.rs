//! What waits for a stepper: a state to go on from, and the newest touch after it.

use std::sync::Arc;

use physics::{Snapshot, Touch};

use crate::mailbox::Mailbox;

/// What a stepper does next.
#[derive(Debug, Default)]
pub struct Order {
    /// First the object is put into this state.
    pub restore: Option<Arc<Snapshot>>,
    /// Then it is stepped.
    pub touch: Option<Touch>,
}

/// Orders on their way to a stepper. The newest touch wins; a state to be restored is never lost to a
/// touch, and makes the touches before it void.
#[derive(Debug, Default)]
pub struct Inbox(Mailbox<Order>);

impl Inbox {
    /// Hands over a touch; gives back one that was overtaken.
    pub fn put(&self, touch: Touch) -> Option<Touch> {
        let mut overtaken = None;
        self.0.put_after(|waiting| {
            let waiting = waiting.unwrap_or_default();
            overtaken = waiting.touch;
            Order { restore: waiting.restore, touch: Some(touch) }
        });
        overtaken
    }

    /// Hands over a state to go on from.
    pub fn restore(&self, snapshot: Arc<Snapshot>) {
        self.0.put(Order { restore: Some(snapshot), touch: None });
    }

    /// Waits for an order; `None` once the inbox is closed.
    pub fn wait(&self) -> Option<Order> {
        self.0.wait()
    }

    /// Ends all waiting, now and later.
    pub fn close(&self) {
        self.0.close();
    }

    /// Whether it is closed.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

#[cfg(test)]
mod tests {
    use physics::SampleId;

    use super::*;

    fn touch(sample: u64) -> Touch {
        Touch { sample: SampleId(sample), ..Touch::default() }
    }

    #[test]
    fn a_state_outlives_touches_after_it_and_ends_those_before() {
        let inbox = Inbox::default();
        inbox.put(touch(1));
        inbox.restore(Arc::new(Snapshot { sample: SampleId(7), ..Snapshot::default() }));
        inbox.put(touch(8));
        assert_eq!(inbox.put(touch(9)).map(|touch| touch.sample), Some(SampleId(8)));
        let order = inbox.wait().expect("it is open");
        assert_eq!(order.restore.map(|snapshot| snapshot.sample), Some(SampleId(7)));
        assert_eq!(order.touch.map(|touch| touch.sample), Some(SampleId(9)));
    }
}
