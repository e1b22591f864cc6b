//! Measures touch to frame through a solver-server on this machine, compared with the bare socket.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use benchmark::server::Server;
use engine::{Bell, LinkState, ObjectSpec, RemoteLink, SolverLink};
use physics::{Outcome, SampleId};

use crate::Arguments;
use benchmark::statistics::{quantile, timed};

/// Number of frames that are measured.
const FRAMES: usize = 3000;

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!("\n# Touch to frame through gRPC on loopback, beside the bare socket (µs)");
    let program = Server::program().context("there is no solver-server next to this program")?;
    let server = Server::start(&program, arguments.threads)?;
    for case in arguments.cases() {
        let case = case?;
        let bell = Arc::new(Bell::default());
        let spec = ObjectSpec::from(case.subject.spec()?);
        let mut link = RemoteLink::start(server.url.clone(), spec, Arc::clone(&bell))?;
        wait_ready(&mut link, &bell)?;
        for touched in [15, 60] {
            let nodes = case.subject.fingers(touched, 0);
            let mut times = Vec::with_capacity(FRAMES);
            let mut down = 0;
            let start = Instant::now();
            // The first frames wait for columns and for threads to wake up.
            for i in 0..FRAMES + 100 {
                let mut touch = case.subject.squeeze(&nodes, i);
                touch.sample = SampleId((touched * 10_000 + i) as u64);
                let sample = touch.sample;
                let (time, frame) = timed(|| {
                    link.submit(touch);
                    loop {
                        match link.latest() {
                            Some(frame) if frame.sample == sample => break frame,
                            _ => bell.wait_for(Duration::from_secs(20)),
                        }
                    }
                });
                ensure!(frame.report.outcome == Outcome::Solved, "{:?}", frame.report.outcome);
                down = 12 * frame.positions.len();
                if i >= 100 {
                    times.push(time);
                }
            }
            let rate = (FRAMES + 100) as f64 / start.elapsed().as_secs_f64();
            let floor = socket_floor(28 * nodes.len(), down)?;
            println!(
                "{case} nodes, {:>3} touched: median {:>6.0}, 99th percentile {:>6.0}, \
                 {rate:>6.0} Hz; socket alone ({} kB): median {:>4.0}, 99th percentile {:>4.0}",
                nodes.len(),
                1e6 * quantile(&times, 0.5),
                1e6 * quantile(&times, 0.99),
                down / 1000,
                1e6 * quantile(&floor, 0.5),
                1e6 * quantile(&floor, 0.99),
            );
        }
    }
    Ok(())
}

pub(crate) fn wait_ready(link: &mut RemoteLink, bell: &Bell) -> anyhow::Result<()> {
    loop {
        match link.state() {
            LinkState::Ready(_) => return Ok(()),
            LinkState::Failed(why) => anyhow::bail!(why),
            LinkState::Preparing(_) | LinkState::Lost(_) => {
                bell.wait_for(Duration::from_millis(50));
            }
        }
    }
}

/// Times of exchanges of `up` bytes up and `down` bytes down over a plain connection.
fn socket_floor(up: usize, down: usize) -> anyhow::Result<Vec<f64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let echo = std::thread::Builder::new().name("echo".to_owned()).spawn(move || {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        let (mut request, answer) = (vec![0; up], vec![1; down]);
        // Ends when the other side closes.
        while stream.read_exact(&mut request).is_ok() {
            stream.write_all(&answer)?;
        }
        std::io::Result::Ok(())
    })?;
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let (request, mut answer) = (vec![0; up], vec![0; down]);
    let mut times = Vec::with_capacity(FRAMES);
    for _ in 0..FRAMES {
        let (time, done) = timed(|| {
            stream.write_all(&request)?;
            stream.read_exact(&mut answer)
        });
        done?;
        times.push(time);
    }
    drop(stream);
    echo.join().map_err(|_| anyhow::anyhow!("the echo thread panicked"))??;
    Ok(times)
}
