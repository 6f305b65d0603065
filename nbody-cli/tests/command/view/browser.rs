//! A headless Chromium, by the protocol of its developer tools.
//!
//! `cargo xtask test` provides one, and names it in `NBODY_CHROMIUM`.

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Time for an answer; software rendering on a busy machine is slow.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Returns the program that the environment names; says loudly if it names none.
pub fn program() -> Option<PathBuf> {
    let path = env::var_os("NBODY_CHROMIUM").filter(|path| !path.is_empty()).map(PathBuf::from);
    match path {
        Some(path) if path.is_dir() => Some(path.join("chromium")),
        None => {
            // Past the test harness, which hides the messages of tests that pass.
            let skipped =
                b"SKIPPED: no browser opens the pages of `nbody view`: set NBODY_CHROMIUM to a \
                Chromium, as `cargo xtask test` does, which fetches one.\n";
            std::io::stderr().write_all(skipped).unwrap();
            None
        }
        path => path,
    }
}

/// Returns the variables for the libraries and fonts in the folder of the program, if there are any.
fn own_environment(program: &Path) -> Vec<(&'static str, PathBuf)> {
    let folder = program.parent().unwrap().to_owned();
    let has = |name: &str| folder.join(name).is_dir();
    let mut found = Vec::new();
    if has("lib") && has("fonts") {
        found.push(("LD_LIBRARY_PATH", folder.join("lib")));
        found.push(("XDG_DATA_HOME", folder));
    }
    found
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// Messages that answer nothing.
    pub events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn start(program: &Path, options: &[&str]) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The browser reads commands from file 3 and answers on file 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"])
            .args(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--disable-dev-shm-usage", "--hide-scrollbars"])
            .envs(own_environment(program))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(options)
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, from) = channel();
        thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
        });
        let (session, events) = (None, Vec::new());
        let mut browser = Self { child, to, from, session, last: 0, events, _profile: profile };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        let targets = self.call("Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().unwrap();
        let id = &targets.iter().find(|it| it["type"] == "page").unwrap()["targetId"];
        let attached = self.call("Target.attachToTarget", json!({"targetId": id, "flatten": true}));
        self.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Calls a method, and returns its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        write!(self.to, "{message}\0").unwrap();
        loop {
            let answer = self.from.recv_timeout(TIME_LIMIT);
            let answer = answer.unwrap_or_else(|error| panic!("{method}: {error}"));
            if answer["id"] == json!(self.last) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Opens a page of this size, and waits until its scripts have run.
    pub fn open(&mut self, path: &Path, [width, height]: [u32; 2]) {
        self.events.clear();
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        self.call("Page.navigate", json!({"url": format!("file://{}", path.display())}));
        let start = Instant::now();
        while self.eval("document.readyState") != json!("complete") {
            assert!(start.elapsed() < TIME_LIMIT, "the page does not load");
        }
        self.drawn();
    }

    /// Waits until the page has drawn its state.
    pub fn drawn(&mut self) {
        self.eval(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
    }

    /// Evaluates an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until a condition holds in the page, which a busy machine may take long to draw.
    pub fn wait_for(&mut self, condition: &str) {
        let start = Instant::now();
        while self.eval(condition) != json!(true) {
            assert!(start.elapsed() < TIME_LIMIT, "never: {condition}");
            self.drawn();
        }
    }

    pub fn text(&mut self, id: &str) -> String {
        let text = self.eval(&format!("document.getElementById('{id}').textContent"));
        text.as_str().unwrap().trim().to_owned()
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str, modifiers: u32) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "modifiers": modifiers}),
            );
        }
        self.drawn();
    }

    /// Drags the mouse with the left button.
    pub fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        for (kind, [x, y]) in [("mousePressed", from), ("mouseMoved", to), ("mouseReleased", to)] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
        self.drawn();
    }

    /// Spreads two fingers about a place, which doubles their distance.
    pub fn pinch(&mut self, [x, y]: [f64; 2]) {
        self.call(
            "Emulation.setTouchEmulationEnabled",
            json!({"enabled": true, "maxTouchPoints": 2}),
        );
        let fingers = |from_middle: f64| json!([{"x": x - from_middle, "y": y, "id": 0}, {"x": x + from_middle, "y": y, "id": 1}]);
        for (kind, points) in
            [("touchStart", fingers(40.0)), ("touchMove", fingers(80.0)), ("touchEnd", json!([]))]
        {
            self.call("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points}));
        }
        self.call("Emulation.setTouchEmulationEnabled", json!({"enabled": false}));
        self.drawn();
    }

    /// Returns the picture on the screen.
    pub fn picture(&mut self) -> Picture {
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        Picture::decode(shot["data"].as_str().unwrap())
    }

    /// Checks that the page reported no error and asked for nothing but itself.
    pub fn assert_clean(&self) {
        for event in &self.events {
            let method = event["method"].as_str().unwrap();
            let is_fault =
                ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
            assert!(!is_fault.contains(&method), "{event}");
        }
        let requests = self.events.iter().filter(|it| it["method"] == "Network.requestWillBeSent");
        let urls: Vec<_> =
            requests.map(|it| it["params"]["request"]["url"].as_str().unwrap()).collect();
        assert!(urls.len() == 1 && urls[0].starts_with("file:///"), "{urls:?}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Pixels of the screen.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    rgb: Vec<[u8; 3]>,
}

impl Picture {
    fn decode(base64: &str) -> Self {
        let bytes = decode_base64(base64);
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        let samples = info.color_type.samples();
        let rgb = data.chunks(samples).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        Self { width: info.width as usize, height: info.height as usize, rgb }
    }

    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.rgb[y * self.width + x]
    }

    /// Returns the middle of the light in a square about a place, and the colour of its brightest
    /// pixel; `None` if it is dark.
    pub fn point(&self, [x, y]: [f64; 2], reach: f64) -> Option<([f64; 2], [u8; 3])> {
        let pixels = |at: f64, end: usize| {
            let low = (at - reach).clamp(0.0, end as f64).floor();
            let high = (at + reach).clamp(0.0, end as f64).ceil();
            #[expect(clippy::cast_sign_loss, reason = "clamped")]
            (low as usize..high as usize)
        };
        let (mut sum, mut light, mut brightest) = ([0.0, 0.0], 0.0, [0; 3]);
        for row in pixels(y, self.height) {
            for column in pixels(x, self.width) {
                let pixel = self.at(column, row);
                let value = pixel.iter().map(|part| f64::from(*part)).sum::<f64>();
                if value > 150.0 {
                    light += value;
                    sum[0] += value * (column as f64 + 0.5);
                    sum[1] += value * (row as f64 + 0.5);
                }
                if value > brightest.iter().map(|part| f64::from(*part)).sum() {
                    brightest = pixel;
                }
            }
        }
        (light > 0.0).then(|| (sum.map(|sum| sum / light), brightest))
    }

    /// Returns the number of bright pixels in a part of the picture.
    pub fn lit(&self, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> usize {
        let is_lit = |pixel: [u8; 3]| pixel.iter().any(|part| *part > 60);
        rows.flat_map(|y| columns.clone().map(move |x| (x, y)))
            .filter(|&(x, y)| is_lit(self.at(x, y)))
            .count()
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|digit| *digit != b'=').map(value).collect();
    let group = |digits: &[u8]| {
        let word = digits.iter().fold(0_u32, |word, digit| word << 6 | u32::from(*digit));
        let word = word << (6 * (4 - digits.len()));
        word.to_be_bytes()[1..digits.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
