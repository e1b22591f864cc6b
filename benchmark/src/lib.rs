//! Measures solve time against size and core count, on this machine and on a given server, and
//! makes a report.
//!
//! - [`plan`]: the request and the steps of a run, with their expected times; [`run`](mod@run):
//!   measures point by point and notifies an observer; [`results`]: the measured points, with their
//!   file formats;
//! - [`subject`]: the objects that are squeezed; [`algorithm`]: the algorithms that are compared;
//!   [`server`]: a solver-server on this machine, for round trips; [`given_server`]: one that runs
//!   already, perhaps on another machine;
//!   [`repeated_measurement`]: decides how often to measure;
//! - [`statistics`]: medians, their confidence and outliers; [`power_law`]: trends; [`scaling`]:
//!   scaling with threads;
//! - [`machine`] and [`bandwidth`]: description of this computer and its memory bandwidth;
//! - [`figure`]: plots as data, even during a run; [`report`]: the HTML page; [`text_table`]: the
//!   results for a terminal; [`thesis_comparison`]: the figures of 1998 beside today's;
//!   [`number_format`]: numbers as text;
//! - [`compare`]: changes between two runs.
//!
//! Times are seconds, memory is bytes. No function prints.

pub mod algorithm;
pub mod bandwidth;
pub mod compare;
pub mod figure;
pub mod given_server;
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
pub use given_server::{GivenServer, ServerDescription};
pub use plan::{Plan, Request};
pub use results::{Measure, Point, Results};
pub use run::{Event, run};
pub use statistics::Summary;
pub use subject::{Body, Subject};
