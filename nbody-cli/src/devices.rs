//! `nbody devices`.

use std::io::Write as _;
use std::process::ExitCode;

use nbody::Device;
use nbody::cpu::SimdLevel;
use nbody::cuda::nvrtc::Nvrtc;

use crate::Outcome;
use crate::record::{self, Record, record};
use crate::table::Table;

#[derive(clap::Args)]
pub struct Arguments {
    /// Print one JSON document in place of a table.
    #[arg(long)]
    json: bool,
}

/// A device or a compiler.
struct Row {
    name: String,
    /// Its description, or the reason why it is missing.
    found: Result<String, String>,
    details: Record,
}

impl Row {
    fn new(name: &str, found: Result<String, String>) -> Self {
        Self { name: name.to_owned(), found, details: Record::default() }
    }

    fn of(name: &str, device: Result<Device, nbody::Error>) -> Self {
        match device {
            Ok(device) => Self { details: details(&device), ..Self::new(name, Ok(device.name())) },
            Err(error) => Self::new(name, Err(error.to_string())),
        }
    }

    fn description(&self) -> &str {
        let (Ok(text) | Err(text)) = &self.found;
        text
    }

    fn record(&self) -> Record {
        let head = record! {
            name: &self.name,
            is_found: self.found.is_ok(),
            description: self.description(),
        };
        head.and(self.details.clone())
    }
}

/// Returns the properties of a GPU.
fn details(device: &Device) -> Record {
    let of = |gpu: nbody::cuda::Properties| {
        record! {
            architecture: gpu.architecture,
            multiprocessors: gpu.multiprocessors,
            clock_hz: gpu.hertz,
            driver_cuda: gpu.driver,
        }
    };
    device.properties().map(of).unwrap_or_default()
}

pub fn run(arguments: &Arguments) -> Outcome {
    let rows = rows();
    if arguments.json {
        let rows: Vec<_> = rows.iter().map(Row::record).collect();
        record::print("devices", record! { rows: rows })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["device", "description"]);
    for row in &rows {
        table.row(vec![row.name.clone(), row.description().to_owned()]);
    }
    let mut out = std::io::stdout().lock();
    for line in table.lines() {
        writeln!(out, "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Finds the devices and the compilers.
fn rows() -> Vec<Row> {
    let mut rows = match Device::cuda_count() {
        Ok(0) => vec![Row::new("cuda", Err("the driver finds no GPU".to_owned()))],
        Ok(count) => (0..count).map(|k| Row::of(&format!("cuda:{k}"), Device::cuda(k))).collect(),
        Err(error) => vec![Row::new("cuda", Err(error.to_string()))],
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let levels: Vec<_> = SimdLevel::available().map(SimdLevel::name).collect();
    let cpu = Row::new("cpu", Ok(format!("{threads} threads; {}", levels.join(", "))));
    rows.push(Row { details: record! { threads: threads, levels: levels }, ..cpu });
    let emulator = Device::emulator().map(|_| "runs CUDA programs on the CPU".to_owned());
    rows.push(Row::new("emulator", emulator.map_err(|error| error.to_string())));
    rows.push(Row::of("best", Ok(Device::best())));
    rows.push(nvrtc().unwrap_or_else(|error| Row::new("NVRTC", Err(error.to_string()))));
    rows
}

fn nvrtc() -> Result<Row, nbody::Error> {
    let path = Nvrtc::find()?;
    let nvrtc = Nvrtc::open(&path)?;
    let known: Vec<_> = nvrtc.architectures().iter().map(|arch| format!("sm_{arch}")).collect();
    let text =
        format!("{} at {}, compiles for {}", nvrtc.version(), path.display(), known.join(" "));
    let details = record! {
        nvrtc: nvrtc.version(),
        file: path.display().to_string(),
        architectures: known,
    };
    Ok(Row { details, ..Row::new("NVRTC", Ok(text)) })
}
