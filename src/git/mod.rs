//! The only room that runs git: quarantine, refs, diff, objects, private clones.
//! Knows nothing of contracts, plans or verdicts.
//!
//! All facts come from git objects, read in a **quarantine**: a bare repository of our own whose only link
//! to the target is its object store. No configuration, attributes, replacements, grafts, hooks, index or
//! submodule settings of the target remain, so none can bend a fact. Commits, trees and blobs are proven
//! by their hash when they are read. Nothing is ever fetched.
//!
//! # API
//! - [`Git::locate`] finds the program in a search path; [`Repository::discover`] finds the repository.
//! - [`Repository::resolve`] names → commits; [`Repository::default_base`]; [`Repository::merge_base`];
//!   [`Repository::diff`]; [`Repository::change`] does all four.
//! - [`Repository::added_lines`] of a change, by file.
//! - [`Repository::tree`] lists a commit; [`Repository::locate`] tells what stands at paths;
//!   [`Repository::read_paths`] and [`Repository::read_path`] read them; [`Repository::blob`] reads one object.
//! - [`Repository::checkout_into`] makes a private clone; [`Repository::take_back`] puts files of another
//!   commit into it.
//! - [`Repository::remotes`] names and URLs from the configuration's text.
//!
//! Commits are passed as full hashes, as [`crate::facts::Change`] holds them. A repository can be shared
//! between threads.

mod alternates;
mod background;
mod change;
mod commit;
mod content;
mod discover;
mod inspect;
mod lines;
mod make;
mod media;
mod merge_base;
mod name;
mod numstat;
mod objects;
mod oid;
mod os;
mod private_clone;
mod program;
mod quarantine;
mod refs;
mod remotes;
mod repository;
mod take_back;
mod text;
mod tree;
mod tree_diff;
mod walk;
mod worktree_files;

pub use content::PathContent;
pub use make::NewCommit;
pub use oid::ObjectFormat;
pub use private_clone::PrivateClone;
pub use program::Git;
pub use remotes::Remote;
pub use repository::Repository;
pub use tree::Mode;
pub use walk::{Located, TreeEntry};
