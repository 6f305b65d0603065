// Numbers as texts.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// Returns a number with three digits, or another count of them.
function inWords(value, digits = 3) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "–∞";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e5)) {
    return String(Number(value.toPrecision(digits))).replace("-", "–");
  }
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const raised = exponent.replace("+", "").replace("-", "⁻").replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  const factor = Number(mantissa);
  return (factor === 1 ? "" : `${factor}×`).replace("-", "–") + `10${raised}`;
}

// Returns the greatest of 1, 2 and 5 times a power of ten that is not above a limit.
function roundLength(limit) {
  const power = 10 ** Math.floor(Math.log10(limit));
  const steps = [5, 2, 1].map((step) => step * power);
  // Rounding errors of the logarithm must not leave the bar without a length.
  return steps.find((length) => length <= limit) ?? limit;
}

const mix = (a, b, t) => a + (b - a) * t;
const mixed = (a, b, t) => a.map((x, k) => mix(x, b[k], t));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
