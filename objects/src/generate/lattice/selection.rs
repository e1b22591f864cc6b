//! Selects the nodes and tetrahedra of a lattice that make up a body.

use nalgebra::{Point3, Vector3};

use super::Body;
use super::neighbours::{N_NEIGHBOURS, N_TETS, is_up, sees_disc, step, triangle};

/// Role of a lattice node in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Outside,
    /// On the surface: next to the core.
    Skin,
    /// Inside. All tetrahedra around a core node belong to the body, so that none has two faces on
    /// the surface, where they would become flat.
    Core,
}

/// A part of the lattice: one body, whose skin is a closed surface.
pub(super) struct Selection {
    origin: Point3<f64>,
    spacing: f64,
    /// Number of grid points along each axis; each comes with the centre of the cell above it.
    size: [usize; 3],
    offsets: [[isize; N_NEIGHBOURS]; 2],
    roles: Vec<Role>,
    n_nodes: usize,
}

/// Points and tetrahedra, all positively oriented.
pub(super) struct Tets {
    pub(super) points: Vec<Point3<f64>>,
    pub(super) corners: Vec<[u32; 4]>,
    /// For each point, true if it is on the surface.
    pub(super) is_skin: Vec<bool>,
}

/// Depth at which the core of a body begins, in spacings. The skin is up to one spacing farther
/// out, so with about a half the skin has to be moved least.
const CORE_DEPTH: f64 = 0.5;
/// Grid points around the body; the skin and its repairs stay well inside.
const MARGIN: usize = 4;

impl Selection {
    /// Selects the body in a lattice with the given spacing, shifted by `shift` spacings.
    pub(super) fn new(body: &impl Body, spacing: f64, shift: Vector3<f64>) -> Self {
        let [low, high] = body.bounds();
        let origin = low - (Vector3::repeat(MARGIN as f64) + shift) * spacing;
        let size =
            [0, 1, 2].map(|axis| ((high - low)[axis] / spacing).ceil() as usize + 2 * MARGIN + 1);
        let roles = vec![Role::Outside; 2 * size.iter().product::<usize>()];
        let mut selection =
            Self { origin, spacing, size, offsets: offsets(size), roles, n_nodes: 0 };
        selection.choose_core(body);
        selection.add_skin();
        selection.n_nodes = selection.roles.iter().filter(|&&role| role != Role::Outside).count();
        selection
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.n_nodes
    }

    pub(super) fn spacing(&self) -> f64 {
        self.spacing
    }

    /// The tetrahedra that touch the core.
    pub(super) fn tets(&self) -> Tets {
        let mut point_of_site = vec![u32::MAX; self.roles.len()];
        let mut tets = Tets { points: Vec::new(), corners: Vec::new(), is_skin: Vec::new() };
        for site in (0..self.roles.len()).filter(|&site| self.roles[site] != Role::Outside) {
            point_of_site[site] = tets.points.len() as u32;
            tets.points.push(self.position(site));
            tets.is_skin.push(self.roles[site] == Role::Skin);
        }
        // Each tetrahedron has one long side between grid points; it is made at the lower end of
        // that side.
        let upward: Vec<_> = (0..N_TETS).map(triangle).filter(|[long, ..]| is_up(*long)).collect();
        for site in self.inner_sites().filter(|site| site % 2 == 0) {
            for far in &upward {
                let [a, b, c] = far.map(|neighbour| self.neighbour(site, neighbour));
                let corners = [site, a, b, c];
                if corners.iter().any(|&corner| self.roles[corner] == Role::Core) {
                    tets.corners.push(corners.map(|corner| point_of_site[corner]));
                }
            }
        }
        tets
    }

