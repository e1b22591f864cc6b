//! What a file's numbers count, noted where its format has room for remarks but none for units.

use crate::check::Unit;

const BEGINNING: &str = "palpate: numbers count ";
/// Remarks stand near the beginning.
const SOUGHT_BYTES: usize = 400;

/// The words for a file.
pub(super) fn remark(unit: Unit) -> String {
    format!("{BEGINNING}{}", unit.plural())
}

/// What a remark in a file says.
pub(super) fn remarked(bytes: &[u8]) -> Option<Unit> {
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
            assert_eq!(remarked(format!("# {} -->", remark(unit)).as_bytes()), Some(unit));
            assert_eq!(remarked(remark(unit).as_bytes()), Some(unit));
        }
        let far = format!("{}{}", " ".repeat(SOUGHT_BYTES), remark(Unit::Metre));
        for other in ["", "palpate: numbers count ", "palpate: numbers count ells", &far] {
            assert_eq!(remarked(other.as_bytes()), None, "{other}");
        }
    }
}
