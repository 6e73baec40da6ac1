//! What `file_contains` and `file_excludes` share: files at a path, and what is looked for in them.

use super::schema_parts::{entries, path_rule};
use super::text_search::Needle;
use super::{normalized_rule, words};
use crate::error::{Failure, Kind};
use crate::facts::{FileAt, FileContent, Known, PathRule, Plan};
use crate::json::{Member, Node, Reader};
use serde_json::{Value, json};

/// Files, and what is looked for in them.
#[derive(Debug, Clone)]
pub struct FileText {
    pub(super) at: String,
    path: PathRule,
    needle: Needle,
}

/// Reads a list of entries.
pub(super) fn read(reader: &mut Reader, member: &Member) -> Vec<FileText> {
    reader.each(&member.value, "objects", read_entry).unwrap_or_default()
}

fn read_entry(reader: &mut Reader, node: &Node) -> Option<FileText> {
    let at = reader.pointer().to_owned();
    let object = reader.object(node, &["path", "text", "regex"])?;
    let path = reader.required(&object, "path");
    let path = path.and_then(|node| reader.within("path", |reader| reader.path_rule(node)));
    let needle = Needle::read(reader, &object);
    Some(FileText { at, path: path?, needle: needle? })
}

/// Returns the schema of a list of entries.
pub(super) fn schema() -> Value {
    let (mut properties, one_of) = Needle::schema();
    properties["path"] = path_rule();
    entries(&properties, &["path"], &one_of)
}

impl FileText {
    /// Returns which files are looked at.
    pub const fn path(&self) -> &PathRule {
        &self.path
    }

    /// Returns what is looked for.
    pub const fn needle(&self) -> &Needle {
        &self.needle
    }

    pub(super) fn normalized(&self) -> Value {
        let mut members = self.needle.members();
        members.insert("path".to_owned(), normalized_rule(&self.path));
        Value::Object(members)
    }

    pub(super) fn needs(&self, plan: &mut Plan) {
        plan.change = true;
        plan.contents.push(self.path.clone());
    }

    /// Returns the files that match. For a literal path there is always one, which may say that nothing is there.
    pub(super) fn select<'a>(&self, contents: &'a Known<Vec<FileContent>>) -> Result<Vec<&'a FileContent>, Failure> {
        let contents = contents.get().map_err(Clone::clone)?;
        let files: Vec<&FileContent> = contents.iter().filter(|file| self.path.matches(&file.path)).collect();
        if files.is_empty() && self.path.as_literal().is_some() {
            return Err(Failure::new(Kind::Bug, format!("the content of {} was not collected", self.path)));
        }
        Ok(files)
    }
}

/// Returns the stable word for what stands at a path; text is `found` or `absent` in it.
pub(super) const fn state(at: &FileAt, is_found: bool) -> &'static str {
    match at {
        FileAt::Text { .. } if is_found => "found",
        FileAt::Text { .. } => "absent",
        FileAt::NotText => "not_text",
        FileAt::NoFile => "no_file",
        FileAt::Symlink { .. } => "symlink",
        FileAt::Directory => "directory",
        FileAt::Submodule { .. } => "submodule",
    }
}

/// Says why a file cannot be read as text, and what to do; `None` for text, and where nothing is.
pub(super) fn obstacle(file: &FileContent) -> Option<(String, String)> {
    let path = file.path.to_lossy();
    match &file.at {
        FileAt::Text { .. } | FileAt::NoFile => None,
        FileAt::NotText => Some((
            "is not text (neither UTF-8 nor UTF-16 with a byte-order mark)".to_owned(),
            format!("save {path} as UTF-8 text"),
        )),
        FileAt::Symlink { at } if *at == file.path => Some((
            "is a symbolic link, and links are not followed".to_owned(),
            format!("put a regular file in the place of the symbolic link {path}"),
        )),
        FileAt::Symlink { at } => Some((
            format!("lies behind the symbolic link {at}, and links are not followed"),
            format!("put a folder in the place of the symbolic link {at}, and a regular file at {path}"),
        )),
        FileAt::Directory => Some((
            "is a folder, or a file stands where a folder is needed".to_owned(),
            format!("make {path} a regular file"),
        )),
        FileAt::Submodule { at } => Some((
            format!("lies in the submodule {at}, whose content is another repository's"),
            format!("make {path} a regular file of this repository"),
        )),
    }
}

/// Names files in a sentence: `a.ts, b.ts`, all of them.
pub(super) fn list(files: &[&FileContent]) -> String {
    words::lossy(files.iter().map(|file| &file.path)).join(", ")
}

/// Returns examples for editors.
pub(super) fn examples(text: &str) -> Value {
    json!([[{ "path": "src/slugify.ts", "text": text }], [{ "path": { "glob": "docs/*.md" }, "regex": "slug\\s+names?" }]])
}
