//! All integration tests of this package.

mod asm;
mod asm_cli;
mod asm_errors;
mod bench_cli;
mod capture_cli;
mod check_cli;
mod citations;
mod cli;
mod corpus;
mod coverage;
mod data_folder;
mod differences;
mod differential;
mod disk_cache;
mod dump_records;
mod embedding;
mod exhaustive;
mod fragments;
mod fuzz_cli;
mod ge_cli;
mod ge_dumps;
mod ge_lists;
mod ge_scenes;
mod ge_seams;
mod ge_vectors;
mod getrace;
mod golden;
mod hardware;
mod inspect_cli;
mod limits;
mod lists;
mod machine_vectors;
mod machines;
#[path = "../../pipeline/tests/shared/one_program.rs"]
mod one_program;
mod recordings;
mod registers;
mod report;
mod rooms;
mod scenes;
mod seams;
mod shards;
#[path = "../../pipeline/tests/shared/skip.rs"]
mod skip;
mod vectors;
mod witness;
