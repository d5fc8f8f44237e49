import react from "@vitejs/plugin-react"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

const outDir = fileURLToPath(new URL("dist/", import.meta.url))

/** Compresses each text file once here, so that the server never does. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  writeBundle() {
    for (const name of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
      if (!/\.(?:css|html|js|svg)$/u.test(name)) continue
      const bytes = readFileSync(join(outDir, name))
      writeFileSync(join(outDir, `${name}.br`), brotliCompressSync(bytes))
      writeFileSync(join(outDir, `${name}.gz`), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
    }
  }
}

/** The server that `npm run dev` of this package talks to. */
const server = process.env["WEBAGENT_CONSOLE_SERVER"] ?? "http://127.0.0.1:8080"

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  plugins: [react(), compressed],
  resolve: { conditions: ["@webagent/source", "module", "browser", "development|production"] },
  css: { modules: { localsConvention: "camelCaseOnly" } },
  build: {
    outDir,
    emptyOutDir: true,
    // the content security policy has no data: sources
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2024",
    manifest: true
  },
  server: { proxy: { "/console/api": { target: server, ws: true } } }
})
