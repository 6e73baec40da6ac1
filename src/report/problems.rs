//! Shows problems of a contract at their places: the line as it was written, underlined.

use super::escape::visible;
use super::model::Problems;
use crate::contract::PlacedProblem;
use owo_colors::OwoColorize as _;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr as _;

/// How many columns of a long line are shown around the place.
const WINDOW: usize = 100;

/// Returns a problem for people, in the form that compilers have made familiar.
pub(super) fn snippet(problems: &Problems, problem: &PlacedProblem) -> String {
    let origin = visible(&problems.origin);
    if problem.span.is_empty() && problem.label.is_empty() {
        // The text as a whole is wrong: there is no place to show.
        return format!(
            "{}: {}\n  {} {origin}\n",
            "error".red().bold(),
            visible(&problem.message).bold(),
            "-->".blue()
        );
    }
    let text = &problems.text;
    let start = floor(text, problem.span.start);
    let end = floor(text, problem.span.end.max(start));
    let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[start..].split('\n').next().unwrap_or_default();
    let last = start + rest.trim_end_matches('\r').len();
    let before = visible_source(&text[first..start]);
    let marked = visible_source(&text[start..end.min(last)]);
    let after = visible_source(&text[end.min(last)..last]);
    let (before, after) = (tail(&before, WINDOW / 2), head(&after, WINDOW / 2));
    let marked = head(&marked, WINDOW);

    let number = problem.line.to_string();
    let gutter = " ".repeat(number.len());
    let bar = "|".blue().to_string();
    let mut shown = String::new();
    let _ = writeln!(shown, "{}: {}", "error".red().bold(), visible(&problem.message).bold());
    let _ = writeln!(shown, "{gutter}{} {origin}:{}:{}", "-->".blue(), problem.line, problem.column);
    let _ = writeln!(shown, "{gutter} {bar}");
    let _ = writeln!(shown, "{} {bar} {}", number.blue(), format!("{before}{marked}{after}").trim_end());
    let carets = "^".repeat(marked.width().max(1));
    let label = visible(&problem.label);
    let underline = format!("{carets} {label}");
    let _ = writeln!(shown, "{gutter} {bar} {}{}", " ".repeat(before.width()), underline.trim_end().red());
    if let Some(help) = &problem.help {
        let _ = writeln!(shown, "{gutter} {bar}");
        let _ = writeln!(shown, "{gutter} {} {}: {}", "=".blue(), "help".bold(), visible(help));
    }
    shown
}

fn visible_source(text: &str) -> String {
    visible(&text.replace('\t', "    ")).into_owned()
}

fn floor(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn head(text: &str, count: usize) -> String {
    if text.chars().count() <= count {
        return text.to_owned();
    }
    text.chars().take(count).chain("...".chars()).collect()
}

fn tail(text: &str, count: usize) -> String {
    let length = text.chars().count();
    if length <= count {
        return text.to_owned();
    }
    "...".chars().chain(text.chars().skip(length - count)).collect()
}

#[cfg(test)]
mod tests {
    use super::snippet;
    use crate::contract::{PlacedProblem, shown_text};
    use crate::json::Problem;
    use crate::report::model::Problems;

    fn shown(text: &str, wrong: &str) -> String {
        let text = shown_text(text.as_bytes());
        let at = text.find(wrong).expect("the wrong part is in the text");
        let problem = Problem::new(at..at + wrong.len(), "it is wrong", "here").help("write something else");
        let problem = PlacedProblem::place(problem, &text);
        let problems = Problems { origin: "issue.md".to_owned(), text, problems: Vec::new() };
        anstream::adapter::strip_str(&snippet(&problems, &problem)).to_string()
    }

    #[test]
    fn the_place_is_underlined() {
        insta::assert_snapshot!(shown("# Task\n\t\"日本\": \"x\",\r\n", "\"x\""), @r#"
        error: it is wrong
         --> issue.md:2:8
          |
        2 |     "日本": "x",
          |             ^^^ here
          |
          = help: write something else
        "#);
    }

    #[test]
    fn long_and_hostile_lines_stay_in_their_line() {
        let text = format!("{}\u{1b}[2JX\u{202e}{}", "a".repeat(500), "b".repeat(500));
        let shown = shown(&text, "X");
        assert!(shown.contains("-->") && shown.contains("\\u{1b}[2JX\\u{202e}bbb"), "{shown}");
        assert!(shown.lines().all(|line| line.len() < 140), "{shown}");
    }
}
