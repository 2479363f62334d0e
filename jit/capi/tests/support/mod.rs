//! Installs the library into a folder, as the README says, and compiles programs against it.

use crate::skip::skip;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

/// The folder of this package.
pub(crate) const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// Which library a program is linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    Shared,
    Static,
}

/// Which compiler, with the language that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C99,
    Cpp11,
    Cpp17,
}

impl Language {
    /// `CC` and `CXX` name others, for tests of another machine.
    fn compiler(self) -> Command {
        let (variable, usual) = match self {
            Self::C99 => ("CC", "cc"),
            Self::Cpp11 | Self::Cpp17 => ("CXX", "c++"),
        };
        let named = std::env::var(variable).unwrap_or_default();
        let mut words = named.split_whitespace();
        let mut compiler = Command::new(words.next().unwrap_or(usual));
        compiler.args(words);
        compiler
    }

    fn options(self) -> [&'static str; 3] {
        match self {
            Self::C99 => ["-std=c99", "-x", "c"],
            Self::Cpp11 => ["-std=c++11", "-x", "c++"],
            Self::Cpp17 => ["-std=c++17", "-x", "c++"],
        }
    }

    /// Whether there is a compiler that makes programs for this machine.
    pub(crate) fn is_here(self) -> bool {
        let mut compiler = self.compiler();
        let machine = compiler.arg("-dumpmachine").output();
        let here = machine.is_ok_and(|output| is_this_machine(&String::from_utf8_lossy(&output.stdout)));
        if !here {
            skip(&format!("there is no {} for this machine", compiler.get_program().display()));
        }
        here
    }
}

/// Whether a compiler's name of a machine, `i686-linux-gnu`, is that of this one.
fn is_this_machine(name: &str) -> bool {
    let processor = name.split('-').next().unwrap_or_default();
    match std::env::consts::ARCH {
        "x86" => processor.starts_with('i') && processor.ends_with("86"),
        other => processor == other || (other == "aarch64" && processor == "arm64"),
    }
}

/// Output of a command that has to succeed.
pub(crate) fn run(command: &mut Command) -> String {
    let shown = format!("{command:?}");
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|e| panic!("{shown}: {e}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{shown}: {status}\n{stdout}{stderr}");
    stdout.into_owned()
}

/// Where Cargo puts the libraries: beside this test.
pub(crate) fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    test.parent().expect("the folder of this test").to_path_buf()
}

/// The prefix that the library is installed to, done by whichever test comes first.
pub(crate) fn installed() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("installed");
    fs::create_dir_all(&folder).expect("a folder");
    let stamp = folder.join("stamp");
    // Tests may be processes of their own.
    let lock = File::create(folder.join("lock")).expect("a lock");
    lock.lock().expect("the lock");
    let script = Path::new(PACKAGE).join("install.sh");
    let sources = [
        "install.sh",
        "picaflor.pc.in",
        "PicaflorConfig.cmake.in",
        "include/picaflor.h",
        "include/picaflor.hpp",
    ]
    .map(|name| Path::new(PACKAGE).join(name));
    let libraries = libraries();
    let newest =
        sources.into_iter().chain([libraries.join("libpicaflor.a")]).map(|path| modified(&path)).max();
    if !stamp.exists() || newest > Some(modified(&stamp)) {
        run(Command::new(script).arg(&folder).arg(&libraries));
        File::create(&stamp).expect("a stamp");
    }
    folder
}

fn modified(path: &Path) -> SystemTime {
    let time = fs::metadata(path).and_then(|metadata| metadata.modified());
    time.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What to give a compiler so that it finds the library; by pkg-config where there is one.
fn flags(prefix: &Path, link: Link) -> Vec<String> {
    let ask = |options: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(options).arg("picaflor");
        command.output().is_ok().then(|| run(&mut command))
    };
    let words = |text: String| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    let by_hand = || format!("-I{} -L{} -lpicaflor", include.display(), lib.display());
    match link {
        Link::Shared => {
            let mut flags = words(ask(&["--cflags", "--libs"]).unwrap_or_else(by_hand));
            flags.push(format!("-Wl,-rpath,{}", lib.display()));
            flags
        }
        Link::Static => {
            let archive = lib.join("libpicaflor.a").display().to_string();
            let found = ask(&["--static", "--cflags", "--libs"]).unwrap_or_else(by_hand);
            let name = |word: String| if word == "-lpicaflor" { archive.clone() } else { word };
            let mut flags: Vec<_> = words(found).into_iter().map(name).collect();
            flags.extend(["-lpthread", "-lm", "-ldl"].map(String::from));
            flags
        }
    }
}

/// Compiles a program outside the workspace; gives its path.
pub(crate) fn compile(source: &Path, language: Language, link: Link) -> PathBuf {
    let (mut command, program) = compilation(source, language, link, &[]);
    run(&mut command);
    program
}

/// The same with more options; `None` if the compiler refuses.
pub(crate) fn compile_with(
    source: &Path,
    language: Language,
    link: Link,
    options: &[&str],
) -> Option<PathBuf> {
    let (mut command, program) = compilation(source, language, link, options);
    let output = command.output().expect("a compiler");
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success().then_some(program)
}

fn compilation(source: &Path, language: Language, link: Link, options: &[&str]) -> (Command, PathBuf) {
    let prefix = installed();
    let stem = source.file_stem().and_then(OsStr::to_str).expect("a file name");
    let program = prefix.join(format!("{stem}-{language:?}-{link:?}{}", options.concat()));
    let mut command = language.compiler();
    // Without the debugging information of the library, which would only be copied.
    command.args(language.options()).args(["-O1", "-Wl,-S", "-pedantic", "-Wall", "-Wextra", "-Werror"]);
    command.args(options);
    command.arg(source).args(["-x", "none", "-o"]).arg(&program).args(flags(&prefix, link));
    command.args(["-lm", "-pthread"]);
    (command, program)
}
