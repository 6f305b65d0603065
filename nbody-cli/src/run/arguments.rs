//! The arguments of `nbody run`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, ValueEnum};
use nbody::DeviceName;

use super::gravity::FileUnits;
use crate::camera;
use crate::format::Format;
use crate::numbers;
use crate::select::Numerics;

const AFTER_HELP: &str = "\
The folder gets, with the snapshot at the beginning as number 0000:
  snapshot-NNNN.csv  the particles at that time (.nemo, .xyz or .hdf5 with
                     --format)
  snapshot-NNNN.png  their mass projected on x and y, or as --camera says, in
                     colours of its logarithm, with the time, a scale bar and
                     the mass per area; not with --no-images
  movie.mp4          the images as a film, with --movie; without ffmpeg
                     movie.png, which browsers play
  energies.csv       of each snapshot the time, the energies, the error of
                     their sum; so far the steps, the particles that they
                     advanced, and the seconds of the integration
  state.csv          of each snapshot the virial ratio T/|U|, the momentum, the
                     angular momentum about the centre of mass, the centre of
                     mass, the density centre (of a shrinking sphere; Power et
                     al. 2003), the half-mass radius about it, and the number
                     of hard binaries
  binaries.csv       of each snapshot the hard binaries, bound by kT or more:
                     semi-major axis, eccentricity, binding energy; 3/2 kT is
                     the mean kinetic energy of a particle
  lagrange.csv       of each snapshot the radii that contain 10, 25, 50, 75 and
                     90% of the mass
  energy.svg, lagrange.svg
                     the same as plots, drawn at the end
  checkpoint.json    the run as it is, for --restart

The energy error is (E - E0) / |E0|: E is the total energy, E0 at the beginning
(E - E0 if that is zero). Energies are those at the last step before the time
of a snapshot, or at it. With block time steps they are most accurate at
multiples of the largest step, where the steps of all particles end.

Units of files and options are the units of the particles. G is 1 unless
--units or --gravity says otherwise. A sphere of -n is in N-body units: G = 1,
mass 1, energy -1/4, so that the crossing time is 2 sqrt(2) = 2.83 (Heggie &
Mathieu 1986). Particles far from N-body units are computed in units of their
own, larger or smaller by powers of two, and particles far from the origin, or
in fast motion, in the frame of their centre of mass; the energy error is then
of this frame. Where the default precision does not hold the pairs, the run
takes a higher one, and says so.

The checkpoint is written every --checkpoint-every minutes, at snapshots and at
the end. Ctrl-C, SIGTERM, SIGHUP and the end of --wall-time end the run after
the step, write interrupted.csv and .png and the checkpoint, and exit with 130;
another signal a second later, or one before the first snapshot, ends it at
once. A run that is continued gives the same bits as one that was not
interrupted, on the same device; by a distributed tree it goes on within the
errors of trees. One process at a time writes into a folder.

Several GPUs: --gpus N on one host, or `mpirun -n N nbody run ...` on any number
of hosts, where each process takes a GPU of its host in turn, or a share of its
cores (with Open MPI give --bind-to none, or it leaves each process one core).
All hold all particles and share out the forces, of all pairs or by a tree,
which have the same bits for any number of them; one process alone may add all
pairs in another order. The first one reads and writes the files.";

const PRECISION: &str = "\
The arithmetic of a pair: single, double, mixed [default: single; of Hermite steps without
softening: mixed, since encounters outdo the digits of positions in single precision]";

