//! Nodes that are held while shapes push the same body, against the solver of known displacements,
//! bodies with supports, and laws.

use nalgebra::{Isometry3, Point3, Vector3};
use physics::contact::{
    ContactProxy, ContactSettings, ContactSolid, EnergyAccount, Friction, Pad, ProxyShape,
};
use physics::{KnownDisplacement, NodeId, WhenUnderdetermined};

use super::{DT, GRAVITY, at, exact, fingertip, free_cube, glued, plane, table};
use crate::test_bodies::{Random, nodes_where};

const EDGE: f64 = 0.04;
const SOFT: (f64, f64) = (4e4, 0.3);

/// Long substeps, in seconds: a free body without velocity then comes to rest soon.
const LONG: f64 = 0.1;

fn quasi_static() -> ContactSettings {
    ContactSettings { is_quasi_static: true, ..exact() }
}

fn nodes_at(solid: &ContactSolid, choose: impl Fn(&Point3<f64>) -> bool) -> Vec<NodeId> {
    nodes_where(solid.model().mesh(), choose)
}

fn rest(solid: &ContactSolid, node: NodeId) -> Point3<f64> {
    solid.model().mesh().rest_positions()[node.index()]
}

/// Some nodes of the skin that are no supports, displaced at random by up to `most` metres.
fn random_known(solid: &ContactSolid, n: usize, most: f64, seed: u64) -> Vec<KnownDisplacement> {
    let mut random = Random(seed);
    let skin = &solid.model().rest_surface().topology.nodes;
    let free = |node: &NodeId| solid.body().is_some() || rest(solid, *node).z > 1e-9;
    let free: Vec<NodeId> = skin.iter().copied().filter(free).collect();
    let chosen = free.iter().step_by(free.len() / n).take(n);
    let one = |node: &NodeId| {
        let u = Vector3::from_fn(|_, _| random.between(-most, most));
        KnownDisplacement::whole(*node, u)
    };
    chosen.map(one).collect()
}

/// Largest distance between two lists of vectors, as a share of the largest vector.
fn apart<'a>(
    ours: impl Iterator<Item = Vector3<f64>>,
    theirs: impl Iterator<Item = &'a Vector3<f64>> + Clone,
) -> f64 {
    let largest = theirs.clone().map(|v| v.norm()).fold(0.0, f64::max);
    ours.zip(theirs).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / largest
}

/// Compares reactions and displacements of all nodes with those of the solver of known
/// displacements. `known` are relative to the body's own pose.
fn check_as_known(solid: &ContactSolid, known: &[KnownDisplacement], most: f64) {
    let expected = solid.model().solve(known, WhenUnderdetermined::Refuse).unwrap();
    let turn = solid.motion().world_from_object.rotation.inverse();
    let forces = solid.reactions().iter().map(|reaction| turn * reaction.force);
    let expected_forces = expected.reactions[..known.len()].iter().map(|reaction| &reaction.force);
    let forces = apart(forces, expected_forces);
    let displacements = solid.displacements().into_iter().map(Vector3::from);
    let displacements = apart(displacements, expected.displacements.iter());
    println!("reactions {forces:.1e} apart, displacements {displacements:.1e}");
    assert!(forces < most && displacements < most, "{forces:e} {displacements:e}");
}

#[test]
fn a_supported_body_without_shapes_answers_as_the_solver_of_known_displacements() {
    let mut solid = glued([0.05, 0.04, 0.03], [4, 3, 3], SOFT, exact());
    let mut known = random_known(&solid, 9, 1e-3, 1);
    for round in 0..3 {
        solid.substep_holding(&[], &known, &Vector3::zeros(), DT).unwrap();
        check_as_known(&solid, &known, 1e-9);
        // Then some of the nodes are free along some axes.
        known[round].displacement[round] = None;
        known[round + 3].displacement[(round + 1) % 3] = None;
    }
}

#[test]
fn a_free_body_without_shapes_comes_to_the_answer_of_known_displacements() {
    let mut solid = free_cube(EDGE, 3, SOFT, quasi_static());
    let known = random_known(&solid, 7, 1e-3, 2);
    for _ in 0..60 {
        solid.substep_holding(&[], &known, &Vector3::zeros(), LONG).unwrap();
    }
    // The body has turned to where it is least deformed. In its own frame, the nodes are displaced
    // by this much.
    let pose = solid.motion().world_from_object;
    println!("turned by {:.2e} rad", pose.rotation.angle());
    assert!(pose.rotation.angle() > 1e-3);
    let own = |known: &KnownDisplacement| {
        let x = rest(&solid, known.node);
        let to = pose.inverse_transform_point(&(x + known.vector()));
        KnownDisplacement::whole(known.node, to - x)
    };
    let own: Vec<_> = known.iter().map(own).collect();
    check_as_known(&solid, &own, 1e-7);
}

