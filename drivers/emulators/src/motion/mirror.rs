//! Mirrors a motion for the other hand.

use super::{HandState, Keyframe, Motion};

impl Motion {
    /// The motion of the other hand, mirrored at a plane ahead of the transmitter, `right_cm` to
    /// its right.
    ///
    /// Joint angles do not change: flexion and abduction are the same for both hands, and so is the
    /// position of the receiver on the hand.
    pub fn mirrored(&self, right_cm: f64) -> Self {
        let keyframes = self.keyframes.iter().map(|keyframe| Keyframe {
            state: keyframe.state.mirrored(right_cm),
            ..keyframe.clone()
        });
        // A puppet leads one hand only; the other hand uses the keyframes.
        Self { keyframes: keyframes.collect(), period: self.period, puppet: None }
    }
}

impl HandState {
    fn mirrored(&self, right_cm: f64) -> Self {
        let [x, y, z] = self.receiver_position_cm;
        // A rotation about x or z changes its direction when it is mirrored in y.
        let [w, i, j, k] = self.receiver_quaternion;
        Self {
            receiver_position_cm: [x, 2.0 * right_cm - y, z],
            receiver_quaternion: [w, -i, j, -k],
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn turn([w, x, y, z]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
        let once = cross([x, y, z], v);
        let twice = cross([x, y, z], once);
        std::array::from_fn(|i| v[i] + 2.0 * (w * once[i] + twice[i]))
    }

    fn check(got: [f64; 3], want: [f64; 3]) {
        let apart = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{got:?}, expected {want:?}");
    }

    #[test]
    fn places_and_directions_are_those_in_a_mirror() {
        let motion = Motion::grasp_and_squeeze();
        let other = motion.mirrored(-12.5);
        assert_eq!(other.period(), motion.period());
        for step in 0..90 {
            let seconds = f64::from(step) / 10.0;
            let (one, two) = (motion.state_at(seconds), other.state_at(seconds));
            assert_eq!(one.angles_deg, two.angles_deg);
            let in_mirror = |[x, y, z]: [f64; 3], right_cm: f64| [x, 2.0 * right_cm - y, z];
            check(two.receiver_position_cm, in_mirror(one.receiver_position_cm, -12.5));
            // The direction of each axis of a receiver; its own y axis is mirrored, too.
            for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                let turned = turn(two.receiver_quaternion, in_mirror(axis, 0.0));
                check(turned, in_mirror(turn(one.receiver_quaternion, axis), 0.0));
            }
        }
    }

    #[test]
    fn a_mirror_image_of_a_mirror_image_is_the_thing_itself() {
        let motion = Motion::named("pinch").unwrap();
        let twice = motion.mirrored(3.0).mirrored(3.0);
        for (one, two) in motion.keyframes().iter().zip(twice.keyframes()) {
            assert_eq!(one.name, two.name);
            check(one.state.receiver_position_cm, two.state.receiver_position_cm);
            assert_eq!(one.state.receiver_quaternion, two.state.receiver_quaternion);
        }
    }
}
