//! Words about an object that was factorised in single precision, because of the memory limit.

/// Remark on such an object, with the limit in MB that would avoid it, which `option` sets.
pub(crate) fn remark(bytes_for_double: usize, option: &str) -> String {
    let limit = bytes_for_double.div_ceil(1_000_000);
    format!(
        "single precision because memory is short, so new contacts are slower ({option} {limit})"
    )
}

/// Adds the remark to the text of `LinkState::Ready`, if there is one.
pub(crate) fn with_remark(text: String, remark: Option<String>) -> String {
    match remark {
        Some(remark) => format!("{text}; {remark}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remark_offers_a_limit_that_suffices() {
        let remark = remark(6_200_000_001, "--memory-mb");
        assert!(remark.ends_with("(--memory-mb 6201)"), "{remark}");
        assert_eq!(with_remark("embedded".to_owned(), None), "embedded");
        let text = with_remark("embedded".to_owned(), Some(remark));
        assert!(text.starts_with("embedded; single precision"), "{text}");
    }
}
