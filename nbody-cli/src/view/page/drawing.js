// Drawing by WebGL: light of all particles is added up, and then mapped to brightness.

const POINTS = `#version 300 es
precision highp float;
precision highp int;
layout(location = 0) in vec4 here;
layout(location = 1) in vec4 next;
layout(location = 2) in float mass;
uniform float between;
uniform vec2 decoding;
uniform vec3 ratio, centre, dense, uniformColour;
uniform mat3 rotation;
uniform float distanceOfEye, focal, size, light;
uniform vec2 aspect, radii;
uniform bool isLogarithmic;
uniform int field;
uniform vec3 colours[5];
out vec3 colour;

vec3 colourAt(float place) {
  float along = clamp(place, 0.0, 1.0) * 4.0;
  int k = min(int(along), 3);
  return mix(colours[k], colours[k + 1], along - float(k));
}

float placeOfRadius(float radius) {
  if (radii.x >= radii.y) return 0.5;
  if (!isLogarithmic) return (radius - radii.x) / (radii.y - radii.x);
  return log(max(radius, radii.x) / radii.x) / log(radii.y / radii.x);
}

void main() {
  vec4 now = mix(here, next, between);
  vec3 place = (now.xyz * decoding.x + decoding.y) * ratio;
  vec3 seen = rotation * (place - centre);
  float depth = distanceOfEye - seen.z;
  gl_Position = vec4(focal * seen.xy * aspect, 0.0, depth);
  float wanted = size * distanceOfEye / max(depth, 0.05 * distanceOfEye);
  gl_PointSize = clamp(wanted, 1.5, 48.0);
  // Points that cannot be as small as they should be are fainter instead.
  float fainter = min(wanted / gl_PointSize, 1.0);
  float along = field == 0 ? now.w : field == 1 ? mass : placeOfRadius(distance(place, dense));
  colour = (field == 3 ? uniformColour : colourAt(along)) * light * fainter * fainter;
}`;

const POINT = `#version 300 es
precision highp float;
in vec3 colour;
out vec4 sum;
void main() {
  vec2 from = gl_PointCoord * 2.0 - 1.0;
  float r2 = dot(from, from);
  if (r2 > 1.0) discard;
  float fall = 1.0 - r2;
  sum = vec4(colour * fall * fall, 1.0);
}`;

const CORNERS = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

// Light of a wide range becomes visible by its logarithm; its hue stays, except where it dazzles.
const TONES = `#version 300 es
precision highp float;
uniform sampler2D sums;
uniform vec2 pixels;
out vec4 shown;
const vec3 NIGHT = vec3(0.016, 0.022, 0.040);
// Noise of less than a step of the screen, without which the dark background would show bands.
float noise(vec2 at) {
  return (fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715)))) - 0.5) / 255.0;
}
void main() {
  vec3 sum = texelFetch(sums, ivec2(gl_FragCoord.xy), 0).rgb;
  float most = max(sum.r, max(sum.g, sum.b));
  vec2 from = gl_FragCoord.xy / pixels * 2.0 - 1.0;
  vec3 night = NIGHT * (1.0 - 0.35 * dot(from, from));
  float bright = log(1.0 + 16.0 * most) / log(1.0 + 16.0 * 40.0);
  vec3 hue = sum / max(most, 1e-6);
  float dazzle = smoothstep(0.75, 1.25, bright);
  shown = vec4(noise(gl_FragCoord.xy) + night + mix(hue, vec3(1.0), 0.6 * dazzle) * min(bright, 1.0), 1.0);
}`;

// Memory for snapshots on the graphics processor.
const MEMORY = 256 * 2 ** 20;

