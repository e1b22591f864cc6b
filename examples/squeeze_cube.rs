//! Presses a soft cube from above and prints how it yields.
//!
//! `cargo run -p examples --bin squeeze_cube`
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use nalgebra::Vector3;
use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, NodeId, SolidSpec, Touch};

fn main() -> anyhow::Result<()> {
    // 6 cm wide, six cells along each edge, 10 kPa: as soft as firm jelly.
    let (edge, cells) = (0.06, 6);
    let mesh = objects::generate::cube(edge, cells)?;
    let material = IsotropicElastic::new(10e3, 0.4)?;

    // The lowest layer of nodes is glued to the ground, the middle of the top is pressed.
    let nodes = || (0_u32..).zip(mesh.rest_positions());
    let lowest = nodes().map(|(_, x)| x.z).fold(f64::MAX, f64::min);
    let highest = nodes().map(|(_, x)| x.z).fold(f64::MIN, f64::max);
    let glued = nodes().filter(|(_, x)| x.z < lowest + 1e-9).map(|(i, _)| NodeId(i)).collect();
    let pressed = nodes()
        .filter(|(_, x)| x.z > highest - 1e-9)
        .min_by(|(_, a), (_, b)| a.xy().coords.norm().total_cmp(&b.xy().coords.norm()))
        .map(|(i, _)| NodeId(i))
        .expect("a cube has a top");

    let spec = SolidSpec::new(mesh, material, glued)?;
    let mut cube = physics::build(&spec.into())?;
    println!("depth mm   force N");
    for depth in [0.001, 0.002, 0.003, 0.004, 0.005] {
        let press = KnownDisplacement::whole(pressed, Vector3::new(0.0, 0.0, -depth));
        let report = cube.step(&Touch { known: vec![press], ..Touch::default() }, 0.0);
        anyhow::ensure!(report.outcome == physics::Outcome::Solved, "{report:?}");
        let force: f64 = cube.reactions().iter().map(|reaction| -reaction.force.z).sum();
        println!("{:8.1} {force:9.3}", depth * 1e3);
    }
    Ok(())
}
