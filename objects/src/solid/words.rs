//! What filling came to, in words.

use std::fmt::{self, Display, Formatter};

use super::Filled;
use crate::check::Length;

impl Display for Filled {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [least, most] = self.dihedral_deg;
        let to_surface = self.deviation.solid_to_surface;
        write!(
            f,
            "filled with {} nodes and {} tetrahedra, cells from {} on; dihedral angles {least:.1} to {most:.1} \
             degrees; the skin is off the surface by {} at most and {} on average",
            self.mesh.n_nodes(),
            self.mesh.elements().len(),
            Length(self.spacing),
            Length(self.deviation.most()),
            Length(to_surface.mean.max(self.deviation.surface_to_solid.mean)),
        )?;
        match self.n_specks {
            0 => {}
            1 => write!(f, "; a part smaller than a cell was left out")?,
            n => write!(f, "; {n} parts smaller than a cell were left out")?,
        }
        let n_nodes = self.mesh.n_nodes();
        if n_nodes.abs_diff(self.n_wanted) as f64 > MUCH_OFF * self.n_wanted as f64 {
            let reason = match n_nodes > self.n_wanted {
                true => "larger cells would lose something as thin as this",
                false => "smaller cells are not to be had, or would give far more",
            };
            write!(f, "; {} nodes were wanted, but {reason}", self.n_wanted)?;
        }
        let lost = self.volume_share.map(|share| 1.0 - share).filter(|lost| lost.abs() > MUCH_LOST);
        let off = Some(self.deviation.most() / self.smallest_side).filter(|off| *off > FAR);
        if self.deviation.most() > 3.0 * self.spacing {
            // More than cells of that size explain.
            write!(
                f,
                "; THAT IS FAR: the surface has large holes or parts that are too thin, so look at the result"
            )?;
        } else if lost.is_some() || off.is_some() {
            let lost = lost.map(|lost| match lost > 0.0 {
                true => format!("{:.0} % of the volume is lost", 100.0 * lost),
                false => format!("there is {:.0} % more volume", -100.0 * lost),
            });
            let off = off.map(|off| format!("{:.0} % of the smallest side", 100.0 * off));
            let both: Vec<String> = off.into_iter().chain(lost).collect();
            write!(
                f,
                "; THAT IS FAR: {}; more nodes follow the surface more closely, so look at the result",
                both.join(", and ")
            )?;
        }
        Ok(())
    }
}

/// By how much the number of nodes may miss the wish before that is said, as a share of it.
const MUCH_OFF: f64 = 0.25;
/// What share of the volume may be missing before it is said.
const MUCH_LOST: f64 = 0.05;
/// How far the skin may be off before it is said, as a share of the smallest side.
const FAR: f64 = 0.1;
