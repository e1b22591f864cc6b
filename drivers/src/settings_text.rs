//! The settings of a recorded device, as text in the recording: `name=value` words.

/// Reason why the settings of a recorded device cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("{name} is `{got}`, expected {want}")]
    Value { name: &'static str, got: String, want: &'static str },
}

pub(crate) struct SettingsText<'a>(&'a str);

impl<'a> SettingsText<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// The value of `name`, if `parse` accepts it. Unknown names are ignored: a later version may
    /// add some.
    pub(crate) fn read<T>(
        &self,
        name: &'static str,
        want: &'static str,
        parse: impl Fn(&'a str) -> Option<T>,
    ) -> Result<T, SettingsError> {
        let words = self.0.split_ascii_whitespace();
        let value = words
            .filter_map(|word| word.split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))
            .ok_or(SettingsError::Missing(name))?;
        parse(value).ok_or_else(|| SettingsError::Value { name, got: value.to_owned(), want })
    }
}
