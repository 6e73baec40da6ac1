//! The command that undoes a change to one file. Paths come from the change and are hostile: what a shell
//! or git could take for more than a name is quoted, and what cannot be shown faithfully gets no command.

use crate::facts::{Change, ChangeStatus, ChangedFile};

/// So many characters of a commit's hash are shown.
const SHORT_HASH: usize = 7;

/// Returns the short form of a commit's hash.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..SHORT_HASH).unwrap_or(commit)
}

/// Returns what undoes the change to a file, as a line of advice.
pub(super) fn undo(change: &Change, file: &ChangedFile) -> String {
    let Some(path) = file.path.as_str().filter(|path| is_plain(path)) else {
        return format!("undo the change to {}", file.path);
    };
    // git reads `*`, `?`, `[` and a leading `:` in a path as more than a name.
    let literal =
        if path.starts_with(':') || path.contains(['*', '?', '[', '\\']) { "--literal-pathspecs " } else { "" };
    let path = quoted(path);
    match file.status {
        ChangeStatus::Added => format!("undo it: git {literal}rm {dashes}{path}", dashes = dashes(&path)),
        ChangeStatus::Modified | ChangeStatus::Deleted | ChangeStatus::TypeChanged | ChangeStatus::ModeChanged => {
            format!("undo it: git {literal}checkout {} -- {path}", short(&change.merge_base))
        }
    }
}

fn dashes(path: &str) -> &'static str {
    if path.trim_start_matches('\'').starts_with('-') { "-- " } else { "" }
}

/// Whether the path is shown as it is by every format, so that a copied command names the same file.
fn is_plain(path: &str) -> bool {
    let is_invisible = |character: char| {
        character.is_control()
            || matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}')
    };
    !path.contains(is_invisible)
}

/// Quotes a word for a POSIX shell.
fn quoted(path: &str) -> String {
    let is_safe = |character: char| character.is_ascii_alphanumeric() || "/._-+=@%,:".contains(character);
    if path.chars().all(is_safe) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::undo;
    use crate::clauses::samples;
    use crate::facts::ChangeStatus::{self, Added, Deleted, Modified};

    #[track_caller]
    fn check(path: &str, status: ChangeStatus, expected: &str) {
        let change = samples::change([samples::file(path, status, 1, 0)]);
        assert_eq!(undo(&change, &change.files[0]), expected);
    }

    #[test]
    fn the_command_depends_on_what_happened() {
        check("README.md", Modified, "undo it: git checkout 8c1f0a2 -- README.md");
        check("README.md", Deleted, "undo it: git checkout 8c1f0a2 -- README.md");
        check(".cargo/config.toml", Added, "undo it: git rm .cargo/config.toml");
    }

    #[test]
    fn hostile_paths_cannot_become_commands() {
        check("a b; rm -rf ~", Added, "undo it: git rm 'a b; rm -rf ~'");
        check("it's $(id)", Modified, "undo it: git checkout 8c1f0a2 -- 'it'\\''s $(id)'");
        check("-rf", Added, "undo it: git rm -- -rf");
        check(":(top)a", Modified, "undo it: git --literal-pathspecs checkout 8c1f0a2 -- ':(top)a'");
        check("app/[slug]/p.ts", Modified, "undo it: git --literal-pathspecs checkout 8c1f0a2 -- 'app/[slug]/p.ts'");
        check("a\nb", Modified, "undo the change to a\nb");
        check("a\u{202e}b", Modified, "undo the change to a\u{202e}b");
    }
}
