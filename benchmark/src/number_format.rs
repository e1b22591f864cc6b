//! Numbers as text: three digits and a unit.

/// A time, for example "4.23 µs", "13.0 ms", "1.24 s", "2.5 min".
pub fn seconds(time: f64) -> String {
    let units =
        [(1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h")];
    scaled(time, &units)
}

/// A time without trailing zeros, for round numbers on an axis: "10 ms", "1.5 s".
pub fn tick_seconds(time: f64) -> String {
    let text = seconds(time);
    let Some((number, unit)) = text.split_once('\u{a0}') else { return text };
    let number = if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        number
    };
    format!("{number}\u{a0}{unit}")
}

/// A rate, for example "6.25 kHz".
pub fn hertz(rate: f64) -> String {
    scaled(rate, &[(1.0, "Hz"), (1e3, "kHz"), (1e6, "MHz"), (1e9, "GHz")])
}

/// An amount of memory, for example "512 B", "49.2 MB".
pub fn bytes(bytes: f64) -> String {
    scaled(bytes, &[(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")])
}

/// A bandwidth, for example "21.3 GB/s".
pub fn rate(bytes_per_second: f64) -> String {
    format!("{}/s", bytes(bytes_per_second))
}

/// A share, for example "93 %".
pub fn percent(share: f64) -> String {
    format!("{}\u{a0}%", digits(100.0 * share))
}

/// A count with thousands apart, for example "10 024".
pub fn count(n: usize) -> String {
    let text = n.to_string();
    let mut grouped = String::new();
    for (i, digit) in text.chars().enumerate() {
        // Numbers of four digits are not grouped.
        if i > 0 && text.len() > 4 && (text.len() - i).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with three digits, with decimals as needed.
pub fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !size.is_finite() => "∞".to_owned(),
        size if size >= 99.95 => count_signed(value),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.009_995 => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

fn count_signed(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", count(value.abs().round() as usize))
}

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    if !value.is_finite() {
        return "∞".to_owned();
    }
    let fitting = units.iter().rev().find(|(size, _)| value.abs() >= 0.9995 * size);
    let (size, unit) = fitting.unwrap_or(&units[0]);
    format!("{}\u{a0}{unit}", digits(value / size))
}

/// A count with its noun: "1 thread", "2 threads".
pub fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{} {what}s", count(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        for (time, expected) in [
            (0.0, "0 ns"),
            (4.234e-6, "4.23 µs"),
            (0.01299, "13.0 ms"),
            (0.9999, "1.00 s"),
            (150.0, "2.50 min"),
            (0.28, "280 ms"),
            (f64::INFINITY, "∞"),
        ] {
            assert_eq!(seconds(time).replace('\u{a0}', " "), expected);
        }
        assert_eq!(bytes(49.24e6).replace('\u{a0}', " "), "49.2 MB");
        assert_eq!(rate(2e10).replace('\u{a0}', " "), "20.0 GB/s");
        assert_eq!(percent(0.931).replace('\u{a0}', " "), "93.1 %");
        assert_eq!(hertz(6250.0).replace('\u{a0}', " "), "6.25 kHz");
        assert_eq!(
            [0.01, 1.0, 1.5, 1e-4].map(tick_seconds).join(" "),
            "10\u{a0}ms 1\u{a0}s 1.5\u{a0}s 100\u{a0}µs"
        );
        assert_eq!(digits(-0.9), "-0.90");
        assert_eq!(digits(-1234.4), "-1234");
        assert_eq!(digits(1.2e-11), "1.2e-11");
    }

    #[test]
    fn thousands_stand_apart() {
        for (n, expected) in
            [(7, "7"), (4851, "4851"), (10_024, "10 024"), (1_234_567, "1 234 567")]
        {
            assert_eq!(count(n).replace('\u{202f}', " "), expected);
        }
    }
}
