// Colours of the particles.

// From cool to hot, as stars are. All are bright: the density is the brightness.
const COLOURS = [
  [0.20, 0.36, 1.0],
  [0.30, 0.72, 1.0],
  [0.92, 0.90, 0.86],
  [1.0, 0.66, 0.24],
  [1.0, 0.25, 0.13],
];

const UNIFORM = [0.66, 0.78, 1.0];

// Number of each field in the shader, in the order in which a key goes through them.
const FIELDS = ["speed", "mass", "radius", "uniform"];

// Returns the scale of a field in the units of the particles.
function scaleOf(field) {
  const scale = scene[field];
  const unit = field === "radius" ? scene.unit : 1;
  return { ...scale, low: scale.low * unit, high: scale.high * unit };
}

// Returns the value at a place of a scale.
function valueAt({ low, high, logarithmic }, place) {
  if (logarithmic) return Math.exp(mix(Math.log(low), Math.log(high), place));
  return mix(low / 2, high / 2, place) * 2;
}

const css = (colour) => `rgb(${colour.map((part) => Math.round(255 * part)).join(" ")})`;

function showBar(field) {
  element("bar").hidden = field === "uniform";
  if (field === "uniform") return;
  const scale = scaleOf(field);
  const isOne = scale.low >= scale.high;
  const colours = isOne ? [COLOURS[2], COLOURS[2]] : COLOURS;
  element("bar-colours").style.background = `linear-gradient(90deg, ${colours.map(css).join(", ")})`;
  const texts = isOne ? [inWords(scale.low)] : [0, 0.5, 1].map((place) => inWords(valueAt(scale, place)));
  if (scale.beyond[0]) texts[0] = `≤ ${texts[0]}`;
  if (scale.beyond[1]) texts[texts.length - 1] = `≥ ${texts.at(-1)}`;
  const kind = scale.logarithmic ? ", logarithmic" : "";
  element("bar-name").textContent = field + kind;
  const numbers = texts.map((text) => Object.assign(document.createElement("span"), { textContent: text }));
  element("bar-numbers").replaceChildren(...numbers);
  element("bar-name").title = field === "radius" ? "distance from the centre of density" : "";
  element("bar").setAttribute("aria-label", `Colours: ${field}${kind}, ${texts.join(", ")}`);
}
