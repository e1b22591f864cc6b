//! A run on a thread of its own, for a window: it tells how far it has come, and can be stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use benchmark::{Event, Results};
use engine::Mailbox;

use super::into_folder;
use crate::command_line::BenchOptions;

/// A run under way. Dropped, it ends early and writes down what it has.
pub(super) struct Measurement {
    news: Arc<Mailbox<MeasurementNews>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What a run tells; only the newest counts.
pub(super) enum MeasurementNews {
    UnderWay(MeasurementProgress),
    /// It is written down; or why not, in words.
    Over(Result<Results, String>),
}

/// How far a run has come.
#[derive(Debug, Clone)]
pub(super) struct MeasurementProgress {
    /// What is measured now.
    pub(super) title: String,
    /// The share that is done, from 0 to 1.
    pub(super) share: f64,
    /// When it will probably be over.
    pub(super) ends: Instant,
    pub(super) results: Results,
}

/// Copies of the results are made no more often than this: they take a little of the processor.
const BETWEEN_NEWS: Duration = Duration::from_millis(300);

impl Measurement {
    pub(super) fn start(options: &BenchOptions) -> Result<Self, String> {
        let (news, stop) = (Arc::new(Mailbox::default()), Arc::new(AtomicBool::new(false)));
        let thread = thread::Builder::new().name("benchmark".to_owned()).spawn({
            let (options, news, stop) = (options.clone(), Arc::clone(&news), Arc::clone(&stop));
            move || {
                let found = into_folder(&options, &stop, &mut telling(&news));
                news.put(MeasurementNews::Over(found.map_err(|e| format!("{e:#}"))));
            }
        });
        let thread = thread.map_err(|e| format!("the system starts no thread: {e}"))?;
        Ok(Self { news, stop, thread: Some(thread) })
    }

    /// What is new since the last time.
    pub(super) fn news(&self) -> Option<MeasurementNews> {
        // Asked first: whatever a thread that has ended wanted to say is there by now.
        let is_finished = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        // One that ended without a last word has broken: the window must not wait for it for ever.
        let broken =
            || MeasurementNews::Over(Err("the benchmark ended by an error of its own".to_owned()));
        self.news.take().or_else(|| is_finished.then(broken))
    }

    /// Ends it soon; its last word comes as news.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends it and waits for its last word.
    pub(super) fn finish(mut self) -> Option<Result<Results, String>> {
        self.stop();
        // A panic was told by the thread itself.
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

/// Hears a run and puts what it hears into the mailbox, now and then.
fn telling(news: &Mailbox<MeasurementNews>) -> impl FnMut(Event<'_>, &Results) {
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
