import { createRequire, SourceMap } from "node:module"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { bundle, written } from "../measure/Bundle.ts"
import { exportsOf } from "./Exports.ts"

/** Bytes of what a program ships that imports everything of an entry. */
export interface Size {
  readonly minified: number
  readonly gzip: number
}

/** An entry point by both bundlers. */
export interface Sizes {
  readonly entry: string
  readonly rolldown: Size
  readonly esbuild: Size
}

/** Size of a part of a bundle; its gzip size is its share of the whole. */
export interface Part extends Size {
  readonly part: string
}

/** The folder of a version's source that can resolve our clients. */
const benchIn = (source: string) => join(source, "tools", "bench")

const sizeOf = (code: string): Size => ({ minified: Buffer.byteLength(code), gzip: gzipSync(code).length })

const byRolldown = async (entry: string, folder: string) => {
  const main = join(folder, "entry.js")
  const { output } = await bundle(
    {
      input: main,
      platform: "neutral",
      external: /^(?:node:|fs|path)/u,
      plugins: [written(main, `export * from "${entry}"`)]
    },
    { minify: true, sourcemap: true }
  )
  return output[0]
}

interface Esbuild {
  readonly build: (options: object) => Promise<{ readonly outputFiles: ReadonlyArray<{ readonly text: string }> }>
}

const byEsbuild = async (entry: string, folder: string, installed: string) => {
  const esbuild: Esbuild = createRequire(join(installed, "package.json"))("esbuild")
  const { outputFiles } = await esbuild.build({
    stdin: { contents: `export * from "${entry}"`, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    // as rolldown has it: for Node, undici would be inside
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "fs", "path"],
    conditions: ["@webagent/source", "import", "default"],
    logLevel: "silent"
  })
  return outputFiles[0]?.text ?? ""
}

/** The size of an entry that a folder can resolve. */
const measure = async (entry: string, folder: string, installed: string): Promise<Sizes> => ({
  entry,
  rolldown: sizeOf((await byRolldown(entry, folder)).code),
  esbuild: sizeOf(await byEsbuild(entry, folder, installed))
})

const ours = ["v4", "v4/promise", "v4/events", "v4/account", "v3", "v3/promise", "v2", "v2/promise"]
const theirs = ["browser-use-sdk/v4", "browser-use-sdk/v3", "browser-use-sdk"]

const isEntry = (source: string, name: string) => {
  const [client = "", ...path] = name.split("/")
  return [".", ...path].join("/") in exportsOf(source, client)
}

/** The sizes of the entry points that a version has, and of those of the peer that has a v2, v3 and v4, too. */
export const measureSizes = async (source: string, installed: string): Promise<ReadonlyArray<Sizes>> => {
  const sizes: Array<Sizes> = []
  for (const name of ours.filter((each) => isEntry(source, each))) {
    sizes.push(await measure(`@webagent/${name}`, benchIn(source), installed))
  }
  for (const entry of theirs) sizes.push(await measure(entry, installed, installed))
  return sizes
}

/** The text of generated code by the source that it has come from; what no source accounts for is by "". */
export const textBySource = (
  code: string,
  map: Pick<SourceMap["payload"], "mappings" | "sources">
): ReadonlyMap<string, string> => {
  const sourceMap = new SourceMap({ version: 3, names: [], file: "", sourceRoot: "", sourcesContent: [], ...map })
  const texts = new Map<string, string>()
  for (const [row, line] of code.split("\n").entries()) {
    for (let column = 0; column < line.length; column++) {
      const entry = sourceMap.findEntry(row, column)
      const name = "originalSource" in entry ? (entry.originalSource ?? "") : ""
      texts.set(name, `${texts.get(name) ?? ""}${line[column]}`)
    }
  }
  return texts
}

const parts: ReadonlyArray<readonly [RegExp, string]> = [
  [/effect\/dist\/(?:internal\/schema|Schema)/u, "effect: schemas"],
  [/effect\/dist\/http\//u, "effect: HTTP"],
  [/effect\/dist\/(?:Stream|Channel|Queue|Pull|MutableList)/u, "effect: streams and queues"],
  [
    /effect\/dist\/(?:internal\/(?:effect|core|tracer|references)|Effect|Fiber|Scheduler|Context|Cause|Exit|Layer|Scope|Scheduler|Deferred)/u,
    "effect: fibers, layers and context"
  ],
  [/effect\/dist\/(?:Duration|internal\/dateTime|Clock)/u, "effect: time"],
  [/effect\/dist/u, "effect: the rest (metrics, hashing, equality, formatting, options, ...)"],
  [/packages\/contract\//u, "@webagent/contract"],
  [/(?:core|packages\/client\/core)\/src\//u, "@webagent/core"],
  [/polling\/src\//u, "@webagent/polling"],
  [/v4\/src\//u, "@webagent/v4"]
]

/** Lists the parts of one of our entry points, the largest first. */
export const measureParts = async (entry: string, source: string): Promise<ReadonlyArray<Part>> => {
  const { code, map } = await byRolldown(entry, benchIn(source))
  if (map === null) return []
  const texts = new Map<string, string>()
  for (const [source, text] of textBySource(code, map)) {
    const [, part = "what binds the modules"] = parts.find(([pattern]) => pattern.test(source)) ?? []
    texts.set(part, `${texts.get(part) ?? ""}${text}`)
  }
  const sizes = Array.from(texts, ([part, text]) => ({ part, ...sizeOf(text) }))
  const apart = sizes.reduce((sum, { gzip }) => sum + gzip, 0)
  const whole = sizeOf(code).gzip
  return sizes
    .map((size) => ({ ...size, gzip: Math.round((size.gzip * whole) / apart) }))
    .toSorted((a, b) => b.gzip - a.gzip)
}