#[test]
fn held_nodes_do_as_supports_under_a_fingertip() {
    let forces = |is_held: bool| {
        let (size, cells) = ([0.05, 0.05, 0.03], [5, 5, 3]);
        // Friction would remember the way, on which a free body is slower. The local compliance
        // follows from the compliance of the body without held nodes.
        let settings = ContactSettings { has_local_compliance: false, ..quasi_static() };
        let mut solid = match is_held {
            true => {
                let mesh = super::centred(&super::shaken_box(size.into(), cells), false);
                super::contact_solid(mesh, SOFT, Vec::new(), settings)
            }
            false => glued(size, cells, SOFT, settings),
        };
        let lowest = nodes_at(&solid, |x| x.z == 0.0);
        let still = |node: &NodeId| KnownDisplacement::whole(*node, Vector3::zeros());
        let known: Vec<_> = lowest.iter().filter(|_| is_held).map(still).collect();
        let mut tip = fingertip(at(2e-3, 1e-3, 0.03 + 8e-3), 0.0);
        for step in 0..60 {
            let depth = 2e-3 * f64::from(step.min(20)) / 20.0;
            let aside = 5e-4 * f64::from((step - 20).clamp(0, 20)) / 20.0;
            tip = tip.moved_to(at(2e-3 + aside, 1e-3, 0.03 + 8e-3 - depth));
            let still = Vector3::zeros();
            solid.substep_holding(&[tip], &known, &still, LONG).unwrap();
        }
        let carried: Vector3<f64> = solid.reactions().iter().map(|reaction| reaction.force).sum();
        (solid.reports()[0].force, carried, solid.motion().world_from_object)
    };
    let (supported, _, _) = forces(false);
    let (held, carried, pose) = forces(true);
    println!("on supports {supported}, on held nodes {held}, carried by them {carried}");
    assert!(supported.norm() > 0.1);
    assert!((held - supported).norm() < 1e-5 * supported.norm());
    assert!((held + carried).norm() < 1e-9 * held.norm());
    // The frame that floats with the body has moved; the held nodes have not.
    assert!(pose.translation.vector.norm() > 1e-6);
}

#[test]
fn without_held_nodes_the_bits_are_those_of_contact() {
    let new = || free_cube(EDGE, 3, SOFT, ContactSettings::default());
    let (mut plain, mut mixed) = (new(), new());
    let gravity = Vector3::new(0.0, 0.0, -GRAVITY);
    let known = random_known(&plain, 3, 1e-4, 3);
    for step in 0..120 {
        let depth = 2e-5 * f64::from(step.min(80));
        let tips = [-1.0, 1.0].map(|side| {
            fingertip(at(side * (0.5 * EDGE + 8e-3 - depth), 1e-5 * f64::from(step), 0.0), 0.6)
        });
        let shapes = [table(-0.5 * EDGE, 0.4), tips[0], tips[1]];
        // Nodes that were held in between leave no trace in what was prepared.
        if step == 60 {
            let state = mixed.state();
            mixed.substep_holding(&shapes, &known, &gravity, DT).unwrap();
            mixed.restore(&state).unwrap();
        }
        plain.substep(&shapes, &gravity, DT);
        mixed.substep_holding(&shapes, &[], &gravity, DT).unwrap();
        assert_eq!(plain.state(), mixed.state(), "step {step}");
        assert!(mixed.reactions().is_empty());
    }
}

/// Cube that is held at three nodes of its top, and pressed from two sides.
struct Led {
    solid: ContactSolid,
    known: Vec<KnownDisplacement>,
    tips: [ContactProxy; 2],
}

