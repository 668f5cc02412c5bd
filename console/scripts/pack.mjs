// Packs what browsers load, once and as small as it gets: a `.br` and a `.gz` beside every file
// of assets/. Their names hold a hash of the content, so a packed file is never of another one.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const folder = new URL("../../src/starforge/server/static/assets/", import.meta.url);
const TEXT = /\.(js|css|svg|json)$/;

for (const name of readdirSync(folder).filter((one) => TEXT.test(one))) {
  const body = readFileSync(new URL(name, folder));
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  keep(`${name}.br`, brotliCompressSync(body, { params }), body);
  keep(`${name}.gz`, gzipSync(body, { level: 9 }), body);
}

function keep(name, packed, body) {
  // A tiny file grows: it goes as it is.
  if (packed.length < body.length) writeFileSync(new URL(name, folder), packed);
}
