//! Measures the way from the assembled matrix to the factor, and the columns of a new set of
//! contacts: our solver and other direct solvers in turn, on the same matrix.

use std::sync::Arc;

use anyhow::ensure;
use physics::Progress;
use physics::linear::factor::{Analysis, Factor, Precision};
use physics::linear::{assemble, elimination_order};
use rayon::ThreadPool;

use crate::case::{Case, dofs};
use crate::peer::{Peer, write_matrix};
use crate::{Arguments, pool};
use benchmark::power_law::exponent;
use benchmark::statistics::{least, ratio, timed};

/// Number of nodes under five fingertips.
const TOUCHED: usize = 15;

/// Times of some rounds, in seconds.
#[derive(Default)]
struct Rounds {
    assemble: Vec<f64>,
    order: Vec<f64>,
    analyse: Vec<f64>,
    numeric: Vec<f64>,
    total: Vec<f64>,
    columns: Vec<f64>,
    factor_bytes: f64,
    /// Sum of all displacements of the first round, to check that all solve the same system.
    checksum: f64,
}

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    println!(
        "\n# Load to ready (ordering, analysis, factorisation) and columns of {TOUCHED} nodes"
    );
    let mut peers = start_peers(arguments)?;
    let folder = tempfile::tempdir()?;
    let pools = [pool(1)?, pool(arguments.threads)?];
    let mut growth: Vec<(f64, Rounds)> = Vec::new();
    for case in arguments.cases() {
        let case = case?;
        let matrix = folder.path().join("matrix.bin");
        write_matrix(&matrix, &case.stiffness.held_triangle(&case.held))?;
        for peer in &mut peers {
            peer.load(&matrix)?;
        }
        let [mut alone, mut ours] = [Rounds::default(), Rounds::default()];
        let mut theirs: Vec<Rounds> = peers.iter().map(|_| Rounds::default()).collect();
        for round in 0..arguments.rounds(case.subject.mesh.n_nodes()) {
            let nodes = case.subject.fingers(TOUCHED, 7 * round);
            one_round(&case, &dofs(&nodes), &pools[0], &mut alone)?;
            one_round(&case, &dofs(&nodes), &pools[1], &mut ours)?;
            for (peer, rounds) in peers.iter_mut().zip(&mut theirs) {
                let (analyse, numeric, bytes) = peer.factorise()?;
                let (columns, checksum) = peer.solve(&dofs(&nodes))?;
                rounds.total.push(analyse + numeric);
                rounds.analyse.push(analyse);
                rounds.numeric.push(numeric);
                rounds.columns.push(columns);
                rounds.factor_bytes = bytes;
                if round == 0 {
                    let difference = (checksum - ours.checksum).abs() / ours.checksum.abs();
                    ensure!(difference < 1e-6, "{} solves a different system", peer.name);
                }
            }
        }
        report(&case, arguments.threads, &alone, &ours, &peers, &theirs);
        if case.body == arguments.bodies[0] {
            growth.push((case.subject.mesh.n_nodes() as f64, ours));
        }
    }
    if growth.len() > 1 {
        let trend = |time: &dyn Fn(&Rounds) -> f64| {
            let points: Vec<_> = growth.iter().map(|(n, rounds)| (*n, time(rounds))).collect();
            exponent(&points)
        };
        println!(
            "growth with the number of nodes n: assembly n^{:.2}, ordering n^{:.2}, analysis \
             n^{:.2}, factorisation n^{:.2}, columns n^{:.2}",
            trend(&|r| least(&r.assemble)),
            trend(&|r| least(&r.order)),
            trend(&|r| least(&r.analyse)),
            trend(&|r| least(&r.numeric)),
            trend(&|r| least(&r.columns)),
        );
    }
    Ok(())
}

