// The page as a whole.

const SPIN_PER_SECOND = 0.25;

const canvas = element("canvas");
const camera = new Camera();
const player = new Player();
const chosen = (id) => element(id).value;
let isDrawn = false;

function fail(message) {
  element("failure").textContent = message;
  element("failure").hidden = false;
  document.body.classList.add("bare");
}

function start() {
  const drawing = new Drawing(canvas);
  if (!drawing.gl) {
    fail("This page draws by WebGL2, which this browser does not offer. Switch on hardware acceleration in its " +
      "settings, or open the file in a current version of Firefox, Chrome, Edge or Safari.");
    return;
  }
  describe();
  connect(drawing);
  let before = performance.now();
  const tick = (now) => {
    // A page in the background is not called for a long time.
    const seconds = Math.min((now - before) / 1000, 0.25);
    before = now;
    advance(seconds);
    if (!isDrawn) show(drawing);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

function advance(seconds) {
  if (player.isPlaying) {
    player.advance(seconds);
    isDrawn = false;
  }
  if (element("spin").checked) {
    camera.turn(seconds * SPIN_PER_SECOND, 0);
    isDrawn = false;
  }
}

// Draws the picture and the numbers that belong to it.
function show(drawing) {
  isDrawn = true;
  const moment = player.moment();
  const { here, next, between } = moment;
  const centreOf = (name) => mixed(frames[here][name], frames[next][name], between);
  const follow = chosen("follow");
  const centre = follow === "nothing" ? frames[0].mass_centre : centreOf(`${follow}_centre`);
  const most = Math.max(...frames.map((frame) => frame.shown));
  drawing.draw({
    ...moment,
    camera,
    centre,
    dense: centreOf("density_centre"),
    field: chosen("field"),
    // More particles are smaller and fainter, so that their sum is about as bright.
    size: clamp(12 * most ** -0.12, 2.5, 9) * 2 ** chosen("size"),
    light: clamp(350 * most ** -0.6, 0.02, 12) * 2 ** chosen("brightness"),
  });
  showScale();
  showTime(moment);
}

function showScale() {
  const perUnit = camera.pixelsPerUnit();
  const length = roundLength((Math.min(160, innerWidth * 0.3) / perUnit) * scene.unit);
  const pixels = (length / scene.unit) * perUnit;
  // Lengths beyond the greatest number have no bar.
  element("scale").hidden = !(length > 0 && Number.isFinite(length) && Number.isFinite(pixels));
  element("scale-line").style.width = `${pixels}px`;
  element("scale-text").textContent = inWords(length);
  element("scale").setAttribute("aria-label", `Scale bar: a length of ${inWords(length)} at the centre`);
}

function showTime({ here, next, between }) {
  const time = mix(frames[here].time, frames[next].time, between);
  const error = frames[between < 0.5 ? here : next].energy_error;
  const text = `t = ${inWords(time, 4)}`;
  const small = document.createElement("small");
  small.textContent = `${here + 1} / ${frames.length}` + (error === null ? "" : ` · ΔE/E ${inWords(error, 2)}`);
  element("time").replaceChildren(text, small);
  element("slider").value = player.at;
  element("slider").setAttribute("aria-valuetext", `${text}, snapshot ${here + 1} of ${frames.length}`);
  const label = player.isPlaying ? "Pause" : "Play";
  element("play").setAttribute("aria-label", label);
  element("play-shape").setAttribute("d", player.isPlaying ? "M6 4h4v16H6zM14 4h4v16h-4z" : "M7 4v16l13-8z");
}

// Writes the texts that stay.
function describe() {
  element("title").textContent = header.title;
  const range = (of) => {
    const all = frames.map(of);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    return least === most ? `${most}` : `${least} to ${most}`;
  };
  const [shown, total] = [range((it) => it.shown), range((it) => it.total)];
  const counted = (count, noun) => `${count} ${noun}${count === "1" ? "" : "s"}`;
  const count = (shown === total ? "" : `${shown} of `) + counted(total, "particle");
  const snapshots = counted(String(frames.length), "snapshot");
  element("particles").textContent = `${count} · ${snapshots}`;
  const edges = scene.half.map((half) => inWords(2 * half)).join(" × ");
  element("precision").textContent = `${header.bits} bits per coordinate in a box of ${edges}`;
  document.body.classList.toggle("single", frames.length === 1);
  element("settings").open = innerWidth > 640;
  element("slider").max = player.last;
  element("speed").value = player.perSecond;
  // Equal masses have one colour.
  if (scene.speed.low >= scene.speed.high) element("field").value = "radius";
  showBar(chosen("field"));
}

function connect(drawing) {
  const changed = () => { isDrawn = false; };
  const actions = {
    // Goes to another entry of a list.
    choose(id, step) {
      const list = element(id);
      const count = list.options.length;
      const next = list.selectedIndex + step;
      list.selectedIndex = id === "speed" ? clamp(next, 0, count - 1) : (next + count) % count;
      list.dispatchEvent(new Event("input"));
    },
    slide(id, steps) {
      if (steps > 0) element(id).stepUp(steps);
      else element(id).stepDown(-steps);
    },
  };
  followPointers(canvas, camera, changed);
  followKeys(keyActions(camera, player, actions), changed);
  const on = (id, event, action) => element(id).addEventListener(event, () => { action(); changed(); });
  for (const id of ["follow", "size", "brightness", "spin"]) on(id, "input", () => {});
  on("field", "input", () => showBar(chosen("field")));
  on("speed", "input", () => { player.perSecond = Number(chosen("speed")); });
  on("between", "input", () => { player.isBetween = element("between").checked; });
  on("repeat", "input", () => { player.isRepeating = element("repeat").checked; });
  on("slider", "input", () => { player.isPlaying = false; player.seek(Number(chosen("slider"))); });
  on("play", "click", () => player.toggle());
  for (const axis of ["x", "y", "z"]) on(`along-${axis}`, "click", () => camera.look(axis));
  on("reset", "click", () => camera.reset());
  on("help", "click", () => element("keys").showModal());
  addEventListener("resize", changed);
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => { drawing.prepare(); changed(); });
}

try {
  start();
} catch (error) {
  fail(`This page cannot draw: ${error.message}.`);
  throw error;
}