class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    const options = { alpha: false, antialias: false, depth: false, powerPreference: "high-performance" };
    this.gl = canvas.getContext("webgl2", options);
    if (this.gl) this.prepare();
  }

  // Makes everything on the graphics processor, at the beginning and after it was reset.
  prepare() {
    const { gl } = this;
    const isFloat = gl.getExtension("EXT_color_buffer_float") ?? gl.getExtension("EXT_color_buffer_half_float");
    this.format = isFloat ? gl.RGBA16F : gl.RGBA8;
    this.points = this.program(POINTS, POINT);
    this.tones = this.program(CORNERS, TONES);
    this.texture = gl.createTexture();
    this.target = gl.createFramebuffer();
    this.buffers = new Map();
    this.used = 0;
    this.width = this.height = 0;
  }

  program(vertex, fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`the graphics driver refuses a program: ${gl.getProgramInfoLog(program)}`);
    }
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    const places = {};
    for (let k = 0; k < count; k++) {
      const { name } = gl.getActiveUniform(program, k);
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  // Makes the target as large as the canvas on the screen. More than two pixels of the screen per
  // pixel of the page cost time and show nothing more.
  fit() {
    const { gl, canvas } = this;
    const density = Math.min(devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.max(Math.round(n * density), 1));
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [canvas.width, canvas.height] = [width, height];
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    const kind = this.format === gl.RGBA16F ? gl.HALF_FLOAT : gl.UNSIGNED_BYTE;
    gl.texImage2D(gl.TEXTURE_2D, 0, this.format, width, height, 0, gl.RGBA, kind, null);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0);
  }

  // Returns a buffer with these numbers. The one that was not used for the longest time goes first.
  buffer(name, read) {
    const { gl, buffers } = this;
    let found = buffers.get(name);
    if (found) {
      buffers.delete(name);
    } else {
      const bytes = read();
      found = { buffer: gl.createBuffer(), size: bytes.length };
      gl.bindBuffer(gl.ARRAY_BUFFER, found.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
      this.used += found.size;
    }
    buffers.set(name, found);
    // A draw needs three of them.
    for (const [oldest, { buffer, size }] of buffers) {
      if (this.used <= MEMORY || buffers.size <= 3) break;
      gl.deleteBuffer(buffer);
      buffers.delete(oldest);
      this.used -= size;
    }
    return found.buffer;
  }

  attribute(place, buffer, size, kind) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, kind, kind === gl.UNSIGNED_SHORT, 0, 0);
  }

  // Draws the particles between two snapshots.
  draw(view) {
    const { gl } = this;
    if (gl.isContextLost()) return;
    this.fit();
    gl.viewport(0, 0, this.width, this.height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (frames[view.here].shown > 0) this.drawPoints(view);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.useProgram(this.tones.program);
    gl.disable(gl.BLEND);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.uniform2f(this.tones.places.pixels, this.width, this.height);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  drawPoints(view) {
    const { gl } = this;
    const { program, places } = this.points;
    const kind = header.bits === 16 ? gl.UNSIGNED_SHORT : gl.FLOAT;
    for (const [place, k] of [view.here, view.next].entries()) {
      this.attribute(place, this.buffer(`particles-${k}`, () => particlesOf(k)), 4, kind);
    }
    const masses = this.buffer(`masses-${frames[view.here].masses}`, () => massesOf(view.here));
    this.attribute(2, masses, 1, gl.UNSIGNED_SHORT);
    gl.useProgram(program);
    this.setView(places, view);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.drawArrays(gl.POINTS, 0, frames[view.here].shown);
  }

  setView(places, { between, centre, dense, camera, size, light, field }) {
    const { gl, width, height } = this;
    const [x, y, z] = camera.rows;
    const least = Math.min(width, height);
    gl.uniform1f(places.between, between);
    // Numbers of 16 bits are from 0 to 1 here, and others from -1 to 1.
    gl.uniform2f(places.decoding, ...(header.bits === 16 ? [2, -1] : [1, 0]));
    gl.uniform3f(places.ratio, ...RATIO);
    gl.uniform3f(places.centre, ...added(centre, camera.offset));
    gl.uniform3f(places.dense, ...dense);
    gl.uniformMatrix3fv(places.rotation, false, [0, 1, 2].flatMap((k) => [x[k], y[k], z[k]]));
    gl.uniform1f(places.distanceOfEye, camera.distance);
    gl.uniform1f(places.focal, FOCAL);
    gl.uniform2f(places.aspect, least / width, least / height);
    gl.uniform1f(places.size, size * (width / this.canvas.clientWidth));
    gl.uniform1f(places.light, light);
    gl.uniform1i(places.field, FIELDS.indexOf(field));
    gl.uniform2f(places.radii, scene.radius.low, scene.radius.high);
    gl.uniform1i(places.isLogarithmic, scene.radius.logarithmic ? 1 : 0);
    gl.uniform3fv(places["colours[0]"], COLOURS.flat());
    gl.uniform3f(places.uniformColour, ...UNIFORM);
  }
}
