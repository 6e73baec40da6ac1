//! Who is trusted with a contract, and whether it is still the one that they wrote. Pure.

use crate::facts::{Edit, Permission, Person};

/// Whom the operator trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRule {
    /// Associations with the repository: `OWNER`, `MEMBER`, `COLLABORATOR`.
    pub associations: Vec<String>,
    /// Accounts by name.
    pub users: Vec<String>,
    /// Whether write permission on the repository is asked for instead of an association.
    pub write_permission: bool,
}

/// Why somebody is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distrust {
    /// The account is a program's.
    Bot,
    /// The account is gone.
    Deleted,
    /// The account is neither a person's nor a program's.
    OtherAccount,
    /// The association is not among the trusted ones.
    Association(String),
    /// The permission is not enough, or could not be read; the text says which.
    Permission(String),
}

/// Returns why the author of a text is not trusted. `permission` is asked only where the rule needs it.
pub fn distrust_of(
    person: &Person,
    association: Option<&str>,
    permission: Option<&Permission>,
    rule: &TrustRule,
) -> Option<Distrust> {
    let login = match person {
        Person::User(login) => login,
        Person::Bot(_) => return Some(Distrust::Bot),
        Person::Deleted => return Some(Distrust::Deleted),
        Person::Other(_) => return Some(Distrust::OtherAccount),
    };
    if is_named(login, rule) {
        return None;
    }
    if rule.write_permission {
        return match permission {
            Some(Permission::Level(level)) if matches!(level.as_str(), "admin" | "write") => None,
            Some(Permission::Level(level)) => {
                Some(Distrust::Permission(format!("it has {level} permission, write is needed")))
            }
            Some(Permission::Unknown(why)) => Some(Distrust::Permission(why.clone())),
            None => Some(Distrust::Permission("its permission is not known".to_owned())),
        };
    }
    let association = association.unwrap_or("NONE");
    let trusted = rule.associations.iter().any(|trusted| trusted.eq_ignore_ascii_case(association));
    (!trusted).then(|| Distrust::Association(association.to_owned()))
}

/// Returns whether the operator trusts the account by its name.
pub fn is_named(login: &str, rule: &TrustRule) -> bool {
    rule.users.iter().any(|user| user.eq_ignore_ascii_case(login))
}

/// An edit that makes a contract another question than the one that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadEdit {
    /// By somebody who is not trusted.
    Editor(Edit),
    /// After the pull request was opened.
    TooLate(Edit),
    /// A revision was removed from the history.
    Redacted(Edit),
}

/// Returns the first edit that spoils a contract. `frozen_at` is when the pull request was opened;
/// `is_trusted` tells of an editor that is not the author. Times that cannot be compared spoil it too.
pub fn bad_edit(
    author: &Person,
    edits: &[Edit],
    frozen_at: Option<&str>,
    is_trusted: impl Fn(&Person) -> bool,
) -> Option<BadEdit> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by(|left, right| left.at.cmp(&right.at));
    for edit in edits {
        let own = edit.editor == *author && matches!(author, Person::User(_));
        if edit.redacted {
            return Some(BadEdit::Redacted(edit.clone()));
        }
        if !own && !is_trusted(&edit.editor) {
            return Some(BadEdit::Editor(edit.clone()));
        }
        if frozen_at.is_some_and(|frozen| !is_not_after(&edit.at, frozen)) {
            return Some(BadEdit::TooLate(edit.clone()));
        }
    }
    None
}

