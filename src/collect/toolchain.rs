//! What tells one Rust toolchain from another without running it: the change under test may say what `cargo` is.
//! Must not start anything.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Returns a text that changes when a toolchain is installed, updated or made the default.
pub(crate) fn identity(environment: &[(OsString, OsString)], cargo: Option<&Path>) -> String {
    let variable = |name: &str| {
        environment
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_os_str())
            .filter(|value| !value.is_empty())
    };
    let home = variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    let rustup =
        variable("RUSTUP_HOME").map(PathBuf::from).or_else(|| home.map(|home| Path::new(home).join(".rustup")));
    let mut lines = vec![format!("{:?}", variable("RUSTUP_TOOLCHAIN"))];
    lines.extend(cargo.map(stamp));
    if let Some(rustup) = rustup {
        lines.push(std::fs::read_to_string(rustup.join("settings.toml")).unwrap_or_default());
        for folder in ["update-hashes", "toolchains"] {
            let mut entries: Vec<String> = std::fs::read_dir(rustup.join(folder))
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| {
                    let content = std::fs::read_to_string(entry.path()).unwrap_or_default();
                    format!("{} {content}", stamp(&entry.path()))
                })
                .collect();
            entries.sort_unstable();
            lines.extend(entries);
        }
    }
    lines.join("\n")
}

fn stamp(path: &Path) -> String {
    let found = std::fs::metadata(path).ok();
    let times = found.as_ref().map(|found| (found.len(), found.modified().ok()));
    format!("{} {times:?}", path.file_name().unwrap_or(OsStr::new("")).to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_of_a_toolchain_is_another_identity() {
        let rustup = tempfile::tempdir().unwrap();
        std::fs::create_dir(rustup.path().join("update-hashes")).unwrap();
        let environment = [(OsString::from("RUSTUP_HOME"), rustup.path().as_os_str().to_owned())];
        let first = identity(&environment, None);
        assert_eq!(identity(&environment, None), first);
        std::fs::write(rustup.path().join("update-hashes/stable"), "abc").unwrap();
        assert_ne!(identity(&environment, None), first);
    }
}
