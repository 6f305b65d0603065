//! Compiles a program, or takes it from the cache, and loads it.
#![allow(unsafe_code)]

use std::path::Path;

use libloading::Library;
use nbody_compile::{Cache, Compiler, Error, Recipe, Temporary, load_or_compile, numbered};

use super::lane::Lane;
use super::program;

/// Functions that Rust does not take from the C library: `HostFunctions` of `scalar.hpp`.
#[repr(C)]
struct HostFunctions {
    erff: extern "C" fn(f32) -> f32,
    erfcf: extern "C" fn(f32) -> f32,
    erf: extern "C" fn(f64) -> f64,
    erfc: extern "C" fn(f64) -> f64,
    cbrtf: extern "C" fn(f32) -> f32,
    cbrt: extern "C" fn(f64) -> f64,
}

static HOST: HostFunctions = {
    extern "C" fn erff(x: f32) -> f32 {
        libm::erff(x)
    }
    extern "C" fn erfcf(x: f32) -> f32 {
        libm::erfcf(x)
    }
    extern "C" fn erf(x: f64) -> f64 {
        libm::erf(x)
    }
    extern "C" fn erfc(x: f64) -> f64 {
        libm::erfc(x)
    }
    extern "C" fn cbrtf(x: f32) -> f32 {
        x.cbrt()
    }
    extern "C" fn cbrt(x: f64) -> f64 {
        x.cbrt()
    }
    HostFunctions { erff, erfcf, erf, erfc, cbrtf, cbrt }
};

/// Loads a program for a lane, from the cache or compiled. The library is never closed, since laws live as long as the process.
pub(super) fn load(text: &str, lane: Lane, cache: &Cache) -> Result<&'static Library, Error> {
    let compiler = Compiler::remembered(cache)?;
    let options = program::options(lane);
    let compile = |file: Option<&Path>| {
        // Messages name the lines of the text.
        let named = format!("#line 1 \"nbody.cpp\"\n{text}");
        compiler.compile(&named, &options)?.map_err(|log| Error::Compilation {
            compiler: compiler.version().to_owned(),
            log,
            source_text: numbered(text),
            file: file.map(Path::to_owned),
        })
    };
    let recipe = Recipe {
        text,
        text_extension: "cpp",
        extension: "so",
        key: &["cpu", &compiler.identity(&options)],
        compile: &compile,
    };
    let loaded = load_or_compile(&recipe, cache, &open)?;
    let library: &'static Library = Box::leak(Box::new(loaded.program));
    if !lane.is_vector {
        // SAFETY: `loops.hpp` and `particles.hpp` declare the function with this type.
        let begin = unsafe { library.get::<extern "C" fn(&HostFunctions)>(b"nbody_begin\0") };
        begin.map_err(|error| failed(&error))?(&HOST);
    }
    Ok(library)
}

fn open(code: &[u8]) -> Result<Library, Error> {
    let folder = Temporary::folder().map_err(Error::io("make a temporary folder"))?;
    let path = folder.path().join("nbody.so");
    std::fs::write(&path, code).map_err(Error::io("write the loops of a law"))?;
    // SAFETY: the library was compiled from our text and has no initialisers. A library from the
    // cache has the checksum it was written with, in a file that only this user or the administrator
    // can write.
    unsafe { Library::new(&path) }.map_err(|error| failed(&error))
}

/// Returns the error of a library that does not load.
pub(super) fn failed(error: &libloading::Error) -> Error {
    Error::io("load the loops of a law")(std::io::Error::other(error.to_string()))
}
