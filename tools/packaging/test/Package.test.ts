import { assert, describe, it } from "vitest"
import { problems, type Unpacked } from "../src/Package.ts"

const sound: Unpacked = {
  manifest: {
    name: "@webagent/sound",
    version: "1.0.0",
    license: "MIT",
    bin: { sound: "./dist/main.js" },
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    dependencies: { "@webagent/core": "^1.0.0" },
    peerDependencies: { effect: "^4.1.0" }
  },
  files: new Map([
    ["package.json", "{}"],
    ["README.md", ""],
    ["LICENSE", ""],
    [
      "dist/index.js",
      'import * as Effect from "effect/Effect"\nexport * from "./Noun.js"\n//# sourceMappingURL=index.js.map'
    ],
    ["dist/index.js.map", "{}"],
    ["dist/index.d.ts", 'export * from "./Noun.ts"\nexport type { T } from "@webagent/core"'],
    ["dist/Noun.js", 'import { readFileSync } from "node:fs"\nconst later = () => import("./main.js")'],
    ["dist/Noun.d.ts", ""],
    ["dist/Noun.js.map", "{}"],
    ["dist/main.js", ""],
    ["dist/main.js.map", "{}"]
  ])
}

const without = (path: string): Unpacked => ({
  ...sound,
  files: new Map([...sound.files].filter(([name]) => name !== path))
})

const having = (path: string, text: string): Unpacked => ({ ...sound, files: new Map([...sound.files, [path, text]]) })

describe("problems", () => {
  it("a sound package has none", () => assert.deepStrictEqual(problems(sound), []))

  for (const [what, unpacked, sentence] of [
    ["a missing readme", without("README.md"), "README.md is missing"],
    ["a missing licence", without("LICENSE"), "LICENSE is missing"],
    [
      "an export that leads nowhere",
      without("dist/index.d.ts"),
      "package.json points to dist/index.d.ts, which is not in the tarball"
    ],
    [
      "a command that leads nowhere",
      without("dist/main.js"),
      "package.json points to dist/main.js, which is not in the tarball"
    ],
    [
      "a module that was left out",
      without("dist/Noun.js"),
      "dist/index.js imports ./Noun.js, which is not in the tarball"
    ],
    [
      "an undeclared dependency",
      having("dist/Noun.js", 'import undici from "undici"'),
      "dist/Noun.js imports undici, which package.json does not declare"
    ],
    [
      "an undeclared dependency of the types",
      having("dist/Noun.d.ts", 'import type { Run } from "@webagent/contract/v4"'),
      "dist/Noun.d.ts imports @webagent/contract, which package.json does not declare"
    ],
    [
      "an import of its own that is not mapped",
      having("dist/Noun.js", 'export * from "#noun"'),
      "dist/Noun.js imports #noun, which package.json does not map"
    ],
    [
      "a condition that leads nowhere",
      { ...sound, manifest: { ...sound.manifest, imports: { "#noun": { node: { default: "./dist/Other.js" } } } } },
      "package.json points to dist/Other.js, which is not in the tarball"
    ],
    ["a test in the tarball", having("dist/Noun.test.js", ""), "dist/Noun.test.js is a test"],
    ["a missing source map", without("dist/index.js.map"), "dist/index.js has no source map"],
    ["source maps that were switched off", without("dist/Noun.js.map"), "dist/Noun.js has no source map"],
    [
      "a range that only a workspace resolves",
      { ...sound, manifest: { ...sound.manifest, dependencies: { "@webagent/core": "workspace:^" } } },
      "@webagent/core is asked for as workspace:^, which only a workspace resolves"
    ]
  ] as const) {
    it(`finds ${what}`, () => assert.include(problems(unpacked), sentence))
  }
})
