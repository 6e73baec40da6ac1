//! Decides whether a change meets a contract that a human wrote first, using only facts it gathers itself.
//!
//! Data flows one way: source → contract → plan → facts → verdict → report. The command line is one caller of
//! it; another can gather facts in a sandbox of its own and have them judged, without git and without running
//! anything here:
//!
//! ```
//! use agent_acceptance::contract::{self, Reading};
//! use agent_acceptance::facts::{FileAt, FileContent, Facts, Known};
//! use agent_acceptance::verdict::{VerdictStatus, judge};
//!
//! let text = br#"{"file_contains": [{"path": "CHANGELOG.md", "text": "[1.2.0]"}]}"#;
//! let Reading::Valid(contract) = contract::read(text) else { panic!("the contract is valid") };
//!
//! // What has to be found out, as plain data; here it is one file's content at head.
//! let plan = contract.plan();
//! assert_eq!(plan.contents[0].as_literal(), Some("CHANGELOG.md"));
//!
//! // Facts are what you found out. What you leave out is unknown, and nothing unknown passes.
//! let mut facts = Facts::none();
//! assert_eq!(judge(&contract, &facts).status, VerdictStatus::Unknown);
//!
//! let text = "## [1.2.0]\n- Dashes are collapsed.\n".to_owned();
//! facts.contents = Known::Known(vec![FileContent { path: "CHANGELOG.md".into(), at: FileAt::Text { text } }]);
//! let verdict = judge(&contract, &facts);
//! assert_eq!(verdict.status, VerdictStatus::Passed);
//! assert_eq!(verdict.findings[0].detail, "CHANGELOG.md contains \"[1.2.0]\"");
//!
//! // Facts and verdict are data: they can be written, sent and read.
//! let sent = serde_json::to_string(&facts)?;
//! assert_eq!(serde_json::from_str::<Facts>(&sent)?, facts);
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod clauses;
#[doc(hidden)]
pub mod cli;
pub mod collect;
pub mod commands;
pub mod contract;
pub mod error;
pub mod exec;
pub mod exit;
pub mod facts;
pub mod git;
#[cfg(feature = "github")]
pub mod github;
pub mod json;
pub mod report;
pub mod runners;
#[doc(hidden)]
pub mod settings;
pub mod source;
pub mod verdict;
