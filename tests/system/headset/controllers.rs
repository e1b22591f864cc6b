//! A hand that holds a controller, for headsets that see no hands.

use calibration::TrackerTransforms;
use emulators::Motion;
use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::monado::{Monado, View};
use super::perform;
use crate::program::{Program, SMALL_PICTURES};

/// Where a right hand holds a controller that has its wrist where the demonstration's is at the
/// cube: a grip of OpenXR lies in the palm, x out of the back of the hand, -z towards the thumb.
fn grip() -> ([f32; 3], [f32; 4]) {
    let motion = Motion::grasp_and_squeeze();
    let state = motion.keyframes().iter().find(|k| k.name == "at the object").unwrap().state;
    let [w, i, j, k] = state.receiver_quaternion;
    let source_from_sensor = Isometry3::from_parts(
        Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    );
    let world_from_wrist = TrackerTransforms::default().world_from_wrist(&source_from_sensor);
    let turn = Matrix3::from_columns(&[Vector3::y(), Vector3::z(), Vector3::x()]);
    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
    let wrist_from_grip = Isometry3::from_parts(Translation3::new(0.0, -0.012, -0.055), turn);
    let grip = world_from_wrist * wrist_from_grip;
    let q = grip.rotation;
    let place = grip.translation.vector;
    ([place.x, place.y, place.z].map(|x| x as f32), [q.i, q.j, q.k, q.w].map(|x| x as f32))
}

#[test]
fn a_trigger_closes_the_fingers_and_the_controller_vibrates() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    let folder = tempfile::tempdir().unwrap();
    // Pressed slowly, held, and let go, again and again.
    let view = |seconds: f32| {
        let seconds = seconds % 12.0;
        let pressed = ((seconds - 2.0) * 0.07).clamp(0.0, 0.42);
        let trigger = if seconds < 9.0 { pressed } else { 0.0 };
        View { curl: Some(trigger), wrist: grip(), holds_controller: true, ..View::default() }
    };
    perform(&monado, view, || {
        let mut palpate = monado.palpate();
        palpate.args(["squeeze", "--hand", "openxr", "--headless", "--seconds", "100"]);
        palpate.args(SMALL_PICTURES);
        let (status, said) =
            Program::start("palpate", palpate.arg("--pictures").arg(folder.path())).wait();
        assert!(status.success(), "{said}");
        assert!(said.contains("-> deforming: 5 fingertips hold on"), "{said}");
        assert!(said.contains("deforming -> releasing: the fingers opened"), "{said}");
        assert!(said.contains("felt      up to") && said.contains("by the right hand"), "{said}");
    });
}

#[test]
fn a_headset_without_hands_goes_on_with_advice() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_simulated_headset();
    let folder = tempfile::tempdir().unwrap();
    let mut palpate = monado.palpate();
    palpate.args(["squeeze", "--hand", "openxr", "--headless", "--seconds", "600"]);
    palpate.args(SMALL_PICTURES);
    let palpate = Program::start("palpate", palpate.arg("--pictures").arg(folder.path()));
    palpate.wait_for("shows the scene");
    palpate.signal("INT");
    let (_, said) = palpate.wait();
    assert!(said.contains("sees no hands") && said.contains("hold its controllers"), "{said}");
    assert!(said.contains("pictures for each eye"), "{said}");
}