    /// Makes the core of all sites that are deep enough and connected with the deepest one.
    fn choose_core(&mut self, body: &impl Body) {
        let mut is_deep = vec![false; self.roles.len()];
        let mut deepest = (0.0, None);
        for site in self.inner_sites() {
            let depth = body.depth(&self.position(site));
            is_deep[site] = depth > CORE_DEPTH * self.spacing;
            if is_deep[site] && depth > deepest.0 {
                deepest = (depth, Some(site));
            }
        }
        let mut reached: Vec<usize> = deepest.1.into_iter().collect();
        while let Some(site) = reached.pop() {
            if std::mem::take(&mut is_deep[site]) {
                self.roles[site] = Role::Core;
                reached.extend((0..N_NEIGHBOURS).map(|n| self.neighbour(site, n)));
            }
        }
    }

    /// Makes the skin of all neighbours of the core. Where the skin would not be a closed surface
    /// without pinches, as in a dent one cell wide, the core grows until it is.
    fn add_skin(&mut self) {
        let core = self.inner_sites().filter(|&site| self.roles[site] == Role::Core);
        let mut doubtful: Vec<usize> = core
            .flat_map(|site| (0..N_NEIGHBOURS).map(move |n| (site, n)))
            .map(|(site, n)| self.neighbour(site, n))
            .filter(|&site| self.roles[site] == Role::Outside)
            .collect();
        for &site in &doubtful {
            self.roles[site] = Role::Skin;
        }
        doubtful.sort_unstable();
        doubtful.dedup();
        while let Some(site) = doubtful.pop() {
            if self.roles[site] == Role::Core || self.is_at_edge(site) || self.is_sound(site) {
                continue;
            }
            self.roles[site] = Role::Core;
            for n in 0..N_NEIGHBOURS {
                let neighbour = self.neighbour(site, n);
                if self.roles[neighbour] != Role::Core {
                    self.roles[neighbour] = Role::Skin;
                    doubtful.push(neighbour);
                }
            }
        }
    }

    fn is_sound(&self, site: usize) -> bool {
        let is_core = |n: usize| self.roles[self.neighbour(site, n)] == Role::Core;
        sees_disc((0..N_NEIGHBOURS).map(|n| u16::from(is_core(n)) << n).sum())
    }

    /// Sites whose neighbours all exist.
    fn inner_sites(&self) -> impl Iterator<Item = usize> + use<> {
        let [nx, ny, nz] = self.size;
        (1..nz - 1).flat_map(move |z| {
            (1..ny - 1).flat_map(move |y| {
                let row = 2 * nx * (y + ny * z);
                row + 2..row + 2 * (nx - 1)
            })
        })
    }

    fn is_at_edge(&self, site: usize) -> bool {
        let at = self.grid_point(site);
        (0..3).any(|axis| at[axis] == 0 || at[axis] + 1 == self.size[axis])
    }

    /// Grid point of a site. Sites of grid points are even, those of the centres above them odd; x
    /// runs fastest.
    fn grid_point(&self, site: usize) -> [usize; 3] {
        let [nx, ny, _] = self.size;
        [site / 2 % nx, site / 2 / nx % ny, site / 2 / nx / ny]
    }

    fn position(&self, site: usize) -> Point3<f64> {
        let centre = (site % 2) as f64 / 2.0;
        let cells = Vector3::from(self.grid_point(site).map(|i| i as f64 + centre));
        self.origin + cells * self.spacing
    }

    fn neighbour(&self, site: usize, neighbour: usize) -> usize {
        site.wrapping_add_signed(self.offsets[site % 2][neighbour])
    }
}

/// Offsets of the neighbours in the list of sites, for grid points and for centres.
fn offsets([nx, ny, _]: [usize; 3]) -> [[isize; N_NEIGHBOURS]; 2] {
    [0, 1].map(|centre: isize| {
        std::array::from_fn(|neighbour| {
            let halves = step(neighbour).map(|half| half + centre);
            let [x, y, z] = halves.map(|half| half.div_euclid(2));
            2 * (x + nx as isize * (y + ny as isize * z)) + halves[0].rem_euclid(2) - centre
        })
    })
}
