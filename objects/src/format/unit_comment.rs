//! Comment that names the unit of a file's numbers, for formats that can hold comments but no
//! units.

use crate::check::Unit;

/// Beginning of the comment. Files contain it, so it must never change.
const BEGINNING: &str = "palpate: numbers count ";
/// Number of bytes at the beginning of a file in which the comment is sought.
const SOUGHT_BYTES: usize = 400;

/// Text of the comment.
pub(super) fn unit_comment(unit: Unit) -> String {
    format!("{BEGINNING}{}", unit.plural())
}

/// Unit that the comment in a file names.
pub(super) fn unit_in_comment(bytes: &[u8]) -> Option<Unit> {
    let head = &bytes[..bytes.len().min(SOUGHT_BYTES)];
    let beginning = BEGINNING.as_bytes();
    let at = head.windows(beginning.len()).position(|words| words == beginning)?;
    let rest = &head[at + beginning.len()..];
    let length = rest.iter().position(|byte| !byte.is_ascii_lowercase()).unwrap_or(rest.len());
    str::from_utf8(&rest[..length]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_found_and_nothing_else() {
        for unit in Unit::ALL {
            assert_eq!(
                unit_in_comment(format!("# {} -->", unit_comment(unit)).as_bytes()),
                Some(unit)
            );
            assert_eq!(unit_in_comment(unit_comment(unit).as_bytes()), Some(unit));
        }
        let far = format!("{}{}", " ".repeat(SOUGHT_BYTES), unit_comment(Unit::Metre));
        for other in ["", "palpate: numbers count ", "palpate: numbers count ells", &far] {
            assert_eq!(unit_in_comment(other.as_bytes()), None, "{other}");
        }
    }
}
