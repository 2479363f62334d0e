//! `find_package(Picaflor)` from an installed prefix, with both targets.

use crate::skip::skip;
use crate::support::{Language, PACKAGE, installed, run};
use std::path::Path;
use std::process::Command;

#[test]
fn find_package() {
    if !Language::C99.is_here() {
        return;
    }
    if Command::new("cmake").arg("--version").output().is_err() {
        return skip("there is no cmake");
    }
    let prefix = installed();
    let project = prefix.join("cmake-project");
    let build = project.join("build");
    let _ = std::fs::remove_dir_all(&build);
    std::fs::create_dir_all(&project).expect("a folder");
    let programs = Path::new(PACKAGE).join("tests/programs");
    let lines = format!(
        "cmake_minimum_required(VERSION 3.10)\n\
         project(host C)\n\
         find_package(Picaflor 0.1 REQUIRED)\n\
         foreach(kind shared static)\n\
         add_executable(triangle_${{kind}} {}/triangle.c)\n\
         target_link_libraries(triangle_${{kind}} PRIVATE Picaflor::${{kind}} m)\n\
         endforeach()\n",
        programs.display()
    );
    std::fs::write(project.join("CMakeLists.txt"), lines).expect("a project");
    let search = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    run(Command::new("cmake").arg("-S").arg(&project).arg("-B").arg(&build).arg(search));
    run(Command::new("cmake").arg("--build").arg(&build));
    for kind in ["shared", "static"] {
        assert_eq!(run(&mut Command::new(build.join(format!("triangle_{kind}")))), "fine\n");
    }
    // A newer one is not found.
    let newer = std::fs::read_to_string(project.join("CMakeLists.txt")).expect("the project");
    std::fs::write(project.join("CMakeLists.txt"), newer.replace("Picaflor 0.1", "Picaflor 0.2"))
        .expect("a project");
    let search = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(&project).arg("-B").arg(project.join("newer")).arg(search);
    assert!(!configure.output().expect("cmake starts").status.success(), "0.2 is not installed");
}
