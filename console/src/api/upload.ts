/** Uploading a file as a blob: the server keeps content by its SHA-256. */
import { ApiError, pageHeaders, toError } from "./client";
import { Sha256 } from "./sha256";

const PIECE = 4 * 1024 * 1024; // bytes read at once
const AT_ONCE = 256 * 1024 * 1024; // up to here the browser's own digest is used

/** The SHA-256 of a file in hex; `onProgress` gets the share done. */
export async function digestOf(file: Blob, onProgress?: (share: number) => void): Promise<string> {
  if (globalThis.crypto?.subtle && file.size <= AT_ONCE) {
    const found = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    return [...new Uint8Array(found)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  const sum = new Sha256();
  for (let at = 0; at < file.size; at += PIECE) {
    sum.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
    onProgress?.(Math.min(1, (at + PIECE) / file.size));
  }
  return sum.hex();
}

/** Upload `file` unless the server has its content already; its digest. */
export async function uploadBlob(
  file: Blob,
  onProgress?: (share: number) => void,
): Promise<string> {
  const digest = await digestOf(file, (share) => onProgress?.(share / 2));
  const url = `/api/v1/blobs/${digest}`;
  const known = await call(url, { method: "HEAD" });
  if (!known.ok) {
    const sent = await call(url, {
      method: "PUT",
      body: file,
      headers: { "Content-Type": "application/octet-stream" },
    });
    if (!sent.ok) throw toError(await sent.json().catch(() => null), sent.status);
  }
  onProgress?.(1);
  return digest;
}

async function call(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, headers: { ...pageHeaders(), ...init.headers } });
  } catch (error) {
    throw new ApiError("network", String(error), null, 0);
  }
}
