//! `nbody devices`.

use std::io::Write as _;
use std::process::ExitCode;

use nbody::Device;
use nbody::cpu::SimdLevel;
use nbody::cuda::nvrtc::Nvrtc;

use crate::Outcome;
use crate::table::Table;

pub fn run() -> Outcome {
    let mut table = Table::new(&["device", "description"]);
    let mut row = |name: &str, text: String| table.row(vec![name.to_owned(), text]);
    match Device::cuda_count() {
        Ok(0) => row("cuda", "the driver finds no GPU".to_owned()),
        Ok(count) => {
            for ordinal in 0..count {
                let device = Device::cuda(ordinal);
                row(
                    &format!("cuda:{ordinal}"),
                    device.map_or_else(|e| e.to_string(), |d| d.name()),
                );
            }
        }
        Err(error) => row("cuda", error.to_string()),
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let levels: Vec<_> = SimdLevel::available().map(SimdLevel::name).collect();
    row("cpu", format!("{threads} threads; {}", levels.join(", ")));
    let emulator = Device::emulator().map(|_| "runs CUDA programs on the CPU".to_owned());
    row("emulator", emulator.unwrap_or_else(|error| error.to_string()));
    row("best", Device::best().name());
    row("NVRTC", nvrtc().unwrap_or_else(|error| error.to_string()));
    let mut out = std::io::stdout().lock();
    for line in table.lines() {
        writeln!(out, "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn nvrtc() -> Result<String, nbody::Error> {
    let path = Nvrtc::find()?;
    let nvrtc = Nvrtc::open(&path)?;
    let known: Vec<_> = nvrtc.architectures().iter().map(|arch| format!("sm_{arch}")).collect();
    Ok(format!("{} at {}, compiles for {}", nvrtc.version(), path.display(), known.join(" ")))
}
