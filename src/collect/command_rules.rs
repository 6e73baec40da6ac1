//! What decides how a command runs that no runner knows: of the `commands` clause, or of one with a report of its own.
//! Knows nothing of changes.

use crate::collect::harness::Rules as HarnessRules;
use crate::runners::launcher;

/// A command as the harness lock sees it.
#[derive(Debug)]
pub(crate) struct Rules {
    /// The program's name, launchers taken off.
    pub(crate) program: String,
    pub(crate) harness: HarnessRules,
    /// Files of the repository that the command itself runs.
    pub(crate) named_files: Vec<String>,
}

/// Programs whose first argument is what runs.
const INTERPRETERS: [&str; 16] = [
    "node", "python", "python3", "ruby", "perl", "php", "bash", "sh", "zsh", "deno", "bun", "tsx", "ts-node", "pwsh",
    "lua", "Rscript",
];

const PYTHON_TOOLS: [&str; 14] = [
    "python",
    "python3",
    "ruff",
    "mypy",
    "pyright",
    "basedpyright",
    "flake8",
    "pylint",
    "black",
    "isort",
    "bandit",
    "ty",
    "pyre",
    "pytest",
];

/// Programs with configuration files of other names than their own.
const OTHER_FILES: [(&str, &[&str]); 16] = [
    ("tsc", &["tsconfig*.json", "jsconfig*.json"]),
    ("vue-tsc", &["tsconfig*.json", "jsconfig*.json"]),
    ("tsgo", &["tsconfig*.json", "jsconfig*.json"]),
    ("eslint", &["eslint.config.*", ".eslintrc*", ".eslintignore", "tsconfig*.json"]),
    ("prettier", &["prettier.config.*", ".prettierrc*", ".prettierignore", ".editorconfig"]),
    ("biome", &["biome.json", "biome.jsonc", ".editorconfig"]),
    ("vite", &["vite.config.*", "postcss.config.*", "tsconfig*.json"]),
    ("next", &["next.config.*", "tsconfig*.json", "postcss.config.*", "tailwind.config.*"]),
    ("pyright", &["pyrightconfig.json"]),
    ("basedpyright", &["pyrightconfig.json"]),
    ("pylint", &["pylintrc", ".pylintrc", "pylintrc.toml", ".pylintrc.toml"]),
    ("isort", &[".isort.cfg", ".editorconfig"]),
    ("mypy", &["mypy.ini", ".mypy.ini"]),
    ("cargo", &["clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", "deny.toml"]),
    ("golangci-lint", &[".golangci.*"]),
    ("go", &["go.work", "go.mod"]),
];

/// Says what decides how a command runs.
pub(crate) fn rules(command: &[String]) -> Rules {
    let (program, args, launcher) = match launcher::take_off(command) {
        Ok(call) => (call.program, call.args, call.launcher),
        Err(_) => {
            (command.first().cloned().unwrap_or_default(), command.get(1..).unwrap_or_default().to_vec(), Vec::new())
        }
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or(&program);
    let name = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name).to_owned();
    let is_rust = name == "cargo" || name.starts_with("cargo-");
    let is_python = PYTHON_TOOLS.contains(&name.as_str())
        || launcher
            .iter()
            .any(|word| word.starts_with("python") || matches!(word.as_str(), "uv" | "poetry" | "pipenv"));
    let is_node = !is_rust && !is_python && !program.contains(['/', '\\']);
    let mut files: Vec<String> = [
        format!("{name}.config.*"),
        format!("{name}.conf.*"),
        format!(".{name}rc"),
        format!(".{name}rc.*"),
        format!(".{name}.*"),
        format!(".{name}ignore"),
        format!(".{name}"),
        format!("{name}.toml"),
        format!("{name}.json"),
        format!("{name}.jsonc"),
        format!("{name}.yml"),
        format!("{name}.yaml"),
        format!("{name}.ini"),
    ]
    .to_vec();
    let others = OTHER_FILES.iter().filter(|(known, _)| *known == name);
    files.extend(others.flat_map(|(_, files)| files.iter().map(|file| (*file).to_owned())));
    let mut manifests = Vec::new();
    if is_node {
        manifests
            .push(("package.json".to_owned(), vec![name.clone(), format!("{name}Config"), format!("{name}Ignore")]));
    }
    if is_python {
        manifests.push(("pyproject.toml".to_owned(), vec![format!("tool.{name}")]));
        manifests.push(("setup.cfg".to_owned(), vec![name.clone()]));
        manifests.push(("tox.ini".to_owned(), vec![name.clone()]));
    }
    if is_rust {
        let parts = ["lints", "workspace.lints", "workspace.metadata", "package.metadata"].map(str::to_owned).to_vec();
        manifests.push(("Cargo.toml".to_owned(), parts));
    }
    let mut named_files = Vec::new();
    if program.contains(['/', '\\']) {
        named_files.push(program.clone());
    }
    if INTERPRETERS.contains(&name.as_str()) {
        named_files.extend(script_of(&args));
    }
    let harness = HarnessRules { files, manifests, followed_keys: Vec::new(), is_tsconfig_whole: true };
    Rules { program: name, harness, named_files }
}

/// Returns the script that an interpreter is given, as a file that the repository may have. A script whose syntax is
/// only looked at is what is checked, not what checks.
fn script_of(args: &[String]) -> Vec<String> {
    const LOOKERS: [&str; 3] = ["py_compile", "compileall", "tabnanny"];
    if args.iter().any(|word| word == "--check" || word == "-n" || LOOKERS.contains(&word.as_str())) {
        return Vec::new();
    }
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if word == "-m" {
            let module = words.next().map(|module| module.replace('.', "/")).unwrap_or_default();
            return vec![format!("{module}.py"), format!("{module}/__main__.py"), format!("{module}/__init__.py")];
        }
        if !word.starts_with('-') && !matches!(word.as_str(), "run" | "task") {
            return vec![word.clone()];
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, program: &str, file: &str, named: &[&str]) {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let rules = rules(&words);
        assert_eq!(rules.program, program, "{command}");
        assert!(file.is_empty() || rules.harness.files.iter().any(|known| known == file), "{command}: {rules:?}");
        assert_eq!(rules.named_files, named, "{command}");
    }

    #[test]
    fn a_commands_own_configuration_is_known() {
        check("npx tsc --noEmit", "tsc", "tsconfig*.json", &[]);
        check("npx eslint src", "eslint", "eslint.config.*", &[]);
        check("cargo clippy", "cargo", "clippy.toml", &[]);
        check("python scripts/check.py a b", "python", "", &["scripts/check.py"]);
        check("node --test-only scripts/check.mjs", "node", "", &["scripts/check.mjs"]);
        check("./scripts/check", "check", "", &["./scripts/check"]);
        check("node --check src/a.js", "node", "", &[]);
        check("stylelint src", "stylelint", ".stylelintrc", &[]);
    }
}
