//! Contract of every family, checked through `dyn Deformable`. A new family adds a test at the end.

use crate::damped_mass::DampedMass;
use crate::test_bodies::{glued_block, soft_block};
use nalgebra::{Point3, UnitQuaternion, Vector3};
use physics::contact::ContactSettings;
use physics::{
    Deformable, Grip, KnownDisplacement, MemoryLimits, Model, NodeId, ObjectSpec, Outcome,
    Progress, Proxy, ProxyId, SampleId, Shape, State, SurfaceFrame, Touch, build,
};

/// A family under test.
struct Family {
    /// Makes an object at rest.
    make: fn() -> Box<dyn Deformable>,
    /// Touch of a hand that presses an object to a depth in metres.
    press: fn(&dyn Deformable, f64) -> Touch,
}

impl Family {
    fn keeps_contract(&self) {
        surface_is_well_formed(&*(self.make)());
        nonsense_is_refused_and_changes_nothing((self.make)());
        self.answers_a_press();
        self.gives_same_bits_for_same_touches();
        self.goes_on_from_a_state();
        self.refuses_a_state_of_something_else();
        self.stays_as_it_is_without_time();
    }

    /// Time step for the object: its substep, if it has one.
    fn dt(object: &dyn Deformable) -> f64 {
        object.substep().unwrap_or(0.01)
    }

    fn step(&self, object: &mut dyn Deformable, depth: f64) -> SurfaceFrame {
        let touch = (self.press)(object, depth);
        let report = object.step(&touch, Self::dt(object));
        SurfaceFrame::of(object, SampleId(1), report)
    }

    /// Checks that the press of the other checks works: it is solved, moves the surface, and gives
    /// forces.
    fn answers_a_press(&self) {
        let mut object = (self.make)();
        let rest = object.surface().clone();
        let frame = self.step(&mut *object, 0.002);
        assert_eq!(frame.report.outcome, Outcome::Solved);
        assert_ne!(object.surface(), &rest);
        let n_forces = frame.reactions.len() + frame.contact_forces.len();
        assert!(n_forces > 0, "a hand feels what it presses");
    }

    fn gives_same_bits_for_same_touches(&self) {
        let (mut one, mut other) = ((self.make)(), (self.make)());
        for depth in [0.001, 0.002, 0.003] {
            assert_eq!(self.step(&mut *one, depth), self.step(&mut *other, depth));
        }
    }

    /// Checks that a state restored in another object gives the same bits in the following steps.
    fn goes_on_from_a_state(&self) {
        let (mut one, mut other) = ((self.make)(), (self.make)());
        self.step(&mut *one, 0.001);
        let saved = one.state();
        self.step(&mut *other, 0.003);
        other.restore(&saved).unwrap();
        assert_eq!(other.state(), saved);
        for depth in [0.002, 0.003] {
            assert_eq!(self.step(&mut *one, depth), self.step(&mut *other, depth));
        }
    }

    fn refuses_a_state_of_something_else(&self) {
        let mut object = (self.make)();
        self.step(&mut *object, 0.002);
        let (state, surface) = (object.state(), object.surface().clone());
        let wrong = [
            State { family: "nothing".to_owned(), ..state.clone() },
            State { version: state.version + 1, ..state.clone() },
            State { reals: vec![1.0; state.reals.len() + 1], ..state.clone() },
        ];
        for wrong in wrong {
            assert!(object.restore(&wrong).is_err(), "{wrong:?}");
            assert_eq!((object.state(), object.surface()), (state.clone(), &surface));
        }
    }

    /// Checks that a step of length 0 only computes the fields of matter with inertia.
    fn stays_as_it_is_without_time(&self) {
        let mut object = (self.make)();
        if object.substep().is_none() {
            return;
        }
        self.step(&mut *object, 0.002);
        let (state, positions) = (object.state(), object.surface().positions.clone());
        let forces = object.contact_forces().to_vec();
        let touch = Touch { wants_fields: true, ..(self.press)(&*object, 0.003) };
        object.step(&touch, 0.0);
        assert_eq!((object.state(), &object.surface().positions), (state, &positions));
        assert_eq!(object.contact_forces(), forces);
        let surface = object.surface();
        assert_eq!(surface.fields.len(), surface.topology.fields.len());
    }
}

/// Further contract of matter without weight, inertia and memory.
fn elastic_contract(make: impl Fn() -> Box<dyn Deformable>) {
    nothing_happens_without_a_touch(make());
    letting_go_springs_back(make());
}

fn surface_is_well_formed(object: &dyn Deformable) {
    let surface = object.surface();
    let n = surface.positions.len();
    assert_eq!(n, surface.topology.nodes.len());
    assert_eq!(n, surface.topology.rest_positions.len());
    assert!(surface.topology.nodes.is_sorted(), "points follow their nodes' order");
    assert!(surface.topology.triangles.iter().flatten().all(|&i| (i as usize) < n));
    assert!(object.reactions().is_empty());
}

fn nothing_happens_without_a_touch(mut object: Box<dyn Deformable>) {
    let rest = object.surface().clone();
    let report = object.step(&Touch::default(), 0.01);
    assert_eq!(report.outcome, Outcome::AtRest);
    assert_eq!(object.surface(), &rest);
}