/// Starts the peers. Each interpreter with MKL makes two: PARDISO's usual settings solve many
/// right-hand sides faster, its tuned settings are ready sooner. The best of all counts.
fn start_peers(arguments: &Arguments) -> anyhow::Result<Vec<Peer>> {
    let mut peers = Vec::new();
    for python in &arguments.mkl {
        for (setting, options) in
            [("tuned", &[][..]), ("usual", &["--iparm", "24=0", "--iparm", "37=0"])]
        {
            let arguments_of_peer = [&["--solver", "pardiso"], options].concat();
            match Peer::start(python, arguments.threads, &arguments_of_peer) {
                Ok(mut peer) => {
                    peer.name = format!("{} {setting}", peer.name);
                    peers.push(peer);
                }
                Err(e) => println!("(without {}: {e:#})", python.display()),
            }
        }
    }
    if let Some(python) = &arguments.cholmod {
        match Peer::start(python, arguments.threads, &["--solver", "cholmod"]) {
            Ok(peer) => peers.push(peer),
            Err(e) => println!("(without CHOLMOD: {e:#})"),
        }
    }
    if peers.is_empty() {
        println!("(no peers: cargo xtask bench sets them up)");
    }
    Ok(peers)
}

fn one_round(
    case: &Case,
    dofs: &[usize],
    pool: &ThreadPool,
    rounds: &mut Rounds,
) -> anyhow::Result<()> {
    pool.install(|| {
        let (assembling, _) = timed(|| assemble(&case.subject.mesh, &case.subject.material));
        let (ordering, order) = timed(|| elimination_order(&case.stiffness, &Progress::default()));
        let (analysing, analysis) = timed(|| Analysis::new(&case.stiffness, &order));
        let (matrix, held) = (Arc::clone(&case.stiffness), case.held.clone());
        let progress = Progress::default();
        let (factorising, factor) =
            timed(|| Factor::new(Arc::new(analysis), matrix, held, Precision::Double, &progress));
        let factor = factor?;
        let wanted = crate::case::dofs(&case.subject.surface);
        let (solving, columns) = timed(|| factor.unit_columns(dofs, &wanted));
        drop(columns);
        if rounds.total.is_empty() {
            // Once, and not timed: at all rows, as the peers do.
            let everywhere: Vec<usize> = (0..case.held.len()).collect();
            rounds.checksum = factor.unit_columns(dofs, &everywhere).iter().sum();
        }
        rounds.assemble.push(assembling);
        rounds.order.push(ordering);
        rounds.analyse.push(analysing);
        rounds.numeric.push(factorising);
        rounds.total.push(ordering + analysing + factorising);
        rounds.columns.push(solving);
        rounds.factor_bytes = factor.bytes() as f64;
        Ok(())
    })
}

fn report(
    case: &Case,
    threads: usize,
    alone: &Rounds,
    ours: &Rounds,
    peers: &[Peer],
    theirs: &[Rounds],
) {
    let ms = |times: &[f64]| 1e3 * least(times);
    println!(
        "\n{case} nodes, {} rounds: ready {:.2} = order {:.2} + analyse {:.2} + factorise \
         {:.2}; columns {:.2}; factor {:.1} MB; (assembly {:.2})",
        ours.total.len(),
        ms(&ours.total),
        ms(&ours.order),
        ms(&ours.analyse),
        ms(&ours.numeric),
        ms(&ours.columns),
        ours.factor_bytes / 1e6,
        ms(&ours.assemble),
    );
    println!(
        "  1 to {threads} threads: factorise {}, columns {}, ready {}, assembly {}",
        ratio(&alone.numeric, &ours.numeric),
        ratio(&alone.columns, &ours.columns),
        ratio(&alone.total, &ours.total),
        ratio(&alone.assemble, &ours.assemble),
    );
    for (peer, their) in peers.iter().zip(theirs) {
        println!(
            "  {:<30} ready {:>8.2} (factorise {:>8.2})  ratio {:<12} columns {:>7.2}  ratio \
             {:<12} factor {:.1} MB",
            peer.name,
            ms(&their.total),
            ms(&their.numeric),
            ratio(&their.total, &ours.total),
            ms(&their.columns),
            ratio(&their.columns, &ours.columns),
            their.factor_bytes / 1e6,
        );
    }
    if !theirs.is_empty() {
        let best = |of: &dyn Fn(&Rounds) -> &Vec<f64>| -> Vec<f64> {
            (0..ours.total.len())
                .map(|round| theirs.iter().map(|r| of(r)[round]).fold(f64::INFINITY, f64::min))
                .collect()
        };
        println!(
            "  best of the peers: ready {}, columns {}",
            ratio(&best(&|r| &r.total), &ours.total),
            ratio(&best(&|r| &r.columns), &ours.columns),
        );
    }
}
