import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll } from "vitest"
import { callIn } from "./inProcess.ts"
import { shout } from "./lastLine.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-init-"))
afterAll(() => rmSync(folder, { recursive: true }))

const project = (name: string, files: Readonly<Record<string, string>> = {}) => {
  const root = join(folder, name)
  mkdirSync(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const filesIn = (root: string) =>
  globSync("{*,.gitignore,.gitlab-ci.yml,.github/**/*,*/**}", { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted()

const textOf = (root: string, file: string) => readFileSync(join(root, file), "utf8")

describe("init", () => {
  it.each([
    ["npm", "package-lock.json", "npm install -D"],
    ["pnpm", "pnpm-lock.yaml", "pnpm add -D"],
    ["yarn", "yarn.lock", "yarn add -D"],
    ["bun", "bun.lock", "bun add -d"]
  ])("prints a command for %s that leaves the app's dependencies unchanged", async (name, lock, add) => {
    const dependencies = { "@webagent/scenario": "0.0.0", "@webagent/v4": "0.0.0", react: "19" }
    const root = project(`app-${name}`, { [lock]: "", "package.json": JSON.stringify({ dependencies }) })
    const { stdout } = await callIn(root, ["init"])
    assert.deepStrictEqual(stdout.match(/^install +.*$/gmu), [`install     ${add} webagent-harness`])
    assert.deepStrictEqual(JSON.parse(textOf(root, "package.json")).dependencies, dependencies)
    assert.notProperty(JSON.parse(textOf(root, "package.json")), "devDependencies")
  })

  it("sets up an empty folder, whose first suite passes; a second time it writes nothing", async () => {
    const root = project("empty")
    const dry = await callIn(root, ["init", "--dry-run"])
    assert.match(dry.stdout, /^would add +\.gitignore/mu)
    assert.deepStrictEqual(filesIn(root), [])
    const { code, stderr } = await callIn(root, ["init"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const written = [
      ".github/workflows/webagent-nightly.yml",
      ".gitignore",
      "package.json",
      "suites/first.suite.js",
      "webagent.config.js"
    ]
    assert.deepStrictEqual(filesIn(root), written)
    // so that npm run harness -- run works, as the documentation says
    assert.strictEqual(JSON.parse(textOf(root, "package.json")).scripts.harness, "webagent-harness")
    const texts = written.map((file) => textOf(root, file))
    const ran = await callIn(root, ["run", "--reporter", "console"])
    assert.deepStrictEqual([ran.code, ran.stderr], [0, ""])
    assert.include(ran.stdout, `\n${shout("passed")}: `)
    const listed = await callIn(root, ["list"])
    assert.deepStrictEqual([listed.code, listed.stderr], [0, ""])
    assert.include(listed.stdout, "first")
    const again = await callIn(root, ["init"])
    assert.notMatch(again.stdout, /^(?:wrote|added)/mu)
    assert.lengthOf(again.stdout.match(/^left alone/gmu) ?? [], 3)
    assert.deepStrictEqual(
      written.map((file) => textOf(root, file)),
      texts
    )
  })

  it("runs one suite of a configuration that limits another one", async () => {
    const root = project("limits")
    await callIn(root, ["init"])
    const first = textOf(root, "suites/first.suite.js")
    writeFileSync(join(root, "suites/second.suite.mjs"), first.replaceAll('"first"', '"second"'))
    const config = textOf(root, "webagent.config.js")
    const limits = 'limits: { first: { maxDuration: "30s" }, second: { maxDuration: "30s" } },\n  suites'
    writeFileSync(join(root, "webagent.config.js"), config.replace("suites", limits))
    const both = await callIn(root, ["run", "--reporter", "console"])
    assert.include(both.stdout, `\n${shout("passed")}: `, both.stderr)
    const one = await callIn(root, ["run", "suites/first.suite.js", "--reporter", "console"])
    assert.deepStrictEqual([one.code, one.stderr], [0, ""])
  })

  it("detects TypeScript, the package manager, the git host and vitest, and changes no script", async () => {
    const manifest = {
      name: "shop",
      scripts: { harness: "mine" },
      devDependencies: { typescript: "6", vitest: "5", "webagent-harness": "0.0.0", "@webagent/scenario": "0.0.0" }
    }
    const root = project("shop", {
      ".git/config": '[remote "origin"]\n  url = git@gitlab.example:shop.git\n',
      "pnpm-lock.yaml": "",
      ".gitignore": "node_modules\n/report",
      "package.json": `${JSON.stringify(manifest, null, 4)}\n`
    })
    const { code, stderr, stdout } = await callIn(root, ["init"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.include(stdout, "vitest does not run *.suite files")
    assert.notInclude(stdout, "install")
    assert.isTrue(existsSync(join(root, "webagent.config.mts")) && existsSync(join(root, "suites/first.suite.mts")))
    assert.include(
      textOf(root, ".gitlab-ci.yml"),
      "    - pnpm install --frozen-lockfile\n    - pnpm exec webagent-harness run"
    )
    assert.match(textOf(root, ".gitlab-ci.yml"), /\n {2}cache:\n(?: {4}.*\n)* {4}when: always\n/u)
    assert.strictEqual(textOf(root, ".gitignore"), "node_modules\n/report\n.webagent/\n")
    const changed = textOf(root, "package.json")
    assert.include(changed, '\n    "scripts": {\n        "harness": "mine",\n        "harness:nightly"')
  })

  it("puts a project's workflow at the root of its repository", async () => {
    const root = project("mono", { ".git/config": "", "apps/shop/package.json": "{}", "package-lock.json": "{}" })
    const { code } = await callIn(join(root, "apps/shop"), ["init"])
    assert.strictEqual(code, 0)
    const workflow = textOf(root, ".github/workflows/webagent-nightly.yml")
    assert.include(workflow, "working-directory: apps/shop")
    assert.include(workflow, "path: apps/shop/report")
    assert.lengthOf(workflow.match(/path: apps\/shop\/\.webagent\/history\.ndjson/gu) ?? [], 2)
  })

  it("keeps the history of a failed night, because GitHub always runs the step that saves it", async () => {
    const root = project("kept")
    await callIn(root, ["init"])
    const steps = textOf(root, ".github/workflows/webagent-nightly.yml").split("\n      - ")
    const indexOf = (text: string) => steps.findIndex((step) => step.includes(text))
    const order = ["actions/cache/restore@", "webagent-harness run", "actions/cache/save@"].map(indexOf)
    assert.deepStrictEqual(
      order,
      order.toSorted((a, b) => a - b)
    )
    assert.isTrue(order.every((index) => index >= 0))
    assert.match(steps[order[2] ?? 0] ?? "", /^if: always\(\)/u)
    const keys = steps.flatMap((step) => /\n +key: (.+)/u.exec(step)?.[1] ?? [])
    assert.strictEqual(keys.length, 2)
    assert.strictEqual(keys[0], keys[1])
  })

  it("reports an unreadable package.json in one line, and writes nothing", async () => {
    const root = project("broken", { "package.json": "{ name: shop }" })
    const { code, stderr } = await callIn(root, ["init"])
    assert.strictEqual(code, 2)
    assert.match(stderr, /^package\.json is not JSON: .+\. Correct it\.\n$/u)
    assert.deepStrictEqual(filesIn(root), ["package.json"])
  })
})
