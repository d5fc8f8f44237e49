import { assert, describe, it } from "vitest"
import { apiReport } from "../src/ApiReport.ts"

const manifest = {
  name: "@webagent/sound",
  version: "1.0.0",
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./internal/*": null }
}

const report = (files: Readonly<Record<string, string>>) =>
  apiReport({ manifest, files: new Map(Object.entries(files)) })

const sound = {
  "dist/index.d.ts": 'export * from "./Noun.ts";\n//# sourceMappingURL=index.d.ts.map',
  "dist/Noun.d.ts": 'import type { Part } from "./Part.ts";\nexport declare const noun: (part: Part) => string;\n',
  "dist/Part.d.ts": "export interface Part {\n    /** In ms. */\n    readonly time_ms: number;\n}\n",
  "dist/Hidden.d.ts": "export declare const hidden: number;\n"
}

describe("apiReport", () => {
  it("joins the declarations of entries and their imports, without comments", () =>
    assert.strictEqual(
      report(sound),
      `@webagent/sound: . ./internal/*

// Noun.d.ts
import type { Part } from "./Part.ts";
export declare const noun: (part: Part) => string;

// Part.d.ts
export interface Part {
    readonly time_ms: number;
}

// index.d.ts
export * from "./Noun.ts";
`
    ))

  it("changes with the surface, but not with comments or hidden modules", () => {
    const [part, hidden] = [sound["dist/Part.d.ts"], sound["dist/Hidden.d.ts"]]
    assert.notStrictEqual(report({ ...sound, "dist/Part.d.ts": part.replace("time_ms", "timeout_ms") }), report(sound))
    assert.strictEqual(report({ ...sound, "dist/Part.d.ts": part.replace("In ms", "Milliseconds") }), report(sound))
    assert.strictEqual(report({ ...sound, "dist/Hidden.d.ts": hidden.replace("number", "string") }), report(sound))
  })

  it("doesn't change with the order of a union's members", () => {
    const noun = (type: string) => report({ "dist/index.d.ts": `export declare const noun: ${type};\n` })
    const [first, second] = ["Part<{\n    readonly a: 1 | 22;\n}>", "Part<{\n    readonly b: 'x' | null;\n}>"]
    const swapped = second.replace("'x' | null", "null | 'x'")
    assert.strictEqual(noun(`Whole<${first} | ${second}>`), noun(`Whole<${swapped} | ${first}>`))
    assert.notStrictEqual(noun(`Whole<${first} | ${second}>`), noun(`Whole<${first}>`))
    assert.include(noun("333 | 1 | Array<22 | 1> | null"), "noun: 1 | 333 | Array<1 | 22> | null;")
  })

  it("follows types that only import() names", () =>
    assert.include(
      report({ ...sound, "dist/Noun.d.ts": 'export declare const noun: import("./Part.ts").Part;\n' }),
      "readonly time_ms: number;"
    ))

  it("includes the declarations of an internal package that the surface names", () => {
    const internal = {
      manifest: { name: "@webagent/part", version: "1.0.0", exports: { "./Part": { types: "./dist/Part.d.ts" } } },
      files: new Map([["dist/Part.d.ts", sound["dist/Part.d.ts"]]])
    }
    const noun =
      'import type { Part } from "@webagent/part/Part";\nexport declare const noun: (part: Part) => string;\n'
    const files = new Map([["dist/index.d.ts", noun]])
    const text = (packages: ReadonlyArray<typeof internal>) => apiReport({ manifest, files }, packages)
    assert.include(text([internal]), "// @webagent/part/Part.d.ts\nexport interface Part {")
    assert.notInclude(text([]), "interface Part")
  })

  it("writes a nested type once, and its digest after that", () => {
    const nested = (name: string, last: string) =>
      `export declare const ${name}: Struct<{\n    readonly a: 1;\n    readonly b: 2;\n    readonly c: ${last};\n}>;\n`
    const texts = (last: string) =>
      report({ "dist/index.d.ts": `${nested("one", "3")}${nested("two", last)}` }).split("two: Struct<{")[1]
    assert.match(texts("3") ?? "", /^\n {4}\.\.\. 3 lines [\da-f]{8}\n\}>;\n$/u)
    assert.include(texts("4"), "readonly c: 4;")
  })
})