impl Led {
    fn new(settings: ContactSettings) -> Self {
        let solid = free_cube(EDGE, 3, SOFT, settings);
        let corners = [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]];
        let known = corners.iter().flat_map(|[x, y]| {
            let place = Point3::new(x * EDGE, y * EDGE, 0.5 * EDGE);
            nodes_at(&solid, |at| (at - place).norm() < 1e-9)
        });
        let mut known: Vec<_> =
            known.map(|node| KnownDisplacement::whole(node, Vector3::zeros())).collect();
        known.sort_by_key(|known| known.node);
        assert_eq!(known.len(), 3);
        let tip = |side: f64| fingertip(at(side * (0.5 * EDGE + 8e-3), 2e-3, -1e-3), 0.6);
        Self { solid, known, tips: [tip(-1.0), tip(1.0)] }
    }

    /// Moves the nodes and the fingertips on, and returns the energies.
    fn go(
        &mut self,
        nodes: Vector3<f64>,
        tips: [Vector3<f64>; 2],
        gravity: &Vector3<f64>,
    ) -> EnergyAccount {
        for known in &mut self.known {
            *known = KnownDisplacement::whole(known.node, known.vector() + nodes);
        }
        for (tip, way) in self.tips.iter_mut().zip(tips) {
            *tip = tip.moved_to(Isometry3::from(tip.to.translation.vector + way));
        }
        self.solid.substep_holding(&self.tips, &self.known, gravity, DT).unwrap().energy
    }
}

#[test]
fn forces_of_fingertips_and_held_nodes_change_the_momentum_and_add_no_energy() {
    let settings = ContactSettings { tolerance: 1e-9, most_sweeps: 300, ..Default::default() };
    let mut led = Led::new(settings);
    let gravity = Vector3::new(0.0, 0.0, -GRAVITY);
    let mass = led.solid.body().unwrap().mass;
    let mut random = Random(17);
    let mut stored = led.go(Vector3::zeros(), [Vector3::zeros(); 2], &gravity).stored();
    let (mut largest, mut most_gain, mut most_off) = (0.0_f64, f64::NEG_INFINITY, 0.0_f64);
    for step in 0..400 {
        let mut shake = || Vector3::from_fn(|_, _| random.between(-2e-5, 2e-5));
        let inwards = Vector3::x() * if step < 100 { 1.5e-5 } else { 0.0 };
        let (nodes, tips) = (shake(), [inwards + shake(), shake() - inwards]);
        let before = led.solid.motion().velocity;
        let energy = led.go(nodes, tips, &gravity);
        let reports = led.solid.reports().iter().map(|report| report.force);
        let reactions = led.solid.reactions().iter().map(|reaction| reaction.force);
        let sum: Vector3<f64> = reports.chain(reactions).sum();
        let expected = ((led.solid.motion().velocity - before) / DT - gravity) * mass;
        assert!((sum - expected).norm() < 1e-9 * sum.norm().max(1e-3), "{sum} {expected}");
        largest = largest.max(sum.norm());
        most_gain = most_gain.max(energy.stored() - stored - energy.work);
        stored = energy.stored();
        let mut reached = Vec::new();
        let nodes = led.known.iter().map(|known| known.node);
        led.solid.displacements_in_world(nodes, &mut reached);
        for (known, reached) in led.known.iter().zip(reached) {
            most_off = most_off.max((known.vector() - reached).norm());
        }
    }
    println!("largest force {largest:.3} N, nodes within {most_off:.1e} m, gain {most_gain:.1e} J");
    assert!(largest > 0.1 && most_gain < 1e-9);
    // The turn is linearised in each substep and made good in the next one.
    assert!(most_off < 2e-6);
}

#[test]
fn a_pressed_plane_and_a_held_node_answer_each_other_equally() {
    let settings = ContactSettings { tolerance: 1e-14, most_sweeps: 20_000, ..exact() };
    let mut solid = glued([0.05, 0.05, 0.03], [4, 4, 3], SOFT, settings);
    let [node] = nodes_at(&solid, |x| (x - Point3::new(0.025, -0.025, 0.02)).norm() < 6e-3)[..]
    else {
        panic!("one node on the edge")
    };
    let direction = Vector3::new(0.6, 0.0, -0.8);
    // Forces of the plane along its way and of the node along its own, for both ways.
    let mut forces = |plane_way: f64, node_way: f64| {
        let height = 0.03 - 1e-3 - plane_way;
        let shape = plane(-Vector3::z(), -height, Pad::FINGERTIP, 0.0);
        let known = [KnownDisplacement::whole(node, direction * (1e-3 + node_way))];
        for _ in 0..6 {
            solid.substep_holding(&[shape], &known, &Vector3::zeros(), DT).unwrap();
        }
        [-solid.reports()[0].force.z, solid.reactions()[0].force.dot(&direction)]
    };
    let step = 1e-5;
    let [plane_0, node_0] = forces(0.0, 0.0);
    let [_, of_plane] = forces(step, 0.0);
    let [of_node, _] = forces(0.0, step);
    let (one, other) = ((of_plane - node_0) / step, (of_node - plane_0) / step);
    println!("the plane's way gives the node {one:.6e} N/m, the node's the plane {other:.6e}");
    assert!(one.abs() > 1.0 && (one / other - 1.0).abs() < 1e-6);
}

