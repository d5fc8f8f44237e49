import react from "@vitejs/plugin-react"
import * as Channel from "effect/Channel"
import * as Ndjson from "effect/encoding/Ndjson"
import * as Sse from "effect/encoding/Sse"
import * as Formatter from "effect/Formatter"
import * as Cookies from "effect/http/Cookies"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { type BuildOptions, defineConfig, type Plugin, type UserConfig } from "vite"

/** Compresses each text file once here, so that the server never does. Adds the license of the font, which Vite doesn't. */
const compressed = (): Plugin => {
  let folder = ""
  return {
    name: "compressed",
    apply: "build",
    configResolved({ build, root }) {
      folder = resolve(root, build.outDir)
    },
    writeBundle() {
      copyFileSync(join(app, "node_modules/@fontsource-variable/inter/LICENSE"), join(folder, "LICENSE-Inter.txt"))
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/\.(?:css|html|js|svg)$/u.test(name)) continue
        const bytes = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
      }
    }
  }
}

/** Replaces a module of Effect: each of its values is the one that `text` defines, unless it has a value of its own name. */
const without = (module: string, names: object, text: string, own: ReadonlyArray<string> = []): Plugin => {
  const id = `\0without-${module}`
  const isIt = new RegExp(`(?:^effect|^\\.\\.?)/${module}(?:\\.js)?$`, "u")
  return {
    name: `without-${module}`,
    enforce: "pre",
    resolveId: (source) => (isIt.test(source) ? id : undefined),
    load: (loaded) =>
      loaded === id
        ? `${text}\nexport { ${Object.keys(names)
            .map((name) => (own.includes(name) ? name : `value as ${name}`))
            .join(", ")} }`
        : undefined
  }
}

/** A value that does nothing, whatever one does with it. */
const nothing = "const value = new Proxy(function () {}, { get: () => value, apply: () => value })"

/** Parts of Effect that a page of one file never uses. */
const unused = (): ReadonlyArray<Plugin> => [
  // the words of findings are in modules with schemas, but the data of the page is as the program wrote it
  without("Schema", Schema, nothing),
  // atoms can be made of streams, and no atom of the page is
  without("Stream", Stream, `${nothing}\nconst isStream = () => false`, ["isStream"]),
  without("Channel", Channel, nothing),
  without("Queue", Queue, nothing),
  without("SubscriptionRef", SubscriptionRef, nothing)
]

/** Parts of Effect's HTTP client that no page uses: events come over a WebSocket, and scripts don't see cookies. */
const unusedByPages = (): ReadonlyArray<Plugin> => [
  without("encoding/Ndjson", Ndjson, nothing),
  without("encoding/Sse", Sse, nothing),
  without("Cookies", Cookies, nothing)
]

/** Replaces texts for debugging, which no screen shows: 1 kB of compressed script. */
const withoutFormatter = () => without("Formatter", Formatter, "const value = (of) => String(of)")

/**
 * Imports screens at once that other pages load when they are opened. A page of one file has them all, and the wrappers that
 * would run them later are 8 kB of compressed script.
 */
const withoutLazyImports = (): Plugin => ({
  name: "without-lazy-imports",
  enforce: "pre",
  transform(code, id) {
    if (!/\/src\/.*\.tsx?$/u.test(id) || !code.includes("import(")) return undefined
    const imports: Array<string> = []
    const eager = code.replaceAll(/\bimport\(("[^"]+")\)/gu, (_, module: string) => {
      const name = `eager${imports.length}`
      imports.push(`import * as ${name} from ${module}`)
      return `Promise.resolve(${name})`
    })
    return [...imports, eager].join("\n")
  }
})

/** The server that `npm run dev` of this package talks to. */
const server = process.env["WEBAGENT_CONSOLE_SERVER"] ?? "http://127.0.0.1:8080"

const app = fileURLToPath(new URL(".", import.meta.url))

const shared = {
  plugins: [react(), compressed()],
  resolve: { conditions: ["@webagent/source", "module", "browser", "development|production"] },
  css: { modules: { localsConvention: "camelCaseOnly" } },
  define: { isFile: "false" }
} satisfies UserConfig

const build = {
  emptyOutDir: true,
  // the content security policy has no data: sources
  assetsInlineLimit: 0,
  modulePreload: { polyfill: false },
  target: "es2024",
  // published packages and images have copies of the bundled ones
  license: { fileName: "LICENSES.md" },
  manifest: true
} satisfies BuildOptions

/**
 * Lets the bundler remove unused reads, schemas and changes, which makes the script 10 kB smaller. That's safe because
 * no getter in these modules has a side effect, and neither does making a schema or a change.
 */
const treeshake = { propertyReadSideEffects: false as const, manualPureFunctions: ["Schema", "change"] }

/** The server's console. */
const ofServer: UserConfig = {
  ...shared,
  plugins: [...unusedByPages(), ...shared.plugins],
  root: app,
  base: "/console/",
  build: { ...build, outDir: `${app}dist`, rolldownOptions: { treeshake } },
  server: { proxy: { "/console/api": { target: server, ws: true }, "/recordings": server, "/share": server } }
}

/** The screens of `webagent-harness ui`. */
const ofHarness: UserConfig = {
  ...shared,
  plugins: [...unusedByPages(), withoutFormatter(), ...shared.plugins],
  root: `${app}src/harness`,
  // addresses of screens are behind a #, so the page may be at any path
  base: "./",
  build: { ...build, outDir: `${app}dist-harness`, rolldownOptions: { treeshake } },
  server: { proxy: { "/ui/api": { target: server, ws: true } } }
}

/** The same screens as one classic script and one style sheet, which `webagent-harness ui --export` puts into one file. */
const ofExport: UserConfig = {
  ...shared,
  plugins: [...unused(), withoutFormatter(), withoutLazyImports(), ...shared.plugins],
  define: { isFile: "true" },
  root: `${app}src/harness`,
  base: "./",
  build: {
    ...build,
    manifest: false,
    outDir: `${app}dist-export`,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    rolldownOptions: {
      input: `${app}src/harness/embedded.tsx`,
      treeshake,
      transform: { define: { "import.meta": "{}" } },
      output: { format: "iife", codeSplitting: false, entryFileNames: "export.js", assetFileNames: "export.[ext]" }
    }
  }
}

const configs: Readonly<Record<string, UserConfig>> = { harness: ofHarness, export: ofExport }

export default defineConfig(({ mode }) => configs[mode] ?? ofServer)
