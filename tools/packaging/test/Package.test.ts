import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { type Manifest, problems } from "../src/Package.ts"

const manifest: Manifest & Record<string, unknown> = {
  name: "@webagent/sound",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  sideEffects: false,
  bin: { sound: "./dist/main.js" },
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./internal/*": null },
  dependencies: { "@webagent/core": "1.0.0" }
}

const sound: Readonly<Record<string, string>> = {
  "README.md": "",
  LICENSE: "",
  "dist/index.js": "export const noun = 1\n//# sourceMappingURL=index.js.map",
  "dist/index.js.map": "{}",
  "dist/index.d.ts": "export declare const noun: number\n",
  "dist/main.js": "#!/usr/bin/env node\nexport {}\n",
  "dist/main.js.map": "{}"
}

const without = (path: string) => Object.fromEntries(Object.entries(sound).filter(([name]) => name !== path))

const problemsOf = async (files: Readonly<Record<string, string>>, changes: Partial<Manifest> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-package-"))
  for (const [path, text] of Object.entries({
    ...files,
    "package.json": JSON.stringify({ ...manifest, ...changes })
  })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const sentences = await problems(folder)
  rmSync(folder, { recursive: true })
  return sentences
}

describe("problems", () => {
  it("is empty for a valid package", async () => assert.deepStrictEqual(await problemsOf(sound), []))

  for (const [title, sentence, files, changes] of [
    ["a missing readme", /^README\.md is missing$/u, without("README.md")],
    ["a missing license", /^LICENSE is missing$/u, without("LICENSE")],
    ["an export of a missing file", /dist\/index\.d\.ts but the file does not exist/u, without("dist/index.d.ts")],
    ["a command with a missing file", /dist\/main\.js but the file does not exist/u, without("dist/main.js")],
    ["a test in the tarball", /^dist\/Noun\.test\.js is a test$/u, { ...sound, "dist/Noun.test.js": "" }],
    ["a missing source map", /^dist\/index\.js has no source map$/u, without("dist/index.js.map")],
    [
      "a range that only a workspace resolves",
      /^package\.json needs @webagent\/core as workspace:\^, which only a workspace resolves$/u,
      sound,
      { dependencies: { "@webagent/core": "workspace:^" } }
    ]
  ] as const) {
    it(`finds ${title}`, async () =>
      assert.isTrue((await problemsOf(files, changes)).some((problem) => sentence.test(problem))))
  }
})
