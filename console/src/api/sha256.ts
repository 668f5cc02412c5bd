/** SHA-256 (FIPS 180-4) in pieces: pages served without TLS have no `crypto.subtle`. */

const PRIMES_64 = firstPrimes(64);
const K = Uint32Array.from(PRIMES_64, (prime) => fraction(Math.cbrt(prime)));
const START = Uint32Array.from(PRIMES_64.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const BLOCK = 64; // bytes

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) {
    if (found.every((prime) => n % prime !== 0)) found.push(n);
  }
  return found;
}

/** The first 32 bits of what stands behind the point. */
function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

const turned = (value: number, by: number) => (value >>> by) | (value << (32 - by));

/** Feed it bytes in any pieces, then ask once for the digest. */
export class Sha256 {
  private readonly state = Uint32Array.from(START);
  private readonly words = new Uint32Array(64);
  private readonly rest = new Uint8Array(BLOCK);
  private held = 0;
  private length = 0;

  update(bytes: Uint8Array): this {
    this.length += bytes.length;
    let at = 0;
    if (this.held > 0) {
      at = Math.min(BLOCK - this.held, bytes.length);
      this.rest.set(bytes.subarray(0, at), this.held);
      this.held += at;
      if (this.held < BLOCK) return this;
      this.block(this.rest, 0);
      this.held = 0;
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.block(bytes, at);
    this.rest.set(bytes.subarray(at));
    this.held = bytes.length - at;
    return this;
  }

  /** The digest in lower-case hex. */
  hex(): string {
    const bits = this.length * 8;
    const padding = new Uint8Array(this.held < 56 ? BLOCK - this.held : 2 * BLOCK - this.held);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    return [...this.state].map((word) => word.toString(16).padStart(8, "0")).join("");
  }

  private block(bytes: Uint8Array, at: number): void {
    const w = this.words;
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, BLOCK);
    for (let i = 0; i < 16; i += 1) w[i] = view.getUint32(i * 4);
    for (let i = 16; i < 64; i += 1) {
      const a = w[i - 15] as number;
      const b = w[i - 2] as number;
      const s0 = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
      const s1 = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
      w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = this.state as unknown as Eight;
    for (let i = 0; i < 64; i += 1) {
      const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (w[i] as number)) | 0;
      const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => {
      this.state[i] = (this.state[i] as number) + value;
    });
  }
}

type Eight = [number, number, number, number, number, number, number, number];
