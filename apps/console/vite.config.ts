import react from "@vitejs/plugin-react"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

/** Compresses each text file once here, so that the server never does. */
const compressed = (): Plugin => {
  let folder = ""
  return {
    name: "compressed",
    apply: "build",
    configResolved({ build, root }) {
      folder = resolve(root, build.outDir)
    },
    writeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/\.(?:css|html|js|svg)$/u.test(name)) continue
        const bytes = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
      }
    }
  }
}

/** The server that `npm run dev` of this package talks to. */
const server = process.env["WEBAGENT_CONSOLE_SERVER"] ?? "http://127.0.0.1:8080"

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  plugins: [react(), compressed()],
  resolve: { conditions: ["@webagent/source", "module", "browser", "development|production"] },
  css: { modules: { localsConvention: "camelCaseOnly" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // the content security policy has no data: sources
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2024",
    manifest: true
  },
  server: { proxy: { "/console/api": { target: server, ws: true } } }
})
