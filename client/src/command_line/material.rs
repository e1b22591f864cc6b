//! Options that choose the material of objects: by name, by numbers, or from the user's own file.

use std::path::PathBuf;

use clap::Args;

pub(super) const MATERIALS_EXAMPLES: &str = "\
Moduli hold for small deformations. Soft matter is not linear and varies from sample to sample, so each modulus
has a range. For squeezing, a Poisson's ratio near 0.5 is reduced to 0.45, because linear tetrahedra are much
too stiff above it.

Write your own materials to palpate/materials.toml in the folder of your settings (XDG_CONFIG_HOME, or ~/.config),
one table for each. A material with the name of a built-in one replaces it:

  [[material]]
  name = \"my jelly\"
  young_pa = 2000
  poisson = 0.45
  density_kg_m3 = 1010
  source = \"measured in May\"              # optional, as is the next line
  young_range_pa = [1500, 2500]

Examples:
  palpate materials                       lists all materials
  palpate materials liver                 one material, and where its numbers come from
  palpate squeeze strawberry --material \"kiwifruit, ripe\"
  palpate squeeze cube --material liver --young 8000";

/// Options of `palpate materials`.
#[derive(Debug, Clone, Args)]
pub struct MaterialsOptions {
    /// Show only this material, with its source
    pub name: Option<String>,
    /// Print JSON, for scripts
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub file: MaterialsFile,
}

/// The file with the user's own materials.
#[derive(Debug, Clone, Default, Args)]
pub struct MaterialsFile {
    /// File with your own materials [default: palpate/materials.toml in the folder of your
    /// settings]
    #[arg(long = "materials", value_name = "FILE.toml")]
    pub path: Option<PathBuf>,
}

/// A number without its unit.
fn pascals(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number of pascals, such as 25000 for 25 kPa".to_owned())
}

/// Options for the material of an object.
#[derive(Debug, Clone, Default, Args)]
pub struct MaterialChoice {
    /// A material by its name, such as `liver`; `palpate materials` lists them
    #[arg(long, value_name = "NAME")]
    pub material: Option<String>,
    /// Young's modulus, in Pa; overrides that of the material [default for squeezing: 10000]
    #[arg(long, value_name = "PA", allow_negative_numbers = true, value_parser = pascals)]
    pub young: Option<f64>,
    /// Poisson's ratio; overrides that of the material [default for squeezing: 0.4]
    #[arg(long, value_name = "NU", allow_negative_numbers = true)]
    pub poisson: Option<f64>,
    /// Density, in kg/m³; overrides that of the material [default: 1000]
    #[arg(long, value_name = "KG_M3", allow_negative_numbers = true)]
    pub density: Option<f64>,
    #[command(flatten)]
    pub file: MaterialsFile,
}
