//! Everything CI checks, cheapest first.

use std::time::Instant;

use anyhow::Result;

use crate::{lint, test, tidy};

/// Lint, tidy, test. Test comes last: its runner's summary ends the output.
pub(crate) fn ci() -> Result<()> {
    let start = Instant::now();
    let heading = |stage: &str| {
        eprintln!("\n== {stage} ({:.1} s since the start)", start.elapsed().as_secs_f64());
    };
    heading("lint");
    lint::lint()?;
    heading("tidy");
    tidy::tidy()?;
    heading("test");
    test::test(&[])
}