fn nonsense_is_refused_and_changes_nothing(mut object: Box<dyn Deformable>) {
    let rest = object.surface().clone();
    let zero = Vector3::zeros();
    let known = |entries: &[(u32, Vector3<f64>)]| Touch {
        known: entries
            .iter()
            .map(|&(node, displacement)| KnownDisplacement::whole(NodeId(node), displacement))
            .collect(),
        ..Touch::default()
    };
    let mut nonsense = vec![
        known(&[(u32::MAX, zero)]),
        known(&[(1, zero), (1, zero)]),
        known(&[(5, zero), (2, zero)]),
        known(&[(0, Vector3::new(f64::NAN, 0.0, 0.0))]),
    ];
    // Proxies belong to no topology.
    if object.surface().topology.grip == Grip::Nodes {
        nonsense.push(Touch { topology_version: 99, ..Touch::default() });
    }
    for touch in nonsense {
        let report = object.step(&touch, 0.01);
        assert!(matches!(report.outcome, Outcome::Refused(_)), "{touch:?} gave {report:?}");
        assert!(object.reactions().is_empty());
        assert_eq!(object.surface(), &rest);
    }
}

fn letting_go_springs_back(mut object: Box<dyn Deformable>) {
    let rest = object.surface().clone();
    let report = object.step(&squeeze(&*object, 0.002), 0.01);
    assert_eq!(report.outcome, Outcome::Solved);
    assert_ne!(object.surface(), &rest);
    object.step(&Touch::default(), 0.01);
    assert_eq!(object.surface(), &rest);
    assert!(object.reactions().is_empty());
}

/// Presses five far-apart points of the surface towards its middle, like fingertips. It omits
/// points on the lower side, which may be glued.
fn squeeze(object: &dyn Deformable, depth: f64) -> Touch {
    let surface = object.surface();
    let at = |i: usize| Vector3::from(surface.topology.rest_positions[i].map(f64::from));
    let n = surface.positions.len();
    let highest = (0..n).map(|i| at(i).z).fold(f64::MIN, f64::max);
    let upper: Vec<usize> = (0..n).filter(|&i| at(i).z > 0.3 * highest).collect();
    let middle = upper.iter().map(|&i| at(i)).sum::<Vector3<f64>>() / upper.len() as f64;
    let known = upper
        .iter()
        .step_by(upper.len() / 5)
        .map(|&i| {
            let inward = (middle - at(i)).cap_magnitude(depth);
            KnownDisplacement::whole(surface.topology.nodes[i], inward)
        })
        .collect();
    Touch { known, topology_version: surface.topology.version, ..Touch::default() }
}

/// Pushes a fingertip into the object from its side.
fn push(object: &dyn Deformable, depth: f64) -> Touch {
    let rest = &object.surface().topology.rest_positions;
    let points = rest.iter().map(|x| Vector3::from(x.map(f64::from)));
    let middle = points.clone().sum::<Vector3<f64>>() / rest.len() as f64;
    let half = points.map(|x| (x - middle).amax()).fold(0.0, f64::max);
    let radius = 0.007;
    let centre = Point3::from(middle + Vector3::x() * (half + radius - depth));
    let proxy = Proxy {
        id: ProxyId { hand: 1, finger: 1, segment: ProxyId::TIP },
        shape: Shape::Sphere { centre, radius },
        orientation: UnitQuaternion::identity(),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    };
    let topology_version = object.surface().topology.version;
    Touch { proxies: vec![proxy], topology_version, ..Touch::default() }
}

#[test]
fn a_free_solid_keeps_the_contract() {
    let make = || build(&ObjectSpec::Solid(soft_block())).unwrap();
    Family { make, press: squeeze }.keeps_contract();
    elastic_contract(make);
}

#[test]
fn a_supported_solid_keeps_the_contract() {
    let make = || build(&ObjectSpec::Solid(glued_block())).unwrap();
    Family { make, press: squeeze }.keeps_contract();
    elastic_contract(make);
}

#[test]
fn solids_in_contact_keep_the_contract() {
    for spec in [soft_block, glued_block] {
        let in_contact = spec().held_by_contact(ContactSettings::default()).unwrap();
        assert_ne!(hash(&in_contact.clone().into()), hash(&spec().into()));
    }
    let free = || {
        let spec = soft_block().held_by_contact(ContactSettings::default()).unwrap();
        build(&ObjectSpec::Solid(spec)).unwrap()
    };
    Family { make: free, press: push }.keeps_contract();
    let glued = || {
        let spec = glued_block().held_by_contact(ContactSettings::default()).unwrap();
        build(&ObjectSpec::Solid(spec)).unwrap()
    };
    Family { make: glued, press: push }.keeps_contract();
}

fn hash(spec: &ObjectSpec) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    spec.hash_content(&mut hasher);
    std::hash::Hasher::finish(&hasher)
}

/// Example of a family with inertia that finds its own contacts.
#[test]
fn a_damped_mass_keeps_the_contract() {
    let make = || {
        let spec = ObjectSpec::Solid(soft_block());
        let model = Model::prepare(&spec, MemoryLimits::default(), &Progress::default()).unwrap();
        DampedMass::of(&model)
    };
    Family { make, press: push }.keeps_contract();
}
