//! Single questions to a server: a solve, its description, whether it is there.

use std::io;
use std::time::Duration;

use physics::family::solid::{SolveAnswer, SolveQuestion};
use proto::{ClaimedSize, v1};

use super::broken::Broken;
use super::connection::{client, description, leave};
use super::saturated;
use super::server_info::ServerInfo;
use super::server_url::ServerUrl;

/// Asks a server for one solve and waits for the answer. `on_share` gets the share of the work that
/// is done, between 0 and 1.
pub fn ask(
    url: &ServerUrl,
    question: &SolveQuestion,
    on_share: impl Fn(f64),
) -> Result<SolveAnswer, AskError> {
    ask_on(url, question, 0, on_share)
}

/// [`ask`] with a wish for the number of threads. The server takes its own number if that is
/// smaller, or if the wish is zero; the answer tells the number.
pub fn ask_on(
    url: &ServerUrl,
    question: &SolveQuestion,
    threads: usize,
    on_share: impl Fn(f64),
) -> Result<SolveAnswer, AskError> {
    wait(asked(url, question, threads, on_share))
}

/// Time limit for the description of a server, which has nothing to compute.
const PATIENCE: Duration = Duration::from_secs(10);

/// Checks that a server answers and accepts the pass. Call it before long work that relies on the
/// server. Needs no free place.
pub fn reach(url: &ServerUrl) -> Result<(), AskError> {
    reach_within(url, PATIENCE)
}

/// [`reach`] with a time limit of `patience`.
pub fn reach_within(url: &ServerUrl, patience: Duration) -> Result<(), AskError> {
    wait(within(patience, described(url))).map(drop)
}

/// Asks a server for its description. Needs no free place. The description is empty if the server
/// is too old to have one.
pub fn info(url: &ServerUrl) -> Result<ServerInfo, AskError> {
    wait(within(PATIENCE, described(url)))
}

async fn described(url: &ServerUrl) -> Result<ServerInfo, Broken> {
    description(&mut client(url, proto::LEAST_LIMIT).await?).await
}

async fn asked(
    url: &ServerUrl,
    question: &SolveQuestion,
    threads: usize,
    on_share: impl Fn(f64),
) -> Result<SolveAnswer, Broken> {
    let size = ClaimedSize::from(question);
    let answer_bytes = proto::answer_bytes(size, question.wants_stresses);
    let mut client = client(url, answer_bytes).await?;
    let info = description(&mut client).await?;
    let request = v1::SolveRequest { threads: saturated(threads), ..question.into() };
    info.limits.check(size, proto::encoded_bytes(&request))?;
    let mut replies = client.solve(request).await?.into_inner();
    while let Some(reply) = replies.message().await? {
        match reply.reply {
            Some(v1::solve_reply::Reply::Preparing(preparing)) => on_share(preparing.share),
            Some(v1::solve_reply::Reply::Answer(answer)) => {
                return answer.try_into().map_err(|why| Broken::wire(why, &info));
            }
            // A newer server has other news.
            None => {}
        }
    }
    Err(Broken::Ended)
}

async fn within<T>(
    patience: Duration,
    answer: impl Future<Output = Result<T, Broken>>,
) -> Result<T, Broken> {
    let answer = tokio::time::timeout(patience, answer).await;
    answer.unwrap_or(Err(Broken::Late(patience)))
}

/// Runs a network request to its end on a runtime of its own.
fn wait<T>(answer: impl Future<Output = Result<T, Broken>>) -> Result<T, AskError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(answer);
    leave(runtime);
    Ok(answer?)
}

/// A server did not answer a question.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AskError(String);

impl From<io::Error> for AskError {
    fn from(e: io::Error) -> Self {
        Self(format!("cannot start the network loop: {e}"))
    }
}

impl From<Broken> for AskError {
    fn from(broken: Broken) -> Self {
        Self(broken.to_string())
    }
}
