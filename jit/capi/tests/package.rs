//! What `install.sh` installs: into DESTDIR and another folder for libraries, moved elsewhere, found by pkg-config,
//! removed without a trace.

use crate::skip::skip;
use crate::support::{Language, PACKAGE, libraries, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn script() -> Command {
    Command::new(Path::new(PACKAGE).join("install.sh"))
}

/// Files below a folder, links included.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn into_destdir_and_removed() {
    let destination = folder("destdir");
    let libdir = "lib/x86_64-linux-gnu";
    let install = |options: &[&str]| {
        run(script().env("DESTDIR", &destination).args(options).arg("/opt/picaflor").arg(libraries()));
    };
    install(&["-l", libdir]);
    let prefix = destination.join("opt/picaflor");
    let installed = files(&destination);
    assert!(installed.iter().all(|file| file.starts_with(&prefix)), "{installed:?}");
    for file in ["include/picaflor.h", "include/picaflor.hpp"] {
        assert!(prefix.join(file).is_file(), "{file}");
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let text = |path: PathBuf| fs::read_to_string(path).expect(name);
        let whole = text(Path::new(PACKAGE).join("../..").join(name));
        assert!(text(prefix.join("share/licenses/picaflor").join(name)) == whole, "{name}");
    }
    // Nothing names where it was installed: the package may be unpacked anywhere.
    for file in ["pkgconfig/picaflor.pc", "cmake/Picaflor/PicaflorConfig.cmake"] {
        let text = fs::read_to_string(prefix.join(libdir).join(file)).expect(file);
        assert!(!text.contains("/opt") && !text.contains('@'), "{text}");
    }
    // Nobody debugs a static library that came from elsewhere: only -g leaves what it needs.
    let size = |path: &Path| fs::metadata(path).expect("a library").len();
    let (built, archive) =
        (size(&libraries().join("libpicaflor.a")), prefix.join(libdir).join("libpicaflor.a"));
    if Command::new("strip").arg("--version").output().is_ok() {
        assert!(size(&archive) < built, "{} of {built} bytes", size(&archive));
    }
    install(&["-g", "-l", libdir]);
    assert_eq!(size(&archive), built);
    install(&["-u", "-l", libdir]);
    assert_eq!(files(&destination), Vec::<PathBuf>::new());
    assert!(
        !prefix.join("lib").exists() && !prefix.join("share").exists() && !prefix.join("include").exists()
    );
}

/// A package from the registry has its libraries in a `target` of its own, which is the default there.
#[test]
fn beside_its_own_target() {
    let package = folder("own-target");
    let names = ["install.sh", "picaflor.pc.in", "PicaflorConfig.cmake.in", "PicaflorConfigVersion.cmake.in"];
    let headers = ["include/picaflor.h", "include/picaflor.hpp", "LICENSE-MIT", "LICENSE-APACHE"];
    fs::create_dir_all(package.join("include")).expect("a folder");
    for name in names.into_iter().chain(headers) {
        fs::copy(Path::new(PACKAGE).join(name), package.join(name)).expect(name);
    }
    let prefix = package.join("prefix");
    let install = || {
        let mut install = Command::new(package.join("install.sh"));
        install.arg(&prefix).arg("target/release").current_dir(&package);
        install
    };
    // Without libraries nothing is installed.
    let output = install().output().expect("sh");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("target/release"), "{said}");
    assert!(!prefix.exists());
    let release = package.join("target/release");
    fs::create_dir_all(&release).expect("a folder");
    for entry in fs::read_dir(libraries()).expect("libraries") {
        let file = entry.expect("a file").path();
        let name = file.file_name().expect("a name");
        if file.is_file() && (name == "picaflor.dll" || name.to_string_lossy().starts_with("libpicaflor.")) {
            fs::copy(&file, release.join(name)).expect("a library");
        }
    }
    let mut script = Command::new(package.join("install.sh"));
    run(script.arg(&prefix).current_dir("/"));
    assert!(prefix.join("lib/libpicaflor.a").is_file());
}

/// A prefix that is moved is found where it is, and programs are compiled against it.
#[test]
fn a_moved_prefix() {
    if Command::new("pkg-config").arg("--version").output().is_err() {
        return skip("there is no pkg-config");
    }
    let (first, second) = (folder("prefix-before"), folder("prefix-after").join("moved"));
    run(script().args(["-l", "lib64"]).arg(&first).arg(libraries()));
    fs::rename(&first, &second).expect("moved");
    let ask = |option: &str| {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", second.join("lib64/pkgconfig"));
        // Some implementations clean paths, others leave the steps up.
        run(command.args([option, "picaflor"])).trim().to_string()
    };
    let path = |flags: &str, option: &str| {
        let found = flags.split_whitespace().find_map(|word| word.strip_prefix(option)).expect("a folder");
        fs::canonicalize(found).expect("a folder that exists")
    };
    let real = fs::canonicalize(&second).expect("the prefix");
    assert_eq!(path(&ask("--cflags"), "-I"), real.join("include"));
    assert_eq!(path(&ask("--libs"), "-L"), real.join("lib64"));
    if !Language::C99.is_here() {
        return;
    }
    let program = second.join("triangle");
    let mut compiler = Command::new("cc");
    compiler.arg(Path::new(PACKAGE).join("tests/programs/triangle.c")).arg("-o").arg(&program);
    compiler.args(ask("--cflags").split_whitespace()).args(ask("--libs").split_whitespace());
    run(compiler.arg(format!("-Wl,-rpath,{}", real.join("lib64").display())).args(["-lm", "-pthread"]));
    assert_eq!(run(&mut Command::new(program)), "fine\n");
}
