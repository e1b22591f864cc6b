//! Decodes the numbers in records: decimals, floats and packed counts.

/// Powers of ten that a float holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// Most digits that a float holds exactly; no item has more columns.
const MAX_DIGITS: usize = 15;

/// Decodes a decimal number with optional blanks around it, sign, point and exponent.
pub(in crate::polhemus) fn decimal(columns: &[u8]) -> Option<f64> {
    let columns = trim_blanks(columns);
    let (is_negative, columns) = match columns {
        [b'-', rest @ ..] => (true, trim_blanks(rest)),
        [b'+', rest @ ..] => (false, trim_blanks(rest)),
        _ => (false, columns),
    };
    let (mut whole, mut n_digits, mut n_decimals, mut has_point) = (0_u64, 0, 0, false);
    let mut exponent = 0;
    for (place, byte) in columns.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                whole = whole * 10 + u64::from(byte - b'0');
                n_digits += 1;
                n_decimals += i32::from(has_point);
            }
            b'.' if !has_point => has_point = true,
            b'E' => {
                exponent = whole_number(&columns[place + 1..])?;
                break;
            }
            _ => return None,
        }
        if n_digits > MAX_DIGITS {
            return None;
        }
    }
    if n_digits == 0 {
        return None;
    }
    let shift: i32 = exponent - n_decimals;
    let power = usize::try_from(shift.unsigned_abs()).ok()?;
    // For every number that an item can hold there is only one rounding.
    let size = match POWERS.get(power) {
        Some(power) if shift < 0 => whole as f64 / power,
        Some(power) => whole as f64 * power,
        None => whole as f64 * 10_f64.powi(shift),
    };
    Some(if is_negative { -size } else { size })
}

/// Removes blanks at both ends. A line end does not count as blank: it ends a record and is not
/// valid inside one.
pub(super) fn trim_blanks(mut columns: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = columns {
        columns = rest;
    }
    columns
}

/// Decodes an optional sign and one to three digits.
fn whole_number(bytes: &[u8]) -> Option<i32> {
    let (sign, digits) = match bytes {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        digits => (1, digits),
    };
    if !(1..=3).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |sum, digit: &u8| 10 * sum + i32::from(digit - b'0');
    Some(sign * digits.iter().fold(0, add))
}

/// Decodes a float, least significant byte first.
pub(super) fn float(bytes: &[u8]) -> Option<f64> {
    bytes.try_into().ok().map(|bytes| f64::from(f32::from_le_bytes(bytes)))
}

/// Position of a packed number in its group. Only the first byte of a group has its top bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackedPlace {
    First,
    /// First number of an item after another packed item. In some sources a new group begins here,
    /// in others not.
    FirstOfItem,
    Within,
}

/// Decodes a count from -8192 to 8191 in two bytes of seven bits, low bits first.
pub(super) fn packed(bytes: &[u8], place: PackedPlace) -> Option<i16> {
    let [low, high] = bytes else { return None };
    let is_marked = low & 0x80 != 0;
    let is_in_place = match place {
        PackedPlace::First => is_marked,
        PackedPlace::FirstOfItem => true,
        PackedPlace::Within => !is_marked,
    };
    if !is_in_place || high & 0x80 != 0 {
        return None;
    }
    let count = i16::from(low & 0x7F) | (i16::from(*high) << 7);
    Some(if count >= 8192 { count - 16_384 } else { count })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_read() {
        let check = |text: &str, want| assert_eq!(decimal(text.as_bytes()), want, "{text:?}");
        check("  12.34", Some(12.34));
        check("  -5.60", Some(-5.6));
        check("-  5.60", Some(-5.6));
        check("+123.45", Some(123.45));
        check(" 0.0700", Some(0.07));
        check("-300.00", Some(-300.0));
        check("      7", Some(7.0));
        check("-1.23456E+02 ", Some(-123.456));
        check(" 1.00000E-03 ", Some(0.001));
        check(" 1.00000E-30 ", Some(1e-30));
        check(" 0.00000E+00 ", Some(0.0));
        for text in
            ["", "       ", "   -   ", "1 2.34 ", "12.3.4 ", "12,34", "1.0E", "1.0E+", "nan"]
        {
            check(text, None);
        }
        check("1.0E+0009", None);
        check("  1.50\r", None);
        check("\n   1.50", None);
        check("-\t1.50", None);
        check("1234567890123456", None);
    }

    #[test]
    fn packed_numbers_are_read() {
        let check = |bytes: [u8; 2], place, want| assert_eq!(packed(&bytes, place), want);
        check([0xB3, 0x06], PackedPlace::First, Some(819));
        check([0x66, 0x7C], PackedPlace::Within, Some(-410));
        check([0x09, 0x01], PackedPlace::Within, Some(137));
        check([0x7F, 0x3F], PackedPlace::Within, Some(8191));
        check([0x00, 0x40], PackedPlace::Within, Some(-8192));
        check([0x33, 0x06], PackedPlace::First, None);
        check([0xB3, 0x06], PackedPlace::Within, None);
        check([0xB3, 0x86], PackedPlace::First, None);
        check([0xB3, 0x06], PackedPlace::FirstOfItem, Some(819));
        check([0x33, 0x06], PackedPlace::FirstOfItem, Some(819));
    }

    proptest! {
        #[test]
        fn decimals_agree_with_the_standard_library(number in -999.99..999.99_f64) {
            let [few, many] = [format!("{number:7.2}"), format!("{number:.4}")];
            for text in [few, many, format!("{number:13.5E}")] {
                let want: f64 = text.trim().parse().unwrap();
                prop_assert_eq!(decimal(text.as_bytes()), Some(want), "{}", text);
            }
        }

        #[test]
        fn any_bytes_are_a_number_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            if let Some(number) = decimal(&bytes) {
                prop_assert!(!number.is_nan());
            }
        }
    }
}
