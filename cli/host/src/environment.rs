//! Environment variables, passed in so that tests and Node can have their own.

use std::collections::BTreeMap;

/// Environment variables.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of this process, without those that are not Unicode.
    pub fn of_process() -> Self {
        Self(
            std::env::vars_os()
                .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
                .collect(),
        )
    }

    /// Only these variables.
    pub fn with<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(variables.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}
