//! A run on a separate thread, for a window: it reports its progress and can be stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use benchmark::{Event, Results};
use engine::Mailbox;

use super::into_folder;
use crate::command_line::BenchOptions;

/// A running measurement. Dropping it ends the run early and writes the results so far.
pub(super) struct Measurement {
    news: Arc<Mailbox<MeasurementNews>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Message of a run; only the newest counts.
pub(super) enum MeasurementNews {
    UnderWay(MeasurementProgress),
    /// The run is over and written, or the error as text.
    Over(Result<Results, String>),
}

/// Progress of a run.
#[derive(Debug, Clone)]
pub(super) struct MeasurementProgress {
    /// Current measurement.
    pub(super) title: String,
    /// Share of the run that is done, from 0 to 1.
    pub(super) share: f64,
    /// Expected end.
    pub(super) ends: Instant,
    pub(super) results: Results,
}

/// Least time between two copies of the results, which cost some processor time.
const BETWEEN_NEWS: Duration = Duration::from_millis(300);

impl Measurement {
    pub(super) fn start(options: &BenchOptions) -> Result<Self, String> {
        let (news, stop) = (Arc::new(Mailbox::default()), Arc::new(AtomicBool::new(false)));
        let thread = thread::Builder::new().name("benchmark".to_owned()).spawn({
            let (options, news, stop) = (options.clone(), Arc::clone(&news), Arc::clone(&stop));
            move || {
                let found = into_folder(&options, &stop, &mut publish_news_to(&news));
                news.put(MeasurementNews::Over(found.map_err(|e| format!("{e:#}"))));
            }
        });
        let thread = thread.map_err(|e| format!("the system starts no thread: {e}"))?;
        Ok(Self { news, stop, thread: Some(thread) })
    }

    /// Returns the newest message since the last call.
    pub(super) fn news(&self) -> Option<MeasurementNews> {
        // Checked first: if the thread has ended, its last message is in the mailbox.
        let is_finished = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        // A thread that ended without a last message has panicked; the window must not wait for it
        // for ever.
        let broken =
            || MeasurementNews::Over(Err("the benchmark has failed because of a bug".to_owned()));
        self.news.take().or_else(|| is_finished.then(broken))
    }

    /// Stops the run; its last message arrives as news.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Stops the run and waits for its last message.
    pub(super) fn finish(mut self) -> Option<Result<Results, String>> {
        self.stop();
        // The thread has reported its panic itself.
        let _ = self.thread.take().map(JoinHandle::join);
        match self.news.take() {
            Some(MeasurementNews::Over(found)) => Some(found),
            Some(MeasurementNews::UnderWay(_)) | None => None,
        }
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        self.stop();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Listener of a run: puts progress and results into the mailbox, at limited intervals.
fn publish_news_to(news: &Mailbox<MeasurementNews>) -> impl FnMut(Event<'_>, &Results) {
    let mut now = (String::new(), 0.0, Instant::now());
    let mut last: Option<Instant> = None;
    move |event, results| {
        let is_due = match event {
            Event::Began { title, share, remaining } => {
                now = (title.to_owned(), share, Instant::now() + remaining);
                true
            }
            Event::Measured(_) => last.is_none_or(|last| last.elapsed() > BETWEEN_NEWS),
            Event::Noted(_) => false,
        };
        if is_due {
            let (title, share, ends) = now.clone();
            news.put(MeasurementNews::UnderWay(MeasurementProgress {
                title,
                share,
                ends,
                results: results.clone(),
            }));
            last = Some(Instant::now());
        }
    }
}
