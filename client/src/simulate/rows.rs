//! Result of a simulation as rows of a table (CSV).

use std::fmt::Write as _;

use nalgebra::{Isometry3, Point3, Vector3};

use super::run::Moment;

/// Names of the columns.
pub(super) const HEADER: &str = "time,row,name,x,y,z,qw,qx,qy,qz,fx,fy,fz,mx,my,mz,normal_force,area,\
    points,sticking,depth,slip_speed,vx,vy,vz,wx,wy,wz,kinetic,potential,elastic,pads,work,contacts,\
    sweeps,residual\n";

/// Columns of bodies only, after those of shapes.
const OF_BODY: usize = 14;

/// Columns of shapes only.
const OF_SHAPE: usize = 12;

/// Appends one row for each shape and one for the body.
pub(super) fn append(text: &mut String, moment: &Moment<'_>) {
    for (name, pose, report) in &moment.shapes {
        begin(text, moment.time, "shape", name, &pose.translation.vector.into(), pose);
        vector(text, &report.force);
        vector(text, &report.moment);
        number(text, report.normal_force);
        number(text, report.area);
        write!(text, ",{}", report.points).expect("text takes it");
        number(text, report.sticking_share());
        number(text, report.depth);
        number(text, report.slip_speed);
        text.extend(std::iter::repeat_n(',', OF_BODY));
        text.push('\n');
    }
    begin(text, moment.time, "body", "body", &moment.centre, &moment.motion.world_from_object);
    text.extend(std::iter::repeat_n(',', OF_SHAPE));
    vector(text, &moment.motion.velocity);
    vector(text, &moment.motion.spin);
    let energy = &moment.energy;
    for energy in [energy.kinetic, energy.potential, energy.elastic, energy.pads, moment.work] {
        number(text, energy);
    }
    write!(text, ",{},{}", moment.contacts, moment.solve.sweeps).expect("text takes it");
    number(text, moment.solve.residual);
    text.push('\n');
}

fn begin(
    text: &mut String,
    time: f64,
    row: &str,
    name: &str,
    at: &Point3<f64>,
    pose: &Isometry3<f64>,
) {
    write!(text, "{time:.9},{row},{}", quoted(name)).expect("text takes it");
    vector(text, &at.coords);
    let q = pose.rotation;
    [q.w, q.i, q.j, q.k].into_iter().for_each(|part| number(text, part));
}

fn vector(text: &mut String, v: &Vector3<f64>) {
    v.iter().for_each(|component| number(text, *component));
}

fn number(text: &mut String, number: f64) {
    write!(text, ",{number:.9e}").expect("text takes it");
}

/// A name as a field: within quotes if it has characters that mean something.
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use physics::contact::{EnergyAccount, Motion, ProxyReport, SolveReport};

    use super::*;

    #[test]
    fn every_row_has_as_many_fields_as_the_header() {
        let moment = Moment {
            time: 0.25,
            shapes: vec![("a \"tip\", soft", Isometry3::identity(), ProxyReport::default())],
            motion: Motion::default(),
            centre: Point3::origin(),
            energy: EnergyAccount::default(),
            work: 0.0,
            solve: SolveReport::default(),
            contacts: 0,
        };
        let mut text = HEADER.to_owned();
        append(&mut text, &moment);
        let lines: Vec<&str> = text.lines().collect();
        let n_columns = lines[0].split(',').count();
        assert_eq!(lines[2].split(',').count(), n_columns);
        // The quoted name has a comma of its own.
        assert!(lines[1].starts_with("0.250000000,shape,\"a \"\"tip\"\", soft\","), "{}", lines[1]);
        assert_eq!(lines[1].split(',').count(), n_columns + 1);
    }
}
