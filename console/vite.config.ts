import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { CodeSplittingGroup } from "rolldown";
import { defineConfig } from "vitest/config";

const server = process.env.STARFORGE_URL ?? "http://127.0.0.1:8765";

/**
 * What is there from the start, and what several pages need: one file each. Left alone, every
 * component that two pages share becomes a file; a page then asks for thirty, and its questions
 * to the server wait in line behind them.
 */
const groups: CodeSplittingGroup[] = [
  { name: "index", tags: ["$initial"], priority: 2 },
  { name: "shared", minShareCount: 3, test: /^(?!.*(\/uplot\/|\/src\/pages\/))/, priority: 1 },
];

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    // Served by `starforge.server.console`; not in git, in the wheel.
    outDir: "../src/starforge/server/static",
    emptyOutDir: true,
    manifest: true,
    // The server's policy allows no data: scripts; small files stay files.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/healthz", "/openapi.json"].map((path) => [path, { target: server }]),
    ),
  },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"] },
});
