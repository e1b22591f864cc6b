//! The result of filling as a sentence.

use std::fmt::{self, Display, Formatter};

use super::{Filled, Shells};
use crate::check::Length;

impl Display for Filled {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [least, most] = self.dihedral_deg;
        let to_surface = self.deviation.solid_to_surface;
        write!(
            f,
            "filled with {} nodes and {} tetrahedra, cells from {} on; dihedral angles {least:.1} \
             to {most:.1} degrees; the skin deviates from the surface by {} at most and {} on \
             average",
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
        let Shells { n_outward, n_within, share_within } = self.shells;
        match n_within {
            0 if share_within > MUCH_WITHIN => write!(
                f,
                "; {:.0} % of the surface lies inside the solid: parts that overlap were united",
                100.0 * share_within
            )?,
            0 => {}
            n => write!(
                f,
                "; {n} shell{} inside the solid {} filled over: an inner shell makes a hollow only if \
                 its triangles face inward",
                if n == 1 { "" } else { "s" },
                if n == 1 { "was" } else { "were" },
            )?,
        }
        let n_bodies = self.mesh.n_bodies();
        if n_bodies > n_outward.max(1) {
            write!(
                f,
                "; LARGE DEVIATION: the solid fell apart into {n_bodies} parts that are not connected, \
                 but the surface bounds {}; use more nodes",
                n_outward.max(1)
            )?;
        } else if n_bodies > 1 {
            write!(f, "; {n_bodies} parts that are not connected, as in the surface")?;
        }
        let n_nodes = self.mesh.n_nodes();
        if n_nodes.abs_diff(self.n_wanted) as f64 > MUCH_OFF * self.n_wanted as f64 {
            let reason = match n_nodes > self.n_wanted {
                true => "larger cells would lose the thinnest parts",
                false => "smaller cells are impossible, or would give far more",
            };
            write!(f, "; {} nodes were requested, but {reason}", self.n_wanted)?;
        }
        let lost = self.volume_share.map(|share| 1.0 - share).filter(|lost| lost.abs() > MUCH_LOST);
        let off = Some(self.deviation.most() / self.smallest_side).filter(|off| *off > FAR);
        if self.deviation.most() > 3.0 * self.spacing {
            // More than the size of the cells explains.
            write!(
                f,
                "; LARGE DEVIATION: the surface has large holes or parts that are too thin, so \
                 check the result"
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
                "; LARGE DEVIATION: {}; use more nodes to follow the surface more closely, and \
                 check the result",
                both.join(", and ")
            )?;
        }
        Ok(())
    }
}

/// Largest difference from the requested number of nodes that is not reported, as a share of that
/// number.
const MUCH_OFF: f64 = 0.25;
/// Largest loss or gain of volume that is not reported, as a share of the volume.
const MUCH_LOST: f64 = 0.05;
/// Largest share of the surface inside the solid that is not reported.
const MUCH_WITHIN: f64 = 0.02;
/// Largest deviation that is not reported, as a share of the smallest side.
const FAR: f64 = 0.1;
