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
        if self.is_doubtful() {
            write!(
                f,
                "; THAT IS FAR: the surface has large holes or parts that are too thin, so look at the result"
            )?;
        }
        Ok(())
    }
}

impl Filled {
    /// Whether the skin is somewhere else than the surface by more than cells of that size explain.
    fn is_doubtful(&self) -> bool {
        self.deviation.most() > 3.0 * self.spacing
    }
}
