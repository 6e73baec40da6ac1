//! Rules of the harness lock as it works with them: a runner's, or made up for a command.
//! Knows nothing of changes.

use crate::runners::HarnessRules;

/// Which files, and which parts of manifests, decide how something runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Globs of whole files.
    pub(crate) files: Vec<String>,
    /// File names of manifests and their parts.
    pub(crate) manifests: Vec<(String, Vec<String>)>,
    /// Keys of configuration files that name files.
    pub(crate) followed_keys: Vec<String>,
    /// Whether every part of a `tsconfig.json` matters, as it does to what checks types.
    pub(crate) is_tsconfig_whole: bool,
}

impl From<HarnessRules> for Rules {
    fn from(rules: HarnessRules) -> Self {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Self {
            files: owned(rules.files),
            manifests: rules
                .manifests
                .iter()
                .map(|manifest| (manifest.file_name.to_owned(), owned(manifest.parts)))
                .collect(),
            followed_keys: owned(rules.followed_keys),
            is_tsconfig_whole: false,
        }
    }
}

impl Rules {
    /// Returns whether a manifest is looked at.
    pub(crate) fn reads(&self, file_name: &str) -> bool {
        self.manifests.iter().any(|(name, _)| name == file_name)
    }

    /// Returns the parts of a manifest.
    pub(crate) fn parts_of(&self, file_name: &str) -> Vec<&str> {
        self.manifests
            .iter()
            .filter(|(name, _)| name == file_name)
            .flat_map(|(_, parts)| parts.iter().map(String::as_str))
            .collect()
    }
}