#[derive(clap::Args)]
#[command(group(ArgGroup::new("start").required(true).args(["model", "n", "restart"])))]
#[command(after_help = AFTER_HELP, allow_negative_numbers = true)]
#[command(mut_arg("precision", |precision| precision.help(PRECISION)))]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Arguments {
    /// The initial particles: a table with the columns mass, x, y, z, vx, vy, vz (.csv), NEMO text
    /// (.nemo, .txt), extended XYZ (.xyz) or GADGET's HDF5 (.hdf5, .h5), as `nbody model` or other
    /// programs write them.
    #[arg(value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Begin with the Plummer sphere of N particles in virial equilibrium that `nbody plummer`
    /// writes.
    #[arg(short, long, value_parser = numbers::particles)]
    pub n: Option<NonZeroUsize>,
    /// The seed of the Plummer sphere; a seed always gives the same particles.
    #[arg(long, default_value_t = 1, conflicts_with_all = ["model", "restart"])]
    pub seed: u64,
    /// The units of the file: a length, a mass, and a time or a speed, as in "pc, Msun, Myr" or
    /// "kpc, Msun, km/s"; without them and --gravity, G = 1.
    #[arg(long, value_name = "UNITS", conflicts_with_all = ["gravity", "n", "restart"])]
    pub units: Option<FileUnits>,
    /// The gravitational constant in the units of the file.
    #[arg(long, visible_alias = "G", value_name = "G", conflicts_with_all = ["n", "restart"])]
    #[arg(value_parser = numbers::positive)]
    pub gravity: Option<f64>,
    /// Continue a run from its checkpoint.json, with its settings; only --until, --every,
    /// --format, --no-images, --movie, --checkpoint-every, --wall-time, --log-every, --quiet, --device, --gpus,
    /// --distribute-trees and --output may be others. Without --output it continues in the folder of the file.
    #[arg(long, value_name = "FILE")]
    pub restart: Option<PathBuf>,
    /// The folder to write into, which must not hold another run.
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "restart")]
    pub output: Option<PathBuf>,
    /// The integrator [default: hermite].
    #[arg(long, value_enum)]
    pub integrator: Option<IntegratorName>,
    /// The time at the end [default: 1].
    #[arg(long, value_name = "T", value_parser = numbers::time)]
    pub until: Option<f64>,
    /// The time between snapshots; by default there is one at the end.
    #[arg(long, value_name = "T", value_parser = numbers::positive)]
    pub every: Option<f64>,
    /// Write snapshots without images.
    #[arg(long)]
    pub no_images: bool,
    #[arg(long, value_name = "VIEW", help = camera::HELP, conflicts_with_all = ["no_images", "restart"])]
    pub camera: Option<camera::Wanted>,
    /// Make a film of the images at the end: movie.mp4 if ffmpeg is found, else movie.png, an
    /// animated PNG.
    #[arg(long, conflicts_with = "no_images")]
    pub movie: bool,
    /// The wall time between checkpoints, in minutes.
    #[arg(long, value_name = "MINUTES", default_value = "10", value_parser = numbers::positive)]
    pub checkpoint_every: f64,
    /// End the run after this wall time, as a signal does, such as "23h 50m": it is continued with
    /// --restart.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub wall_time: Option<Duration>,
    /// The time between lines about the progress, where the standard error is no terminal.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "1min")]
    pub log_every: Duration,
    /// Print errors and warnings only.
    #[arg(short, long, conflicts_with = "log_every")]
    pub quiet: bool,
    /// Print the report as one JSON document in place of a table.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// The softening length [default: 0].
    #[arg(long, value_parser = numbers::softening)]
    pub eps: Option<f64>,
    /// The accuracy of Hermite steps: Aarseth's eta [default: 0.02].
    #[arg(long, value_parser = numbers::positive)]
    pub eta: Option<f64>,
    /// The accuracy of the first Hermite step, eta |a| / |da/dt| [default: 0.005].
    #[arg(long, value_name = "ETA", value_parser = numbers::positive)]
    pub eta_start: Option<f64>,
    /// The largest Hermite step; steps are this divided by powers of two [default: 0.125, in
    /// units of about the particles' own].
    #[arg(long, value_name = "STEP", value_parser = numbers::positive)]
    pub largest: Option<f64>,
    /// Evaluations and corrections of a Hermite step: n of P(EC)^n [default: 1].
    #[arg(long, value_name = "N", value_parser = numbers::iterations)]
    pub iterations: Option<u32>,
    /// The step of the leapfrog integrator, which needs it; --until and --every are multiples of it.
    #[arg(long, value_parser = numbers::positive)]
    pub step: Option<f64>,
    /// Sum the forces of the leapfrog integrator by a tree with this opening angle, such as 0.6.
    #[arg(long, value_name = "THETA", value_parser = numbers::positive)]
    pub tree: Option<f64>,
    /// The device: cpu, cpu:LEVEL, emulator, cuda:N or best; by default the first GPU, or the CPU.
    #[arg(long)]
    pub device: Option<DeviceName>,
    /// Share out the forces among the first N GPUs of this host.
    #[arg(long, value_name = "N", conflicts_with = "device")]
    pub gpus: Option<NonZeroUsize>,
    /// Distribute the particles of the tree over the ranks, where there are more than about four, or
    /// memory is short; else each rank has all, and snapshots have the same bits for any number of
    /// ranks.
    #[arg(long)]
    pub distribute_trees: bool,
    #[command(flatten)]
    pub numerics: Numerics,
    /// The format of the snapshots [default: csv].
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

/// An integrator by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IntegratorName {
    /// Fourth order, block time steps: each particle has a step of its own.
    Hermite,
    /// Fourth order, one step for all particles.
    HermiteShared,
    /// Second order, kick-drift-kick, one constant step.
    Leapfrog,
}

impl IntegratorName {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hermite => "hermite",
            Self::HermiteShared => "hermite-shared",
            Self::Leapfrog => "leapfrog",
        }
    }

    /// Returns whether the integrator has this option.
    pub fn has(self, option: &str) -> bool {
        match option {
            "--step" | "--tree" => self == Self::Leapfrog,
            _ => self != Self::Leapfrog,
        }
    }
}
