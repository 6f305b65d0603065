// The direction, the place and the magnification of the view.

// Half the height of the picture, at a distance of one: 1 / FOCAL.
const FOCAL = 2.4;
const NEAREST = 1e-6;
const FURTHEST = 1e3;
// Fraction of half the picture for the sphere with most particles.
const FILLED = 0.82;

// Rotations as three rows: the directions to the right, upwards and to the eye.
const DIRECTIONS = {
  x: [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
  y: [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
  z: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
};

const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const scaled = (a, factor) => a.map((x) => x * factor);
const added = (a, b) => a.map((x, k) => x + b[k]);

class Camera {
  constructor() {
    this.reset();
  }

  reset() {
    this.look("z");
    this.offset = [0, 0, 0];
    this.distance = clamp((FOCAL * (scene.extent || 1)) / FILLED, NEAREST, FURTHEST);
  }

  look(axis) {
    this.rows = DIRECTIONS[axis];
  }

  // Turns the particles with a hand that moves to the right and upwards, by radians.
  turn(right, up) {
    const [x, y, z] = this.rows;
    const [cr, sr, cu, su] = [Math.cos(right), Math.sin(right), Math.cos(up), Math.sin(up)];
    const right1 = added(scaled(x, cr), scaled(z, sr));
    const eye1 = added(scaled(z, cr), scaled(x, -sr));
    const up2 = added(scaled(y, cu), scaled(eye1, su));
    this.rows = orthonormal([right1, up2, added(scaled(eye1, cu), scaled(y, -su))]);
  }

  // Moves the particles by pixels.
  move(right, down) {
    const perPixel = 1 / this.pixelsPerUnit();
    const [x, y] = this.rows;
    this.offset = added(this.offset, added(scaled(x, -right * perPixel), scaled(y, down * perPixel)));
  }

  zoom(factor) {
    this.distance = clamp(this.distance / factor, NEAREST, FURTHEST);
  }

  // Zooms so that the particles at a place of the page stay there.
  zoomAt(factor, { x, y }) {
    const before = this.distance;
    this.zoom(factor);
    const growth = before / this.distance - 1;
    this.move((innerWidth / 2 - x) * growth, (innerHeight / 2 - y) * growth);
  }

  // Returns the length of a unit at the centre of the view, in pixels of the page.
  pixelsPerUnit() {
    const half = Math.min(innerWidth, innerHeight) / 2;
    return (FOCAL * half) / this.distance;
  }
}

// Removes rounding errors, which would grow with each turn.
function orthonormal([x, y]) {
  const unit = (a) => scaled(a, 1 / Math.sqrt(dot(a, a)));
  const right = unit(x);
  const up = unit(added(y, scaled(right, -dot(y, right))));
  const eye = [0, 1, 2].map((k) => right[(k + 1) % 3] * up[(k + 2) % 3] - right[(k + 2) % 3] * up[(k + 1) % 3]);
  return [right, up, eye];
}