/// Compares two of the server's times; what cannot be read counts as later.
fn is_not_after(time: &str, limit: &str) -> bool {
    match (time.parse::<jiff::Timestamp>(), limit.parse::<jiff::Timestamp>()) {
        (Ok(time), Ok(limit)) => time <= limit,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{BadEdit, Distrust, TrustRule, bad_edit, distrust_of};
    use crate::facts::{Edit, Permission, Person};

    fn rule() -> TrustRule {
        let associations = ["OWNER", "MEMBER", "COLLABORATOR"].map(str::to_owned).to_vec();
        TrustRule { associations, users: vec!["Friend".to_owned()], write_permission: false }
    }

    fn user(login: &str) -> Person {
        Person::User(login.to_owned())
    }

    #[test]
    fn associations_users_and_permissions_are_trusted_and_nobody_else() {
        let by_permission = TrustRule { write_permission: true, ..rule() };
        let level = |level: &str| Some(Permission::Level(level.to_owned()));
        for (person, association, permission, rule, trusted) in [
            (user("a"), Some("MEMBER"), None, rule(), true),
            (user("a"), Some("OWNER"), None, rule(), true),
            (user("a"), Some("COLLABORATOR"), None, rule(), true),
            (user("a"), Some("CONTRIBUTOR"), None, rule(), false),
            (user("a"), Some("FIRST_TIMER"), None, rule(), false),
            (user("a"), Some("FIRST_TIME_CONTRIBUTOR"), None, rule(), false),
            (user("a"), Some("MANNEQUIN"), None, rule(), false),
            (user("a"), Some("NONE"), None, rule(), false),
            (user("a"), Some("SOMETHING_NEW"), None, rule(), false),
            (user("a"), None, None, rule(), false),
            (user("friend"), Some("NONE"), None, rule(), true),
            (Person::Bot("friend".to_owned()), Some("OWNER"), None, rule(), false),
            (Person::Deleted, Some("OWNER"), None, rule(), false),
            (Person::Other("m".to_owned()), Some("OWNER"), None, rule(), false),
            (user("a"), Some("MEMBER"), level("read"), by_permission.clone(), false),
            (user("a"), Some("NONE"), level("write"), by_permission.clone(), true),
            (user("a"), Some("NONE"), level("admin"), by_permission.clone(), true),
            (user("a"), Some("OWNER"), Some(Permission::Unknown("403".to_owned())), by_permission.clone(), false),
            (user("a"), Some("OWNER"), None, by_permission, false),
        ] {
            let found = distrust_of(&person, association, permission.as_ref(), &rule);
            assert_eq!(found.is_none(), trusted, "{person:?} {association:?} {permission:?}");
        }
        assert_eq!(distrust_of(&Person::Deleted, None, None, &rule()), Some(Distrust::Deleted));
    }

    fn edit(editor: &str, at: &str) -> Edit {
        Edit { editor: user(editor), at: at.to_owned(), redacted: false }
    }

    #[test]
    fn edits_by_others_or_after_the_pull_request_spoil_a_contract() {
        let opened = Some("2026-01-02T00:00:00Z");
        let trusted = |person: &Person| *person == user("maintainer");
        let check = |edits: &[Edit], frozen| bad_edit(&user("author"), edits, frozen, trusted);
        assert_eq!(check(&[], opened), None);
        assert_eq!(check(&[edit("author", "2026-01-01T00:00:00Z")], opened), None);
        assert_eq!(check(&[edit("maintainer", "2026-01-01T00:00:00Z")], opened), None);
        assert_eq!(check(&[edit("author", "2026-01-03T00:00:00Z")], None), None);
        let early = edit("mallory", "2026-01-01T00:00:00Z");
        assert_eq!(check(std::slice::from_ref(&early), opened), Some(BadEdit::Editor(early)));
        for at in ["2026-01-02T00:00:01Z", "yesterday", ""] {
            let late = edit("author", at);
            assert_eq!(check(std::slice::from_ref(&late), opened), Some(BadEdit::TooLate(late)));
        }
        let redacted = Edit { redacted: true, ..edit("author", "2026-01-01T00:00:00Z") };
        assert_eq!(check(std::slice::from_ref(&redacted), None), Some(BadEdit::Redacted(redacted)));
    }

    #[test]
    fn a_deleted_author_does_not_make_a_deleted_editor_the_same_person() {
        let edits = [Edit { editor: Person::Deleted, at: "2026-01-01T00:00:00Z".to_owned(), redacted: false }];
        assert!(bad_edit(&Person::Deleted, &edits, None, |_| false).is_some());
    }
}
