// Mouse, touch and keys.

const TURN_PER_PIXEL = 0.006;
const TURN_PER_KEY = 0.08;
const MOVE_PER_KEY = 30;
const ZOOM_PER_KEY = 1.15;

// Turns, moves and zooms by all kinds of pointers.
function followPointers(canvas, camera, changed) {
  const pointers = new Map();
  const middle = () => {
    const all = [...pointers.values()];
    const mean = (of) => all.reduce((sum, it) => sum + of(it), 0) / all.length;
    const [x, y] = [mean((it) => it.x), mean((it) => it.y)];
    return { x, y, spread: mean((it) => Math.hypot(it.x - x, it.y - y)) };
  };
  const place = ({ clientX: x, clientY: y, buttons, shiftKey }) => ({ x, y, isMoving: shiftKey || buttons > 1 });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = middle();
    const pointer = place(event);
    pointers.set(event.pointerId, pointer);
    const after = middle();
    const [right, down] = [after.x - before.x, after.y - before.y];
    if (pointers.size > 1 && before.spread > 0) {
      camera.move(right, down);
      camera.zoomAt(after.spread / before.spread, after);
    } else if (pointer.isMoving) {
      camera.move(right, down);
    } else {
      camera.turn(right * TURN_PER_PIXEL, -down * TURN_PER_PIXEL);
    }
    changed();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    // Browsers count pixels or lines.
    const pixels = event.deltaY * (event.deltaMode === 1 ? 30 : 1);
    camera.zoom(Math.exp(-clamp(pixels, -200, 200) * 0.0015));
    changed();
  }, { passive: false });
}

// Returns the actions of keys.
function keyActions(camera, player, actions) {
  const arrow = (right, up) => (event) => {
    if (event.shiftKey) camera.move(right * MOVE_PER_KEY, -up * MOVE_PER_KEY);
    else camera.turn(right * TURN_PER_KEY, up * TURN_PER_KEY);
  };
  return {
    ArrowLeft: arrow(-1, 0),
    ArrowRight: arrow(1, 0),
    ArrowUp: arrow(0, 1),
    ArrowDown: arrow(0, -1),
    "+": () => camera.zoom(ZOOM_PER_KEY),
    "=": () => camera.zoom(ZOOM_PER_KEY),
    "-": () => camera.zoom(1 / ZOOM_PER_KEY),
    " ": () => player.toggle(),
    ",": () => player.step(-1),
    ".": () => player.step(1),
    Home: () => player.seek(0),
    End: () => player.seek(player.last),
    x: () => camera.look("x"),
    y: () => camera.look("y"),
    z: () => camera.look("z"),
    r: () => camera.reset(),
    c: () => actions.choose("field", 1),
    f: () => actions.choose("follow", 1),
    "<": () => actions.choose("speed", -1),
    ">": () => actions.choose("speed", 1),
    "[": () => actions.slide("size", -2),
    "]": () => actions.slide("size", 2),
    9: () => actions.slide("brightness", -2),
    0: () => actions.slide("brightness", 2),
    l: () => element("repeat").click(),
    s: () => element("spin").click(),
    h: () => document.body.classList.toggle("bare"),
    "?": () => element("keys").showModal(),
  };
}

// Keys that a focused control uses itself.
const OWN_KEYS = /^(Arrow.*|Home|End| |Enter)$/;

function followKeys(keys, changed) {
  addEventListener("keydown", (event) => {
    const isControl = event.target.matches?.("input, select, button, summary, dialog, dialog *");
    if (event.ctrlKey || event.metaKey || event.altKey || element("keys").open) return;
    if (isControl && (OWN_KEYS.test(event.key) || event.target.matches("select"))) return;
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action(event);
    changed();
  });
}
