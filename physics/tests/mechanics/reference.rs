//! Comparison of solids with scikit-fem. `tests/reference/make_reference.py` makes the file.

use nalgebra::{Point3, Vector3};
use physics::family::solid::SolidModel;
use physics::material::IsotropicElastic;
use physics::{
    Deformable, KnownDisplacement, NodeId, Outcome, SolidSpec, TetMesh, WhenUnderdetermined,
};
use serde_json::Value;

use crate::streamed_frames::check_frame;
use crate::test_bodies::{largest, model, solid, touch};

/// One object with one touch, and scikit-fem's solution.
struct Case {
    name: String,
    spec: SolidSpec,
    known: Vec<KnownDisplacement>,
    displacements: Vec<Vector3<f64>>,
    /// Reactions of the touched nodes and of the supports.
    reactions: Vec<(NodeId, Vector3<f64>)>,
    strain_energy: f64,
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../reference/scikit_fem.json")).unwrap();
    let of_body = |body: &Value| -> Vec<Case> { list(&body["cases"], |c| case(body, c)) };
    list(&file["bodies"], of_body).into_iter().flatten().collect()
}

fn case(body: &Value, case: &Value) -> Case {
    let elements = list(&body["elements"], |e| <[_; 4]>::try_from(list(e, node)).unwrap());
    let positions = list(&body["positions"], |x| Point3::from(vector(x)));
    let mesh = TetMesh::new(positions, elements).unwrap();
    let material = IsotropicElastic::new(number(&body["young"]), number(&body["poisson"])).unwrap();
    let mut known = list(&case["known"], |entry| KnownDisplacement {
        node: node(&entry["node"]),
        displacement: [0, 1, 2].map(|axis| entry["displacement"][axis].as_f64()),
    });
    known.sort_by_key(|k| k.node);
    Case {
        name: format!("{}, {}", body["name"], case["name"]),
        spec: SolidSpec::new(mesh, material, list(&case["supports"], node)).unwrap(),
        known,
        displacements: list(&case["displacements"], vector),
        reactions: list(&case["reactions"], |r| (node(&r["node"]), vector(&r["force"]))),
        strain_energy: number(&case["strain_energy"]),
    }
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(item).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn node(value: &Value) -> NodeId {
    NodeId(value.as_u64().unwrap() as u32)
}

fn vector(value: &Value) -> Vector3<f64> {
    Vector3::from_vec(list(value, number))
}

impl Case {
    fn reaction_at(&self, node: NodeId) -> Vector3<f64> {
        self.reactions.iter().find(|(other, _)| *other == node).unwrap().1
    }

    fn largest_reaction(&self) -> f64 {
        largest(self.reactions.iter().map(|(_, force)| force))
    }

    fn check_solution(&self, model: &SolidModel) {
        let solution = model.solve(&self.known, WhenUnderdetermined::Refuse).unwrap();
        assert_eq!(solution.displacements.len(), self.displacements.len());
        let scale = largest(&self.displacements);
        for (node, (u, expected)) in
            solution.displacements.iter().zip(&self.displacements).enumerate()
        {
            assert!((u - expected).norm() < 1e-9 * scale, "{}: node {node}", self.name);
        }
        assert_eq!(solution.reactions.len(), self.known.len() + self.spec.supports().len());
        for r in &solution.reactions {
            let error = (r.force - self.reaction_at(r.node)).norm();
            assert!(error < 1e-9 * self.largest_reaction(), "{}: force at {:?}", self.name, r.node);
        }
        let energy = (solution.strain_energy - self.strain_energy).abs();
        assert!(energy < 1e-9 * self.strain_energy, "{}: {energy} J", self.name);
    }
}

#[test]
fn the_exact_answer_is_that_of_scikit_fem() {
    let cases = cases();
    assert_eq!(cases.len(), 15);
    for case in &cases {
        case.check_solution(&model(&case.spec));
    }
}

#[test]
fn the_streamed_frame_is_that_of_scikit_fem() {
    let mut n_streamed = 0;
    for case in cases() {
        let mut solid = solid(&case.spec);
        let skin = &solid.surface().topology.nodes;
        if !case.known.iter().all(|k| skin.contains(&k.node)) {
            // A hand cannot touch inner nodes.
            let report = solid.step(&touch(case.known.clone()), 0.0);
            assert!(matches!(report.outcome, Outcome::Refused(why) if why.contains("inside")));
            continue;
        }
        n_streamed += 1;
        let report = solid.step(&touch(case.known.clone()), 0.0);
        assert_eq!(report.outcome, Outcome::Solved, "{}", case.name);
        check_frame(&solid, case.spec.mesh(), &case.displacements);
        for r in solid.reactions() {
            let error = (r.force - case.reaction_at(r.node)).norm();
            assert!(error < 1e-9 * case.largest_reaction(), "{}: {:?}", case.name, r.node);
        }
    }
    assert!(n_streamed >= 9, "only {n_streamed} cases touch the skin alone");
}
