//! Uploads in a time of their own, in which hours pass at once.

use std::future::poll_fn;

use http_body::Body as _;
use proto::v1::{SolveRequest, StageTime};
use tonic::Code;

use super::*;

/// Body whose pieces arrive one after another, each after a pause.
struct Paced {
    pieces: VecDeque<(Duration, Bytes)>,
    pause: Option<Pin<Box<Sleep>>>,
    /// True if the client does not end its stream after the last piece.
    stays: bool,
}

impl http_body::Body for Paced {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(&(pause, _)) = self.pieces.front() else {
            return if self.stays { Poll::Pending } else { Poll::Ready(None) };
        };
        ready!(self.pause.get_or_insert_with(|| Box::pin(sleep(pause))).as_mut().poll(context));
        self.pause = None;
        let piece = self.pieces.pop_front().map(|(_, piece)| Ok(Frame::data(piece)));
        Poll::Ready(piece)
    }
}

/// A message with its prefix.
fn framed(message: &[u8]) -> Vec<u8> {
    [&prefix(message.len() as u32)[..], message].concat()
}

fn watched(pieces: Vec<(Duration, Vec<u8>)>, stays: bool) -> (WatchedBody, FirstMessage) {
    let pieces = pieces.into_iter().map(|(pause, piece)| (pause, piece.into())).collect();
    let body = Body::new(Paced { pieces, pause: None, stays });
    let first = FirstMessage::default();
    (WatchedBody::new(body, first.clone(), 1000), first)
}

/// What the decoder of gRPC gets, until the end or an error.
async fn decoded(body: &mut WatchedBody) -> (Vec<u8>, Option<Status>) {
    let mut all = Vec::new();
    while let Some(next) = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await {
        match next {
            Ok(frame) => all.extend_from_slice(&frame.into_data().unwrap()),
            Err(status) => return (all, Some(status)),
        }
    }
    (all, None)
}

fn stage() -> StageTime {
    StageTime { name: "stage".repeat(30), seconds: 1.5 }
}

const SHORTER: Duration = PATIENCE.saturating_sub(Duration::from_millis(1));

#[tokio::test(start_paused = true)]
async fn a_message_that_comes_slowly_but_steadily_is_taken() {
    let bytes = framed(&stage().encode_to_vec());
    let n = bytes.len() as u32;
    let (mut body, first) =
        watched(bytes.into_iter().map(|byte| (SHORTER, vec![byte])).collect(), false);
    let start = Instant::now();
    let (seen, error) = decoded(&mut body).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(start.elapsed(), SHORTER * n);
    // The decoder has an empty message to hold on to.
    assert_eq!(seen, [0; PREFIX]);
    assert_eq!(FirstMessage::read::<StageTime>(Some(first)).unwrap(), stage());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_falls_silent_before_the_end_of_a_message_is_refused() {
    let touch = framed(&[7; 20]);
    let first = framed(&stage().encode_to_vec());
    for (arrived, pause) in [
        (Vec::new(), Duration::ZERO),
        (first[..3].to_vec(), SHORTER),
        (first[..50].to_vec(), SHORTER),
        ([&first[..], &touch[..2]].concat(), SHORTER),
        ([&first[..], &touch[..10]].concat(), SHORTER),
    ] {
        let (mut body, _) = watched(vec![(pause, arrived.clone())], true);
        let start = Instant::now();
        let (_, error) = decoded(&mut body).await;
        assert_eq!(error.unwrap().code(), Code::DeadlineExceeded, "{} bytes", arrived.len());
        assert_eq!(start.elapsed(), pause + PATIENCE, "{} bytes", arrived.len());
    }
}

#[tokio::test(start_paused = true)]
async fn between_two_messages_a_client_may_be_silent_for_hours() {
    let hours = Duration::from_secs(5 * 3600);
    let touch = framed(&[7; 20]);
    let first = framed(&stage().encode_to_vec());
    let (mut body, _) = watched(
        vec![(Duration::ZERO, first), (hours, touch[..9].to_vec()), (SHORTER, touch[9..].to_vec())],
        false,
    );
    let (seen, error) = decoded(&mut body).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(seen, [&[0; PREFIX][..], &touch].concat());
}

#[tokio::test(start_paused = true)]
async fn messages_are_cut_out_of_pieces_of_any_length() {
    let touches = [framed(&[1; 30]), framed(&[]), framed(&[2; 300])].concat();
    let all = [framed(&stage().encode_to_vec()), touches.clone()].concat();
    for length in [1, 2, 4, 5, 6, 7, 31, all.len()] {
        let pieces = all.chunks(length).map(|piece| (Duration::ZERO, piece.to_vec())).collect();
        let (mut body, first) = watched(pieces, false);
        let (seen, error) = decoded(&mut body).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(seen, [&[0; PREFIX][..], &touches].concat(), "pieces of {length}");
        assert_eq!(FirstMessage::read::<StageTime>(Some(first)).unwrap(), stage());
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_too_large_or_compressed_is_refused_by_its_prefix() {
    let refused = async |bytes: Vec<u8>| {
        let (mut body, _) = watched(vec![(Duration::ZERO, bytes)], true);
        let error = decoded(&mut body).await.1.unwrap();
        (error.code(), error.message().to_owned())
    };
    let (code, text) = refused(prefix(1001).to_vec()).await;
    assert_eq!(code, Code::OutOfRange);
    assert!(text.contains("1001 bytes, expected at most 1000"), "{text}");
    // After the first message there are only touches and states.
    let most = proto::TOUCH_BYTES as u32;
    let (code, text) = refused([framed(&[]), prefix(most + 1).to_vec()].concat()).await;
    assert_eq!(code, Code::OutOfRange);
    assert!(text.contains(&format!("at most {most}")), "{text}");
    let (code, text) = refused(vec![1, 0, 0, 0, 3]).await;
    assert_eq!(code, Code::InvalidArgument);
    assert!(text.contains("compressed"), "{text}");
}

#[test]
fn a_first_message_that_is_no_message_is_refused() {
    let first = FirstMessage::default();
    first.clone().put(b"hello".to_vec());
    let status = FirstMessage::read::<SolveRequest>(Some(first)).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("cannot read the request"), "{status:?}");
}
