//! What things are made of: by name, by numbers, or from somebody's own file.

use std::path::PathBuf;

use clap::Args;

pub(super) const MATERIALS_EXAMPLES: &str = "\
Moduli are of small squeezes; soft matter is neither linear nor the same twice, so there is a range beside each. A
Poisson's ratio near 0.5 is taken as 0.45 when something is squeezed, because linear tetrahedra are much too
stiff beyond.

Your own materials go to palpate/materials.toml in the folder of your settings (XDG_CONFIG_HOME, or ~/.config), one
table each; those with a known name take its place:

  [[material]]
  name = \"my jelly\"
  young_pa = 2000
  poisson = 0.45
  density_kg_m3 = 1010
  source = \"measured in May\"              # this line and the next may be left out
  young_range_pa = [1500, 2500]

Examples:
  palpate materials                       all of them
  palpate materials liver                 one of them, and where its numbers come from
  palpate squeeze strawberry --material \"kiwifruit, ripe\"
  palpate squeeze cube --material liver --young 8000";

/// Which materials to show.
#[derive(Debug, Clone, Args)]
pub struct MaterialsOptions {
    /// Only this one, with its source
    pub name: Option<String>,
    /// As JSON, for scripts
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub file: MaterialsFile,
}

/// Where somebody's own materials are.
#[derive(Debug, Clone, Default, Args)]
pub struct MaterialsFile {
    /// Your own materials [default: palpate/materials.toml in the folder of your settings]
    #[arg(long = "materials", value_name = "FILE.toml")]
    pub path: Option<PathBuf>,
}

/// What something is made of.
#[derive(Debug, Clone, Default, Args)]
pub struct MaterialChoice {
    /// A material by its name, such as `liver`; `palpate materials` lists them
    #[arg(long, value_name = "NAME")]
    pub material: Option<String>,
    /// Young's modulus, in Pa, whatever the material [default for squeezing: 10000]
    #[arg(long, value_name = "PA", allow_negative_numbers = true)]
    pub young: Option<f64>,
    /// Poisson's ratio, whatever the material [default for squeezing: 0.4]
    #[arg(long, value_name = "NU", allow_negative_numbers = true)]
    pub poisson: Option<f64>,
    /// Density, in kg/m³, whatever the material [default: 1000]
    #[arg(long, value_name = "KG_M3", allow_negative_numbers = true)]
    pub density: Option<f64>,
    #[command(flatten)]
    pub file: MaterialsFile,
}
