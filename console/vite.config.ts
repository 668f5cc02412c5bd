import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.STARFORGE_URL ?? "http://127.0.0.1:8765";

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
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/healthz", "/openapi.json"].map((path) => [path, { target: server }]),
    ),
  },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"] },
});
