//! Solve time against size and core count, measured on the machine at hand and made into a report.
//!
//! - [`plan`]: what is asked for and what it will take; [`run`](mod@run): measures, point by point,
//!   and tells an observer; [`results`]: what was found, with its file formats;
//! - [`subject`]: the objects that are squeezed; [`algorithm`]: the ways to answer a touch, side by
//!   side; [`server`]: a solver-server of one's own, for round trips; [`repeated_measurement`]: how
//!   often to measure;
//! - [`statistics`]: medians, their confidence and outliers; [`power_law`]: trends; [`scaling`]:
//!   over threads;
//! - [`machine`] and [`bandwidth`]: what this computer is and what its memory delivers;
//! - [`figure`]: plots as data, also of a run under way; [`report`], [`text_table`],
//!   [`thesis_comparison`]: the page, the terminal, and the figures of 1998 beside today's;
//!   [`number_format`]: numbers for people;
//! - [`compare`]: what became faster or slower between two runs.
//!
//! Times are seconds, memory is bytes. Nothing here prints.

pub mod algorithm;
pub mod bandwidth;
pub mod compare;
pub mod figure;
pub mod machine;
pub mod number_format;
pub mod plan;
pub mod power_law;
pub mod repeated_measurement;
pub mod report;
pub mod results;
pub mod run;
pub mod scaling;
pub mod server;
pub mod statistics;
pub mod subject;
pub mod text_table;
pub mod thesis_comparison;

pub use algorithm::Algorithm;
pub use plan::{Plan, Request};
pub use results::{Measure, Point, Results};
pub use run::{Event, run};
pub use statistics::Summary;
pub use subject::{Body, Subject};
