//! Flags of commands: found in every spelling, and refused where they would make a run that cannot be believed.

use super::Refusal;

/// Flags that are refused, and why.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refused {
    /// Long names in lower case without dashes (`outputfile` stands for `--outputFile`, `--output-file`,
    /// `--outputFile.json`), and short ones as they are written (`-u`). For [`check_beginnings`] long names have
    /// their dashes inside (`dry-run`).
    pub(super) names: &'static [&'static str],
    /// Why, as the end of a sentence that begins with the flag.
    pub(super) why: &'static str,
    /// What to do about it.
    pub(super) help: &'static str,
}

const TAKE_OUT: &str = "take it out of the command";

/// The checker's reporter is the only one, and its report the only report.
pub(super) const fn report(names: &'static [&'static str]) -> Refused {
    Refused { names, why: "sets where results go, and the checker sets that itself", help: TAKE_OUT }
}

/// Flags with which nothing is run, or with which nothing looks like everything.
pub(super) const fn empty(names: &'static [&'static str]) -> Refused {
    Refused { names, why: "lets a run pass in which tests are not run", help: TAKE_OUT }
}

/// Flags that rewrite what tests compare with.
pub(super) const fn rewrites(names: &'static [&'static str]) -> Refused {
    Refused { names, why: "rewrites what the tests compare with", help: TAKE_OUT }
}

/// Flags with which a run would not end by itself.
pub(super) const fn endless(names: &'static [&'static str]) -> Refused {
    Refused { names, why: "keeps the run from ending by itself", help: TAKE_OUT }
}

/// Flags that open the runner to others while it runs.
pub(super) const fn opened(names: &'static [&'static str]) -> Refused {
    Refused { names, why: "lets the code under test take the runner over", help: TAKE_OUT }
}

/// Flags that hide errors.
pub(super) const fn blind(names: &'static [&'static str]) -> Refused {
    Refused { names, why: "hides errors", help: TAKE_OUT }
}

/// Looks through a command's arguments up to `--` for refused flags.
pub(super) fn check(args: &[String], tables: &[Refused]) -> Result<(), Refusal> {
    for word in args.iter().take_while(|word| *word != "--") {
        if let Some(refused) = tables.iter().find(|refused| is_named(word, refused.names)) {
            let shown = word.split('=').next().unwrap_or(word);
            return Err(Refusal {
                message: format!("`{shown}` {}", refused.why),
                label: "this flag is refused".to_owned(),
                help: Some(refused.help.to_owned()),
            });
        }
    }
    Ok(())
}

/// The same for programs that take any beginning of a long option for it, and short options together in a word.
/// `with_value` holds the letters of short options that take the rest of their word, or the next word, as their value.
pub(super) fn check_beginnings(args: &[String], tables: &[Refused], with_value: &str) -> Result<(), Refusal> {
    for word in args.iter().take_while(|word| *word != "--") {
        let written = word.split('=').next().unwrap_or(word);
        let is_meant = |name: &str| match written.strip_prefix("--") {
            Some(long) => !name.starts_with('-') && name.starts_with(long),
            None => name.strip_prefix('-').is_some_and(|letter| is_among(word, letter, with_value)),
        };
        if let Some(refused) = tables.iter().find(|refused| refused.names.iter().any(|name| is_meant(name))) {
            return Err(Refusal {
                message: format!("`{written}` {}", refused.why),
                label: "this flag is refused".to_owned(),
                help: Some(refused.help.to_owned()),
            });
        }
    }
    Ok(())
}

fn is_among(word: &str, letter: &str, with_value: &str) -> bool {
    let Some(letters) = word.strip_prefix('-') else { return false };
    let up_to_value = letters.find(|letter| with_value.contains(letter)).map_or(letters.len(), |at| at + 1);
    letters.get(..up_to_value).is_some_and(|letters| letters.contains(letter))
}

fn is_named(word: &str, names: &[&str]) -> bool {
    if let Some(long) = word.strip_prefix("--") {
        let name = normal(long);
        return names.iter().any(|known| !known.starts_with('-') && *known == name);
    }
    // Short flags may stand together, and may hold a value at the end.
    let Some(short) = word.strip_prefix('-') else { return false };
    let letters = short.split(['=', '.']).next().unwrap_or(short);
    let is_group = letters.chars().all(|letter| letter.is_ascii_alphabetic());
    names.iter().filter_map(|known| known.strip_prefix('-')).any(|known| {
        if known.len() == 1 {
            is_group && letters.contains(known) || short.starts_with(known)
        } else {
            letters == known
        }
    }) || names.contains(&normal(letters).as_str()) && letters.len() > 1
}

/// Returns a long flag's name in one spelling: without value, sub-keys, dashes and capitals.
fn normal(long: &str) -> String {
    let name = long.split(['=', '.']).next().unwrap_or(long);
    name.chars().filter(|character| !matches!(character, '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// Returns the values of flags: `--config x`, `--config=x`, `-c x`. Names are written as in [`Refused::names`].
pub(super) fn values<'a>(args: &'a [String], names: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = args.iter().take_while(|word| *word != "--").peekable();
    while let Some(word) = words.next() {
        let is_long = word.strip_prefix("--").is_some_and(|long| names.contains(&normal(long).as_str()));
        let is_short = names.iter().any(|name| name.starts_with('-') && word.split('=').next() == Some(name));
        if !is_long && !is_short {
            continue;
        }
        match word.split_once('=') {
            Some((_, value)) => found.push(value),
            None => found.extend(words.peek().map(|value| value.as_str())),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{check, empty, report, values};

    #[test]
    fn flags_are_found_in_every_spelling() {
        let tables = [report(&["outputfile", "reporter"]), empty(&["-u", "-w", "shard"])];
        let is_refused = |word: &str| check(&["run".to_owned(), word.to_owned()], &tables).is_err();
        for word in [
            "--outputFile",
            "--output-file=x",
            "--outputFile.json=x",
            "--OUTPUT_FILE",
            "--reporter",
            "-u",
            "-tu",
            "-u=1",
            "--shard=1/2",
            "-reporter",
        ] {
            assert!(is_refused(word), "{word}");
        }
        for word in ["--retry=3", "-t", "tests/-u", "--shards", "reporter", "-t=u"] {
            assert!(!is_refused(word), "{word}");
        }
        assert!(check(&["--".to_owned(), "--reporter".to_owned()], &tables).is_ok());
    }

    #[test]
    fn values_are_found_in_both_forms() {
        let args = ["--config", "a", "--config=b", "-c", "c", "--conf", "d", "--", "-c", "e"].map(str::to_owned);
        assert_eq!(values(&args, &["config", "-c"]), ["a", "b", "c"]);
    }
}
