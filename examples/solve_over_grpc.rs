//! Asks a solver server for the shape of a pressed cube, once by itself and once as a stream, and
//! prints its forces.
//!
//! `cargo run -p solver-server`, then
//! `cargo run -p examples --bin solve_over_grpc -- http://127.0.0.1:50551`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use anyhow::{Context, bail, ensure};
use proto::v1::session_options::Content;
use proto::v1::session_request::Request;
use proto::v1::solve_request::Algorithm;
use proto::v1::solver_client::SolverClient;
use proto::v1::{
    Answer, Known, Object, SessionOptions, SessionRequest, Solid, SolveRequest, SurfaceFrame,
    Touch, object, session_reply, solve_reply,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let Some(server) = std::env::args().nth(1) else { bail!("expected the server's address") };
    let mut solver = SolverClient::connect(server).await.context("no solver server there")?;

    let mesh = objects::generate::cube(0.06, 4)?;
    let positions = mesh.rest_positions();
    let highest = positions.iter().map(|x| x.z).fold(f64::MIN, f64::max);
    let lowest = positions.iter().map(|x| x.z).fold(f64::MAX, f64::min);
    let at = |z: f64| {
        let nodes = (0_u32..).zip(positions).filter(move |(_, x)| (x.z - z).abs() < 1e-9);
        nodes.map(|(node, _)| node).collect::<Vec<u32>>()
    };

    // Arrays are sent as little-endian bytes.
    let solid = Solid {
        rest_positions: doubles(positions.iter().flat_map(|x| [x.x, x.y, x.z])),
        elements: integers(mesh.elements().iter().flatten().map(|node| node.0)),
        young: 10e3,
        poisson: 0.4,
        supports: integers(at(lowest)),
        ..Solid::default()
    };
    // The whole top moves down by 3 mm; `7` prescribes x, y and z.
    let top = at(highest);
    let known = Known {
        displacements: doubles(top.iter().flat_map(|_| [0.0, 0.0, -0.003])),
        axes: vec![7; top.len()].into(),
        nodes: integers(top),
    };
    let object = Object { family: Some(object::Family::Solid(solid)) };
    let answer = solved(&mut solver, object.clone(), known.clone()).await?;
    let forces = answer.reaction_forces.as_chunks::<24>().0;
    let down = |force: &[u8; 24]| {
        let z = force.last_chunk().expect("x, y and z are 24 bytes");
        -f64::from_le_bytes(*z)
    };
    let pressed: f64 = forces.iter().map(down).filter(|force| *force > 0.0).sum();
    println!("{} nodes, pressed with {pressed:.2} N", positions.len());

    let frame = streamed(&mut solver, object, known).await?;
    // The same bytes, also for the nodes inside the cube.
    ensure!(frame.displacements == answer.displacements, "stream and answer differ");
    println!("{} displacements, the same in the stream", frame.displacements.len() / 24);
    Ok(())
}

/// Asks once, and waits for the answer.
async fn solved(
    solver: &mut SolverClient<Channel>,
    object: Object,
    known: Known,
) -> anyhow::Result<Answer> {
    let request = SolveRequest {
        object: Some(object),
        known: Some(known),
        algorithm: Algorithm::Factorise.into(),
        ..SolveRequest::default()
    };

    let mut replies = solver.solve(request).await?.into_inner();
    while let Some(reply) = replies.message().await? {
        match reply.reply.context("an empty reply")? {
            solve_reply::Reply::Preparing(progress) => {
                println!("preparing: {:.0} %", 100.0 * progress.share);
            }
            solve_reply::Reply::Answer(answer) => return Ok(answer),
        }
    }
    bail!("the server gave no answer")
}

/// Opens a session, sends one touch and waits for its frame. A real client keeps the session open,
/// and sends a touch whenever the hand has moved.
async fn streamed(
    solver: &mut SolverClient<Channel>,
    object: Object,
    known: Known,
) -> anyhow::Result<SurfaceFrame> {
    const SAMPLE: u64 = 1;
    let (requests, requests_out) = mpsc::channel(2);
    let content = Content::DisplacementsF64.into();
    let options = Some(SessionOptions { content, ..SessionOptions::default() });
    requests.send(SessionRequest { request: Some(Request::Open(object)), options }).await?;
    let touch = Touch {
        sample: SAMPLE,
        world_from_object: doubles([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        known: Some(known),
        ..Touch::default()
    };
    let request = Some(Request::Touch(touch));
    requests.send(SessionRequest { request, options: None }).await?;
    let mut replies = solver.session(ReceiverStream::new(requests_out)).await?.into_inner();
    while let Some(reply) = replies.message().await? {
        // Progress, the surface's topology and the frame of the cube at rest come before.
        if let Some(session_reply::Reply::Frame(frame)) = reply.reply
            && frame.sample == SAMPLE
        {
            return Ok(frame);
        }
    }
    bail!("the server ended the session")
}

fn doubles<B: FromIterator<u8>>(values: impl IntoIterator<Item = f64>) -> B {
    values.into_iter().flat_map(f64::to_le_bytes).collect()
}

fn integers<B: FromIterator<u8>>(values: impl IntoIterator<Item = u32>) -> B {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}