#[test]
fn nodes_that_cannot_be_held_are_named_and_change_nothing() {
    let mut solid = glued([0.05, 0.04, 0.03], [4, 3, 3], SOFT, exact());
    let tip = fingertip(at(0.0, 0.0, 0.03 + 7e-3), 0.6);
    solid.substep(&[tip], &Vector3::zeros(), DT);
    let before = solid.state();
    let support = nodes_at(&solid, |x| x.z == 0.0)[0];
    let inside =
        nodes_at(&solid, |x| x.x.abs() < 0.02 && x.y.abs() < 0.015 && (5e-3..0.025).contains(&x.z))
            [0];
    let top = nodes_at(&solid, |x| x.z > 0.029)[0];
    let n_nodes = solid.model().mesh().n_nodes() as u32;
    let bad = |node: NodeId, x: f64| vec![KnownDisplacement::whole(node, Vector3::x() * x)];
    let mut refused = |known: Vec<KnownDisplacement>, text: &str| {
        let error = solid.substep_holding(&[tip], &known, &Vector3::zeros(), DT).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!(solid.state(), before);
    };
    let name = |node: NodeId| format!("node {}", node.0);
    refused(bad(support, 0.0), &format!("{} is a support and cannot be moved", name(support)));
    let text = format!("{} is inside the object, expected nodes of its surface", name(inside));
    refused(bad(inside, 0.0), &text);
    let text = format!("node {n_nodes} does not exist, there are {n_nodes} nodes");
    refused(bad(NodeId(n_nodes), 0.0), &text);
    refused(bad(top, f64::NAN), &format!("the displacement of {} is not finite", name(top)));
}

#[test]
fn shapes_and_numbers_that_cannot_be_are_refused_in_words() {
    let mut solid = glued([0.05, 0.04, 0.03], [2, 2, 2], SOFT, exact());
    let good = fingertip(at(0.0, 0.0, 0.03 + 7e-3), 0.6);
    solid.substep(&[good], &Vector3::zeros(), DT);
    let before = solid.state();
    let mut refused = |tip: ContactProxy, gravity: f64, dt: f64, words: &str| {
        let gravity = Vector3::y() * gravity;
        let error = solid.substep_holding(&[good, tip], &[], &gravity, dt).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(solid.state(), before);
    };
    let friction =
        |sticking, sliding| ContactProxy { friction: Friction { sticking, sliding }, ..good };
    let pad = |normal, tangential, thickness| ContactProxy {
        pad: Pad { normal, tangential, thickness },
        ..good
    };
    let shape = |shape| ContactProxy { shape, ..good };
    for tip in [friction(-0.1, -0.1), friction(f64::NAN, 0.1), friction(0.3, 0.5)] {
        refused(tip, 0.0, DT, "expected numbers from 0, the second not above the first");
    }
    for tip in [pad(f64::NAN, 1e-7, 1.0), pad(1e-7, 0.0, 1.0), pad(1e-7, 1e-7, -1.0)] {
        refused(tip, 0.0, DT, "expected positive numbers");
    }
    let cylinder =
        ProxyShape::Cylinder { radius: 8e-3, half_length: f64::INFINITY, is_rounded: true };
    let flat = ProxyShape::Box { half_extents: Vector3::new(0.01, 0.0, 0.01) };
    for tip in [shape(ProxyShape::Sphere { radius: 0.0 }), shape(cylinder), shape(flat)] {
        refused(tip, 0.0, DT, "a size that is not positive");
    }
    let nowhere = ContactProxy { to: at(f64::NAN, 0.0, 0.0), ..good };
    refused(nowhere, 0.0, DT, "numbers that are not finite");
    refused(good, f64::NAN, DT, "expected finite numbers and time");
    for dt in [0.0, -DT, f64::NAN] {
        refused(good, 0.0, dt, "expected finite numbers and time");
    }
}
