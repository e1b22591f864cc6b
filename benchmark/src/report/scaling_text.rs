//! Results about scaling as text, for the report and for other pages.

use crate::number_format;
use crate::power_law::PowerLaw;
use crate::results::Results;
use crate::scaling::CoresFor;

/// Factor beyond the measured number of threads from which a trend is no longer extrapolated.
const FAR: f64 = 1000.0;

/// Number of cores, and the confidence in it.
pub(crate) fn cores_shown(cores: &CoresFor, results: &Results) -> (String, String) {
    match cores {
        CoresFor::Measured(n) => {
            (number_format::digits(*n).replace(".00", ""), "measured".to_owned())
        }
        CoresFor::Extrapolated { cores, .. } if *cores > FAR * results.most_threads() as f64 => (
            "out of reach".to_owned(),
            "the trend is so flat that no number of cores can be named".to_owned(),
        ),
        CoresFor::Extrapolated { cores, fewest, most, amdahl } => {
            let farther = cores / results.most_threads() as f64;
            let range = match (fewest, most) {
                (_, most) if most.is_infinite() => "no upper limit".to_owned(),
                (fewest, most) => {
                    format!("{} to {}", whole(*fewest), whole(*most))
                }
            };
            let amdahl = match amdahl {
                Some(cores) => format!("Amdahl's law says {}", whole(*cores)),
                None => "Amdahl's law says never".to_owned(),
            };
            let warning = format!(
                "extrapolated {} times beyond what was measured: {range}; {amdahl}",
                number_format::digits(farther)
            );
            (whole(*cores), warning)
        }
        CoresFor::Never => ("never".to_owned(), "more threads do not make it faster".to_owned()),
        CoresFor::Unknown => ("-".to_owned(), "the samples cannot tell".to_owned()),
    }
}

fn whole(cores: f64) -> String {
    match cores {
        many if many > 1e4 => "over 10 000".to_owned(),
        few => number_format::count(few.ceil().max(1.0) as usize),
    }
}

/// An exponent with its interval, as text.
pub(crate) fn exponent_shown(law: &PowerLaw) -> String {
    match law.m_half_width() {
        half if half.is_finite() => format!("{} \u{b1} {half:.2}", signed(law.m)),
        _ => signed(law.m),
    }
}

/// A number with two decimals, without a minus before zero.
fn signed(value: f64) -> String {
    format!("{value:.2}").replace("-0.00", "0.00")
}
