//! Cameras: the part of space that images of particles show, along an axis.

use std::error::Error;
use std::io::Write;
use std::str::FromStr;

use nbody::models::{Particle, Snapshot};
use nbody_plots::ascii;
use nbody_plots::density::{Texts, View};
use serde::{Deserialize, Serialize};

use crate::centre;
use crate::run::FileUnits;

/// The side of images in terms of the radius of the particles.
const SIDE: f64 = 3.0;

pub const HELP: &str = "\
The view of images, such as \"y,width=4,follow\": the axis that points at the viewer, x, y or z; the width; and \
whether the density centre stays in the middle [default: z, 3 times the radius with 90% of the mass]";

/// The axis that points at the viewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Along {
    X,
    Y,
    #[default]
    Z,
}

/// A camera as the command line has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wanted {
    along: Along,
    width: Option<f64>,
    follows: bool,
}

/// The square that all images of a run show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    pub centre: [f64; 2],
    /// Half the length of its sides.
    pub half: f64,
    /// Missing in older files, as the next one.
    #[serde(default)]
    pub along: Along,
    /// Whether the density centre is in the middle of each image, in place of `centre`.
    #[serde(default)]
    pub follows: bool,
}

impl Along {
    /// Returns the axes to the right and upwards, and their names.
    fn plane(self) -> ([usize; 2], &'static str) {
        match self {
            Self::X => ([1, 2], "yz"),
            Self::Y => ([0, 2], "xz"),
            Self::Z => ([0, 1], "xy"),
        }
    }
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut wanted = Self::default();
        for part in text.split(',').map(str::trim) {
            match part.split_once('=') {
                None if part == "follow" => wanted.follows = true,
                None if part == "x" => wanted.along = Along::X,
                None if part == "y" => wanted.along = Along::Y,
                None if part == "z" => wanted.along = Along::Z,
                Some(("width", number)) => {
                    let width = number.parse().ok();
                    let is_width = |it: &f64| *it > 0.0 && it.is_finite();
                    let width = width.filter(is_width).ok_or_else(|| {
                        format!("the width is `{number}`, expected a positive number")
                    })?;
                    wanted.width = Some(width);
                }
                _ => {
                    return Err(format!(
                        "`{part}` is no part of a camera, expected x, y, z, width=NUMBER or follow, with \
                         commas between them"
                    ));
                }
            }
        }
        Ok(wanted)
    }
}

impl Camera {
    /// Points a camera at particles about a centre, within this radius.
    pub fn new(wanted: &Wanted, centre: [f64; 3], radius: f64) -> Self {
        let &Wanted { along, width, follows } = wanted;
        let of_radius = if radius > 0.0 { SIDE * radius } else { 2.0 };
        let half = 0.5 * width.unwrap_or(of_radius);
        Self { centre: along.plane().0.map(|c| centre[c]), half, along, follows }
    }

    /// Writes an image of particles as PNG.
    pub fn write(
        &self,
        snapshot: &Snapshot,
        units: &FileUnits,
        to: impl Write,
    ) -> Result<(), Box<dyn Error>> {
        let (axes, name) = self.along.plane();
        let on_plane = |it: [f64; 3]| axes.map(|c| it[c]);
        let centre = if self.follows {
            on_plane(centre::of_density(&snapshot.particles))
        } else {
            self.centre
        };
        let time = format!("t = {} {}", ascii(snapshot.time), units.time().unwrap_or_default());
        let texts = Texts {
            title: time.trim_end().to_owned(),
            unit: units.length().unwrap_or_default().to_owned(),
            plane: name.to_owned(),
        };
        let mass = |it: &Particle| (it.mass, on_plane(it.pos));
        let masses: Vec<_> = snapshot.particles.iter().map(mass).collect();
        Ok(View { centre, half: self.half }.write(&masses, &texts, to)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_are_read_in_any_order() {
        let parsed = |text: &str| text.parse::<Wanted>();
        assert_eq!(parsed("z").unwrap(), Wanted::default());
        let all = Wanted { along: Along::Y, width: Some(4.0), follows: true };
        assert_eq!(parsed("follow, width=4,y").unwrap(), all);
        for (text, part) in [
            ("w", "`w` is no part of a camera, expected x, y, z"),
            ("", "`` is no part"),
            ("width", "`width` is no part"),
            ("width=0", "the width is `0`, expected a positive number"),
            ("width=inf", "the width is `inf`"),
            ("width=NaN", "the width is `NaN`"),
            ("x,size=3", "`size=3` is no part"),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.starts_with(part), "{error}");
        }
    }

    /// Returns the colour of the middle and of the right edge of an image.
    fn colours(camera: &Camera, snapshot: &Snapshot) -> [u8; 2] {
        let mut image = Vec::new();
        camera.write(snapshot, &FileUnits::default(), &mut image).unwrap();
        let mut decoder = png::Decoder::new(std::io::Cursor::new(image));
        decoder.set_transformations(png::Transformations::IDENTITY);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let at = |x: usize| pixels[info.height as usize / 2 * info.width as usize + x];
        [at(256), at(400)]
    }

    #[test]
    fn cameras_look_along_their_axis_and_follow() {
        let particle = |x: f64| Particle { mass: 1.0, pos: [x, 3.0, -1.0], vel: [0.0; 3] };
        let snapshot = Snapshot { time: 0.0, particles: vec![particle(5.0); 40] };
        let camera = |text: &str| {
            let wanted: Wanted = text.parse().unwrap();
            colours(&Camera::new(&wanted, [5.0 - 144.0 / 256.0, 3.0, -1.0], 1.0), &snapshot)
        };
        let [middle, right] = camera("z,width=2");
        assert!(middle == 0 && right > 100, "{middle} {right}");
        assert_eq!(camera("y,width=2"), [middle, right]);
        assert_eq!(camera("x,width=2"), [right, middle]);
        assert_eq!(camera("width=2,follow"), [right, middle]);
    }
}
