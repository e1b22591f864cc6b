//! Scenarios to start from: `palpate simulate --example`.

use crate::command_line::ScenarioName;

/// Text of an example.
pub(super) fn example(name: ScenarioName) -> &'static str {
    match name {
        ScenarioName::Indent => include_str!("examples/indent.toml"),
        ScenarioName::Pinch => include_str!("examples/pinch.toml"),
        ScenarioName::Slide => include_str!("examples/slide.toml"),
        ScenarioName::Roll => include_str!("examples/roll.toml"),
    }
}
