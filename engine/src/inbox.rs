//! Inbox of a stepper: a state to restore, and the newest touch after it.

use std::sync::Arc;

use physics::{Snapshot, Touch};

use crate::mailbox::Mailbox;

/// One request to a stepper.
#[derive(Debug, Default)]
pub struct StepRequest {
    /// State to restore first.
    pub restore: Option<Arc<Snapshot>>,
    /// Touch to solve then.
    pub touch: Option<Touch>,
}

/// Requests on their way to a stepper. The newest touch replaces an older one. A state to restore
/// stays until the stepper takes it, and discards the touches before it.
#[derive(Debug, Default)]
pub struct Inbox(Mailbox<StepRequest>);

impl Inbox {
    /// Puts in a touch. Returns the older touch that it replaces, if there is one.
    pub fn put(&self, touch: Touch) -> Option<Touch> {
        let mut overtaken = None;
        self.0.put_after(|waiting| {
            let waiting = waiting.unwrap_or_default();
            overtaken = waiting.touch;
            StepRequest { restore: waiting.restore, touch: Some(touch) }
        });
        overtaken
    }

    /// Puts in a state to restore, and discards the waiting touch.
    pub fn restore(&self, snapshot: Arc<Snapshot>) {
        self.0.put(StepRequest { restore: Some(snapshot), touch: None });
    }

    /// Waits for a request. Returns `None` once the inbox is closed.
    pub fn wait(&self) -> Option<StepRequest> {
        self.0.wait()
    }

    /// Closes the inbox: `wait` returns `None` from now on.
    pub fn close(&self) {
        self.0.close();
    }

    /// True if the inbox is closed.
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
        let request = inbox.wait().expect("it is open");
        assert_eq!(request.restore.map(|snapshot| snapshot.sample), Some(SampleId(7)));
        assert_eq!(request.touch.map(|touch| touch.sample), Some(SampleId(9)));
    }
}
