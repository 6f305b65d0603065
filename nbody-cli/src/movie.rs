//! Films of images: MP4 by ffmpeg where it is found, else an animated PNG.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::files;

/// Frames per second, and the least of them; the shortest film in seconds, which is played slower.
const RATE: usize = 25;
const SLOWEST: usize = 4;
const SHORTEST: usize = 4;

/// Writes a film of images, in a folder, and returns its file.
pub fn write(folder: &Path, images: &[PathBuf]) -> Result<PathBuf, Box<dyn Error>> {
    let rate = (images.len() / SHORTEST).clamp(SLOWEST, RATE);
    match by_ffmpeg(&folder.join("movie.mp4"), images, rate) {
        Err(error) if is_missing(&*error) => by_png(&folder.join("movie.png"), images, rate),
        written => written,
    }
}

/// Returns whether an error says that there is no ffmpeg.
fn is_missing(error: &(dyn Error + 'static)) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Writes MP4 with the pixels that every player has.
fn by_ffmpeg(path: &Path, images: &[PathBuf], rate: usize) -> Result<PathBuf, Box<dyn Error>> {
    let rate = rate.to_string();
    let read = ["-f", "image2pipe", "-c:v", "png", "-framerate", &rate, "-i", "-"];
    let written = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"];
    let folder = path.parent().unwrap_or(Path::new("."));
    // The film takes its name when it is complete.
    let part = files::temporary(".mp4", folder);
    let part = part.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let mut ffmpeg = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-y"])
        .args(read)
        .args(written)
        .arg(part.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = ffmpeg.stdin.take().expect("the input is a pipe");
    let mut sent = Ok(());
    for image in images {
        let bytes = fs::read(image).map_err(|error| format!("{}: {error}", image.display()))?;
        sent = input.write_all(&bytes);
        if sent.is_err() {
            break;
        }
    }
    drop(input);
    let ended = ffmpeg.wait_with_output()?;
    if !ended.status.success() || sent.is_err() {
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.lines().next_back().unwrap_or("no reason given").to_owned();
        return Err(format!("ffmpeg failed ({}): {said}", ended.status).into());
    }
    files::keep(part, path)?;
    Ok(path.to_owned())
}

/// Writes an animated PNG, which browsers play.
fn by_png(path: &Path, images: &[PathBuf], rate: usize) -> Result<PathBuf, Box<dyn Error>> {
    let Some(first) = images.first() else { return Err("there are no images".into()) };
    let (head, _) = decode(first)?;
    files::replace(path, |out| {
        let mut encoder = png::Encoder::new(out, head.0, head.1);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(head.2.clone());
        encoder.set_animated(images.len() as u32, 0)?;
        encoder.set_frame_delay(1, rate as u16)?;
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        for image in images {
            let (found, pixels) = decode(image)?;
            if found != head {
                return Err(format!(
                    "{} has another size or other colours than {}: draw all images again, by `nbody plot \
                     FOLDER --movie`",
                    image.display(),
                    first.display()
                )
                .into());
            }
            writer.write_image_data(&pixels)?;
        }
        Ok(writer.finish()?)
    })?;
    Ok(path.to_owned())
}

/// Width, height and colours of an image.
type Head = (u32, u32, Vec<u8>);

/// Reads an image of colours by index.
fn decode(path: &Path) -> Result<(Head, Vec<u8>), Box<dyn Error>> {
    let wrong = |error: String| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::IDENTITY);
    let mut reader = decoder.read_info().map_err(|error| wrong(error.to_string()))?;
    let info = reader.info();
    let is_indexed = info.color_type == png::ColorType::Indexed;
    let palette = info.palette.as_ref().filter(|_| is_indexed).map(|it| it.to_vec());
    let Some(palette) = palette else {
        return Err(wrong("no image of a run: its colours have no table".to_owned()).into());
    };
    let head = (info.width, info.height, palette);
    let size = reader.output_buffer_size();
    let mut pixels = vec![0; size.ok_or_else(|| wrong("an image too large".to_owned()))?];
    let frame = reader.next_frame(&mut pixels).map_err(|error| wrong(error.to_string()))?;
    pixels.truncate(frame.buffer_size());
    Ok((head, pixels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_another_size_or_without_a_table_of_colours_are_no_frames() {
        let folder = tempfile::tempdir().unwrap();
        let image = |name: &str, side: u32, colours: png::ColorType| {
            let path = folder.path().join(name);
            let mut image = png::Encoder::new(File::create(&path).unwrap(), side, side);
            image.set_color(colours);
            image.set_palette(vec![7; 3]);
            let pixels = vec![0; (side * side) as usize];
            image.write_header().unwrap().write_image_data(&pixels).unwrap();
            path
        };
        let indexed = png::ColorType::Indexed;
        let [a, b] = [image("a.png", 2, indexed), image("b.png", 3, indexed)];
        let grey = image("grey.png", 2, png::ColorType::Grayscale);
        let film = folder.path().join("movie.png");
        let wrong = |images: &[PathBuf]| by_png(&film, images, 5).unwrap_err().to_string();
        let message = wrong(&[a.clone(), b.clone()]);
        assert!(message.contains("b.png has another size or other colours than "), "{message}");
        assert!(wrong(&[a.clone(), grey]).contains("its colours have no table"));
        assert!(wrong(&[]).contains("there are no images"));
        assert!(!film.exists());
        assert_eq!(by_png(&film, &[a.clone(), a], 5).unwrap(), film);
        assert!(film.exists());
    }
}
