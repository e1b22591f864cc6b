//! Axes of plots, with ticks at round numbers.

/// One axis of a plot.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Quantity on the axis.
    pub label: String,
    kind: Kind,
    low: f64,
    high: f64,
    /// Positions and texts of the ticks.
    pub ticks: Vec<(f64, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Linear,
    Logarithmic,
}

impl Axis {
    /// A logarithmic axis over positive values, with a margin at both ends.
    pub fn logarithmic(label: &str, values: &[f64], shown: impl Fn(f64) -> String) -> Self {
        let (low, high) = range(values, |x| x > 0.0).unwrap_or((1.0, 10.0));
        // At least a third of a decade, so that noise in a constant does not fill the plot.
        let room = (0.06 * (high / low).log10()).max(0.17 - 0.5 * (high / low).log10()).max(0.03);
        let (low, high) = (low * 10_f64.powf(-room), high * 10_f64.powf(room));
        let decades = (high / low).log10();
        let steps: &[f64] = match decades {
            wide if wide > 2.6 => &[1.0],
            middle if middle > 1.2 => &[1.0, 3.0],
            narrow if narrow > 0.6 => &[1.0, 2.0, 5.0],
            _ => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        };
        // Of many decades, only every `stride`-th has ticks.
        let stride = (decades / 7.0).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for decade in low.log10().floor() as i32..=high.log10().ceil() as i32 {
            if decade.rem_euclid(stride) == 0 {
                ticks.extend(steps.iter().map(|step| step * 10_f64.powi(decade)));
            }
        }
        ticks.retain(|tick| (low..=high).contains(tick));
        let ticks = ticks.into_iter().map(|tick| (tick, shown(tick))).collect();
        Self { label: label.to_owned(), kind: Kind::Logarithmic, low, high, ticks }
    }

    /// A logarithmic axis with ticks at these values only, as for threads.
    pub fn at(label: &str, values: &[f64], shown: impl Fn(f64) -> String) -> Self {
        let mut axis = Self::logarithmic(label, values, &shown);
        axis.ticks = values.iter().map(|value| (*value, shown(*value))).collect();
        axis
    }

    /// A linear axis.
    pub fn linear(label: &str, values: &[f64], shown: impl Fn(f64) -> String) -> Self {
        let (low, high) = range(values, |_| true).unwrap_or((0.0, 1.0));
        // A single value needs a range, too.
        let is_point = high - low < 1e-9 * high.abs().max(1.0);
        let (low, high) = if is_point { (low - 0.5, high + 0.5) } else { (low, high) };
        let width = high - low;
        // 1, 2 or 5 times a power of ten, for about five ticks.
        let rough = width / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| *s >= rough);
        let step = step.unwrap_or(power);
        let (low, high) = (step * (low / step).floor(), step * (high / step).ceil());
        let n = ((high - low) / step).round() as usize;
        let tick = |i: usize| {
            let value = low + i as f64 * step;
            // Avoids "-0.00".
            let value = if value.abs() < 1e-9 * step { 0.0 } else { value };
            (value, shown(value))
        };
        let ticks = (0..=n.min(20)).map(tick).collect();
        Self { label: label.to_owned(), kind: Kind::Linear, low, high, ticks }
    }

    /// Position of a value between the ends: 0 to 1, and beyond for values outside.
    pub fn place(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Logarithmic => {
                let value = value.max(1e-300);
                (value / self.low).ln() / (self.high / self.low).ln()
            }
        }
    }
}

fn range(values: &[f64], is_good: impl Fn(f64) -> bool) -> Option<(f64, f64)> {
    let good = || values.iter().copied().filter(|x| x.is_finite() && is_good(*x));
    let low = good().reduce(f64::min)?;
    Some((low, good().reduce(f64::max)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        for values in [[1.0, 1000.0], [0.003, 0.004], [7.0, 7.0], [1e-7, 1e9], [2.0, 30.0]] {
            let axis = Axis::logarithmic("x", &values, |x| format!("{x}"));
            assert!((2..=10).contains(&axis.ticks.len()), "{values:?}: {:?}", axis.ticks);
            for (tick, _) in &axis.ticks {
                assert!((0.0..=1.0).contains(&axis.place(*tick)), "{tick}");
            }
            for value in values {
                assert!((0.0..=1.0).contains(&axis.place(value)), "{value}");
            }
        }
    }

    #[test]
    fn linear_ticks_count_by_round_steps() {
        let axis = Axis::linear("m", &[-1.04, 0.1], |x| format!("{x:.2}"));
        let shown: Vec<&str> = axis.ticks.iter().map(|(_, shown)| shown.as_str()).collect();
        assert_eq!(shown, ["-1.50", "-1.00", "-0.50", "0.00", "0.50"]);
        assert_eq!((axis.place(-1.5), axis.place(0.5)), (0.0, 1.0));
    }

    #[test]
    fn nothing_to_show_is_no_disaster() {
        for values in [&[][..], &[f64::NAN], &[-3.0]] {
            assert!(Axis::logarithmic("x", values, |x| x.to_string()).place(2.0).is_finite());
            assert!(Axis::linear("x", values, |x| x.to_string()).place(2.0).is_finite());
        }
    }
}
