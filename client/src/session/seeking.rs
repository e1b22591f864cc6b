//! How a recording comes to another place: all that its hands did until then is done again, as fast as the solvers
//! answer, so that things are as if it had been played up to there.

use std::io;
use std::time::{Duration, Instant};

use drivers::Hand as Side;

use super::links::Links;
use super::{HandSource, Session};
use crate::input::{Doing, PastHands, PastMoment, PlayedPose};

/// A place on its way.
pub(super) struct Seeking {
    past: PastHands,
    /// What is done next; it waits until all has been answered.
    next: Option<PastMoment>,
    /// The time on the table at which the recording began, as soon as all things are as they were then.
    begin: Option<f64>,
    /// When each hand last did something, left first, since the recording began.
    last: [Option<Duration>; 2],
}

/// Somebody wants to see how it goes on.
const ONE_TURN: Duration = Duration::from_millis(12);
/// Between two looks whether all has been answered.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

impl Seeking {
    /// How much of the way lies behind, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        let at = self.next.as_ref().map_or(Duration::ZERO, |next| next.at);
        at.as_secs_f64() / self.past.until().as_secs_f64().max(1e-3)
    }
}

impl Session {
    /// Lets a recording go on from elsewhere. What is being recorded cannot tell how things came to be as they are
    /// there: what hands hold is let go for that.
    pub(super) fn begin_to_seek(&mut self, source: HandSource, past: PastHands) -> io::Result<()> {
        if self.journal.is_some() {
            return self.change_hands(source);
        }
        self.take_over(source)?;
        self.seeking = Some(Seeking { past, next: None, begin: None, last: [None; 2] });
        Ok(())
    }

    /// Does some more of what lies before the place.
    pub(super) fn seek_on(&mut self) -> io::Result<()> {
        let end = Instant::now() + ONE_TURN;
        while Instant::now() < end {
            let Some(mut seeking) = self.seeking.take() else { break };
            if self.tabletop.is_changing() || self.links.iter().any(Links::owes_answer) {
                self.seeking = Some(seeking);
                self.bell.wait_for(BETWEEN_LOOKS);
                self.take_frames()?;
                self.do_chores()?;
                continue;
            }
            let Some(begin) = seeking.begin else {
                self.return_to_beginning()?;
                seeking.begin = Some(self.time_of(Instant::now()));
                seeking.next = seeking.past.next_moment();
                self.seeking = Some(seeking);
                continue;
            };
            let Some(moment) = seeking.next.take() else {
                let until = seeking.past.until().as_secs_f64();
                self.set_time(begin + until);
                tracing::info!("the recording is at {until:.2} s");
                break;
            };
            self.do_again(&mut seeking, begin, &moment)?;
            seeking.next = seeking.past.next_moment();
            self.seeking = Some(seeking);
        }
        Ok(())
    }

    fn return_to_beginning(&mut self) -> io::Result<()> {
        let (sample, time) = (self.next_sample(), self.time_of(Instant::now()));
        self.tabletop.go_home(sample, time, &mut self.news);
        self.take_news(time)?;
        self.do_chores()
    }

    fn do_again(
        &mut self,
        seeking: &mut Seeking,
        begin: f64,
        moment: &PastMoment,
    ) -> io::Result<()> {
        self.let_hands_go(seeking, begin, moment.at)?;
        self.set_time(begin + moment.at.as_secs_f64());
        let side = match &moment.doing {
            Doing::Said { line, pair } => {
                self.hands.have_seen(*line, pair.hand);
                let mut pair = pair.clone();
                pair.arrival = Instant::now();
                self.take_pair(&pair)?;
                pair.hand
            }
            Doing::Did(PlayedPose { side, pose, .. }) => {
                self.take_played(*side, pose.as_ref())?;
                *side
            }
        };
        seeking.last[side as usize] = Some(moment.at);
        self.let_time_pass()?;
        Ok(())
    }

    /// Lets go of what hands hold whose devices were silent for too long then.
    fn let_hands_go(&mut self, seeking: &mut Seeking, begin: f64, now: Duration) -> io::Result<()> {
        let patience = self.tabletop.rules().lost_hand;
        for side in [Side::Left, Side::Right] {
            let last = &mut seeking.last[side as usize];
            let lost = last.map(|last| last.as_secs_f64() + patience);
            if let Some(lost) = lost.filter(|lost| *lost < now.as_secs_f64()) {
                *last = None;
                self.set_time(begin + lost);
                self.lose_hand(side, "the hand was lost here, too")?;
            }
        }
        Ok(())
    }

    /// It is so late on the table now. Nothing has happened later than that.
    fn set_time(&mut self, seconds: f64) {
        let now = Instant::now();
        let since = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.start = now.checked_sub(since).unwrap_or(now);
    }
}

#[cfg(test)]
mod tests;
