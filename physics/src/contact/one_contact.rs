//! Exact solution of one contact: Signorini's condition and Coulomb's friction with a 3 x 3
//! compliance.
//!
//! `u = W l + q`; index 0 is the normal, 1 and 2 are the tangents.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// Relative accuracy of the force of a contact that slides.
const ACCURATE: f64 = 1e-13;

/// Returns the force `l` of a contact with compliance `w` and displacement `q` at no force:
/// `0 <= l_n ⊥ u_n >= 0`, `|l_t| <= mu l_n`, and `u_t = 0` inside the cone, else `u_t` opposite to
/// `l_t`. `w` must be symmetric and positive definite.
pub fn one_contact(w: &Matrix3<f64>, q: &Vector3<f64>, mu: f64) -> Vector3<f64> {
    let w_nn = w[(0, 0)];
    if mu == 0.0 {
        return Vector3::new((-q[0] / w_nn).max(0.0), 0.0, 0.0);
    }
    let stick = -solve_symmetric(w, q);
    if stick[0] >= 0.0 && tangent(&stick).norm() <= mu * stick[0] {
        return stick;
    }
    if q[0] >= 0.0 {
        return Vector3::zeros();
    }
    slide(w, q, mu)
}

/// Force on the edge of the cone. With `Z = (W_tt + s I)^-1`, the tangential displacement is
/// `-s l_t`, so friction opposes it for every `s > 0`. The force is on the edge where
/// `phi(s) = mu l_n / |l_t| - 1` vanishes. It rises from below zero (the contact cannot stick) and
/// is nearly straight, so that Newton's steps, kept inside a bracket, need few rounds.
fn slide(w: &Matrix3<f64>, q: &Vector3<f64>, mu: f64) -> Vector3<f64> {
    /// More than bisection alone needs.
    const MOST_ROUNDS: usize = 100;
    let a = Vector2::new(w[(1, 0)], w[(2, 0)]);
    let w_tt = Matrix2::new(w[(1, 1)], w[(1, 2)], w[(2, 1)], w[(2, 2)]);
    let q_t = tangent(q);
    let scale = 0.5 * w_tt.trace();
    let at = |s: f64| Sliding::at(s, w[(0, 0)], &a, &w_tt, q[0], &q_t, mu);
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut s = scale;
    let mut found = at(s);
    for _ in 0..MOST_ROUNDS {
        if found.phi.abs() <= ACCURATE {
            break;
        }
        if found.phi > 0.0 {
            high = s
        } else {
            low = s
        }
        let newton = s - found.phi / found.slope;
        s = match (newton > low && newton < high, high.is_finite()) {
            (true, _) => newton,
            (false, true) if low == 0.0 => 0.25 * high,
            (false, true) => 0.5 * (low + high),
            (false, false) => 4.0 * s,
        };
        let is_narrow = high.is_finite() && high - low <= ACCURATE * high;
        if is_narrow || s > 1e12 * scale {
            break;
        }
        found = at(s);
    }
    let l_n = found.l_n.max(0.0);
    // The edge holds exactly, so that the cone is never left by rounding.
    let size = found.l_t.norm();
    let l_t = if size > 0.0 { found.l_t * (mu * l_n / size) } else { Vector2::zeros() };
    Vector3::new(l_n, l_t.x, l_t.y)
}

/// Force of a contact whose tangential displacement is `-s l_t`.
struct Sliding {
    l_n: f64,
    l_t: Vector2<f64>,
    phi: f64,
    slope: f64,
}

impl Sliding {
    fn at(
        s: f64,
        w_nn: f64,
        a: &Vector2<f64>,
        w_tt: &Matrix2<f64>,
        q_n: f64,
        q_t: &Vector2<f64>,
        mu: f64,
    ) -> Self {
        let (d0, d1, off) = (w_tt[(0, 0)] + s, w_tt[(1, 1)] + s, w_tt[(0, 1)]);
        let z = Matrix2::new(d1, -off, -off, d0) / (d0 * d1 - off * off);
        let (za, zq) = (z * a, z * q_t);
        let (top, bottom) = (q_n - a.dot(&zq), w_nn - a.dot(&za));
        let l_n = -top / bottom;
        let l_t = -(zq + za * l_n);
        // Z' = -Z², so (a.Zq)' = -Za.Zq and (a.Za)' = -|Za|².
        let (top_slope, bottom_slope) = (za.dot(&zq), za.norm_squared());
        let l_n_slope = -(top_slope * bottom - top * bottom_slope) / (bottom * bottom);
        let l_t_slope = -(z * l_t) - za * l_n_slope;
        let size = l_t.norm().max(f64::MIN_POSITIVE);
        let size_slope = l_t.dot(&l_t_slope) / size;
        let phi = mu * l_n / size - 1.0;
        let slope = mu * (l_n_slope * size - l_n * size_slope) / (size * size);
        Self { l_n, l_t, phi, slope }
    }
}

fn tangent(v: &Vector3<f64>) -> Vector2<f64> {
    Vector2::new(v[1], v[2])
}

/// Solves `w x = q` by the symmetric cofactors.
fn solve_symmetric(w: &Matrix3<f64>, q: &Vector3<f64>) -> Vector3<f64> {
    let (a, b, c) = (w[(0, 0)], w[(0, 1)], w[(0, 2)]);
    let (d, e, f) = (w[(1, 1)], w[(1, 2)], w[(2, 2)]);
    let (m00, m01, m02) = (d * f - e * e, c * e - b * f, b * e - c * d);
    let determinant = a * m00 + b * m01 + c * m02;
    let (m11, m12, m22) = (a * f - c * c, b * c - a * e, a * d - b * b);
    Vector3::new(
        m00 * q[0] + m01 * q[1] + m02 * q[2],
        m01 * q[0] + m11 * q[1] + m12 * q[2],
        m02 * q[0] + m12 * q[1] + m22 * q[2],
    ) / determinant
}
