// The particles in this file.

const element = (id) => document.getElementById(id);

const header = JSON.parse(element("header").textContent);
const frames = header.frames;
const scene = header.scene;

// Edges of the box in its unit. Everything is drawn in this unit, which numbers of any size have.
const RATIO = scene.half.map((half) => half / scene.unit);

function bytesOf(id) {
  const text = element(id).textContent;
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

// Positions and speeds of a snapshot: four numbers for each particle.
const particlesOf = (k) => bytesOf(`particles-${k}`);

// Places of the masses on their scale: 16 bits for each particle.
const massesOf = (k) => bytesOf(`masses-${frames[k].masses}`);
