//! The one list of variables that reach the code under test, each with its reason.

/// How a variable is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It keeps the caller's value.
    Kept,
    /// It keeps the caller's value; under isolation, when it is not set, it is set to this folder below the
    /// real home, if that exists, because the home is a private empty folder then.
    KeptHome(&'static str),
    /// It keeps the caller's value, but not under isolation.
    KeptInPlace,
    /// It keeps the caller's value without empty and relative entries, which mean the folder under test.
    KeptAbsolute,
    /// It keeps the caller's value; under isolation it is a private empty folder of this name.
    Home(&'static str),
    /// It is always a private folder of this name.
    Private(&'static str),
    /// It is always this text.
    Fixed(&'static str),
}

/// One variable of the allow-list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// The name. One that ends with `*` stands for every name that begins so.
    pub name: &'static str,
    /// How it is treated.
    pub treatment: Treatment,
    /// Why it is on the list.
    pub why: &'static str,
}

const fn kept(name: &'static str, why: &'static str) -> Allowed {
    Allowed { name, treatment: Treatment::Kept, why }
}

const fn home(name: &'static str, below: &'static str, why: &'static str) -> Allowed {
    Allowed { name, treatment: Treatment::KeptHome(below), why }
}

const fn in_place(name: &'static str, why: &'static str) -> Allowed {
    Allowed { name, treatment: Treatment::KeptInPlace, why }
}

const fn private(name: &'static str, folder: &'static str, why: &'static str) -> Allowed {
    Allowed { name, treatment: Treatment::Private(folder), why }
}

const TOOLCHAIN: &str = "a version manager's launchers do not find their toolchains without it";
const SELECTION: &str = "the operator's choice of a toolchain's version";
const CACHE: &str = "a toolchain would download or build everything again without it";
const LIBRARIES: &str = "interpreters of hosted CI do not find their own library without it";
const CERTIFICATES: &str = "set-up commands reach registries through a company's certificates; names a file, no secret";
const LOCALE: &str = "suites of text and dates depend on it";
const PERSON: &str = "programs ask for the user's name; no secret";

/// The allow-list, apart from what only Windows knows. Not on it, on purpose: everything that holds secrets
/// (`*TOKEN*`, `GITHUB_*`, proxies with passwords, agents' sockets), everything that adds code or flags to the
/// processes under test (`NODE_OPTIONS`, `PYTEST_ADDOPTS`, `PYTHONPATH`, `RUSTFLAGS`, `LD_PRELOAD`, `GIT_*`),
/// and what belongs to a terminal (`TERM`, `FORCE_COLOR`), so that a result does not depend on who looks.
pub const ALLOWED: &[Allowed] = &[
    kept("PATH", "programs are found by it"),
    Allowed {
        name: "HOME",
        treatment: Treatment::Home("home"),
        why: "toolchains keep their parts there; private and empty under isolation",
    },
    kept("USER", PERSON),
    kept("LOGNAME", PERSON),
    kept("SHELL", "suites of command-line tools start it"),
    kept("LANG", LOCALE),
    kept("LANGUAGE", LOCALE),
    kept("LC_*", LOCALE),
    kept("TZ", LOCALE),
    private("TMPDIR", "tmp", "temporary files of a run must not meet those of another, and must go away with it"),
    private("PYTHONPYCACHEPREFIX", "pycache", "a stale ignored `.pyc` ran in place of the source that is judged"),
    Allowed {
        name: "CI",
        treatment: Treatment::Fixed("1"),
        why: "runners then refuse `.only` and do not write new snapshots",
    },
    home("CARGO_HOME", ".cargo", CACHE),
    home("RUSTUP_HOME", ".rustup", TOOLCHAIN),
    kept("RUSTUP_TOOLCHAIN", SELECTION),
    home("NVM_DIR", ".nvm", TOOLCHAIN),
    kept("NVM_BIN", TOOLCHAIN),
    kept("FNM_DIR", TOOLCHAIN),
    kept("FNM_MULTISHELL_PATH", TOOLCHAIN),
    home("VOLTA_HOME", ".volta", TOOLCHAIN),
    home("BUN_INSTALL", ".bun", TOOLCHAIN),
    home("DENO_DIR", ".cache/deno", CACHE),
    kept("PNPM_HOME", TOOLCHAIN),
    home("COREPACK_HOME", ".cache/node/corepack", TOOLCHAIN),
    home("npm_config_cache", ".npm", CACHE),
    kept("ASDF_DIR", TOOLCHAIN),
    home("ASDF_DATA_DIR", ".asdf", TOOLCHAIN),
    home("MISE_DATA_DIR", ".local/share/mise", TOOLCHAIN),
    home("PYENV_ROOT", ".pyenv", TOOLCHAIN),
    kept("PYENV_VERSION", SELECTION),
    kept("VIRTUAL_ENV", "names the Python environment that is in use; no secret"),
    kept("CONDA_PREFIX", "names the Python environment that is in use; no secret"),
    home("UV_CACHE_DIR", ".cache/uv", CACHE),
    home("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", TOOLCHAIN),
    home("PIP_CACHE_DIR", ".cache/pip", CACHE),
    home("POETRY_CACHE_DIR", ".cache/pypoetry", CACHE),
    home("GOPATH", "go", TOOLCHAIN),
    kept("GOROOT", TOOLCHAIN),
    home("GOCACHE", ".cache/go-build", CACHE),
    kept("GOMODCACHE", CACHE),
    Allowed { name: "LD_LIBRARY_PATH", treatment: Treatment::KeptAbsolute, why: LIBRARIES },
    Allowed { name: "DYLD_LIBRARY_PATH", treatment: Treatment::KeptAbsolute, why: LIBRARIES },
    kept("GEM_HOME", TOOLCHAIN),
    kept("GEM_PATH", TOOLCHAIN),
    home("RBENV_ROOT", ".rbenv", TOOLCHAIN),
    kept("RBENV_VERSION", SELECTION),
    kept("JAVA_HOME", SELECTION),
    home("GRADLE_USER_HOME", ".gradle", CACHE),
    kept("DOTNET_ROOT", TOOLCHAIN),
    home("NUGET_PACKAGES", ".nuget/packages", CACHE),
    kept("SSL_CERT_FILE", CERTIFICATES),
    kept("SSL_CERT_DIR", CERTIFICATES),
    kept("NIX_SSL_CERT_FILE", CERTIFICATES),
    kept("NODE_EXTRA_CA_CERTS", CERTIFICATES),
    kept("REQUESTS_CA_BUNDLE", CERTIFICATES),
    kept("CURL_CA_BUNDLE", CERTIFICATES),
    kept("PIP_CERT", CERTIFICATES),
    in_place("XDG_CONFIG_HOME", "belongs to the home"),
    in_place("XDG_CACHE_HOME", "belongs to the home"),
    in_place("XDG_DATA_HOME", "belongs to the home"),
    in_place("XDG_STATE_HOME", "belongs to the home"),
];

const WINDOWS: &str = "Windows and its programs do not start without it";

/// What Windows needs beside [`ALLOWED`].
pub const ALLOWED_ON_WINDOWS: &[Allowed] = &[
    kept("SystemRoot", WINDOWS),
    kept("SystemDrive", WINDOWS),
    kept("windir", WINDOWS),
    kept("ComSpec", WINDOWS),
    kept("PATHEXT", WINDOWS),
    kept("OS", WINDOWS),
    kept("NUMBER_OF_PROCESSORS", WINDOWS),
    kept("PROCESSOR_ARCHITECTURE", WINDOWS),
    kept("ProgramData", WINDOWS),
    kept("ProgramFiles", WINDOWS),
    kept("ProgramFiles(x86)", WINDOWS),
    kept("ProgramW6432", WINDOWS),
    kept("CommonProgramFiles", WINDOWS),
    kept("CommonProgramFiles(x86)", WINDOWS),
    kept("CommonProgramW6432", WINDOWS),
    kept("USERNAME", PERSON),
    Allowed { name: "USERPROFILE", treatment: Treatment::Home("home"), why: "the home, as `HOME`" },
    Allowed { name: "APPDATA", treatment: Treatment::Home("appdata"), why: "belongs to the home" },
    Allowed { name: "LOCALAPPDATA", treatment: Treatment::Home("localappdata"), why: "belongs to the home" },
    in_place("HOMEDRIVE", "belongs to the home"),
    in_place("HOMEPATH", "belongs to the home"),
    private("TEMP", "tmp", "as `TMPDIR`"),
    private("TMP", "tmp", "as `TMPDIR`"),
];

/// Variables that a shell or a terminal keeps for itself: left out and not worth telling.
pub(super) const NOISE: &[&str] = &[
    "_",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "PS1",
    "PS2",
    "PS4",
    "LS_COLORS",
    "LESSOPEN",
    "LESSCLOSE",
    "HISTFILE",
    "HISTSIZE",
    "COLUMNS",
    "LINES",
    "MAIL",
    "HOSTNAME",
    "PROMPT",
    "TEMP",
    "TMP",
];
