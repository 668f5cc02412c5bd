import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Sha256 } from "./sha256";

const known = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("Sha256", () => {
  it("agrees with the system's around every border of a block", () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000]) {
      const bytes = Uint8Array.from({ length }, (_, place) => (place * 31 + length) % 256);
      expect(new Sha256().update(bytes).hex()).toBe(known(bytes));
    }
  });
  it("takes bytes in any pieces", () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, place) => (place * 7) % 256);
    for (const piece of [1, 63, 64, 65, 1000]) {
      const sum = new Sha256();
      for (let at = 0; at < bytes.length; at += piece) sum.update(bytes.subarray(at, at + piece));
      expect(sum.hex()).toBe(known(bytes));
    }
  });
});
