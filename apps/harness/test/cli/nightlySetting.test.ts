import { assert, describe, it } from "@effect/vitest"
import { nightlySetting } from "@webagent/nights/NightlySetting"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import { type RunOptions, startedAs } from "../../src/cli/RunFlags.ts"
import { callIn } from "./inProcess.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "webagent-setting-"))
afterAll(() => rmSync(folder, { recursive: true }))

const suite = `import { scenario, Suite } from "@webagent/scenario/promise"

export default Suite.make("free", [
  scenario("declares no trials", ({ check }) => check.isTrue(true, "it holds"))
])
`

/** The command lines in a file that run a night: with `--record`, or a shard of one. */
const nightsIn = (path: string): ReadonlyArray<string> =>
  readFileSync(path, "utf8")
    .replaceAll("\\\n", " ")
    .split("\n")
    .flatMap((line) => /(?:harness|-- run|harness run) .*--(?:record|shard).*/u.exec(line)?.[0] ?? [])
    .filter((line) => /\brun\b/u.test(line) && !line.includes("merge"))

/** The flags of a command line, with a value in place of each variable. */
const flagsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/.*?\brun (?=-|\$)/u, "")
    .replace(/\$\{WEBAGENT_NIGHT:-(.*?)\}/u, "$1")
    .replaceAll(/\$\{WEBAGENT_TARGET:\+.*?\}/gu, "")
    .replace(/ (?:>>|\|\|| # |",?$).*/u, "")
    .replaceAll('"$WEBAGENT_TARGET"', "http://127.0.0.1:9")
    .replaceAll(/"\$SEED"|"\$\(date.*?\)"|\$\{\{.*?\}\}/gu, "1")
    .replaceAll(/"\$home\/|\$(?=night)|"/gu, "")
    .split(/\s+/u)
    .filter((word) => word !== "")

describe("the settings of a recorded night", () => {
  it("are the measured ones in each place that runs a night", async () => {
    const github = join(folder, "github")
    const gitlab = join(folder, "gitlab")
    mkdirSync(github)
    mkdirSync(gitlab)
    mkdirSync(join(gitlab, ".git"))
    writeFileSync(join(gitlab, ".git/config"), "url = git@gitlab.example:shop.git")
    await callIn(github, ["init"])
    await callIn(gitlab, ["init"])
    const places = [
      join(github, ".github/workflows/webagent-nightly.yml"),
      join(github, "package.json"),
      join(gitlab, ".gitlab-ci.yml"),
      join(root, ".github/workflows/nightly.yml"),
      join(root, "deploy/nightly/nightly.sh"),
      join(root, "docs/nightly.md")
    ]
    const project = join(folder, "project")
    const ownSetting = join(folder, "own")
    for (const one of [project, ownSetting]) {
      mkdirSync(one)
      writeFileSync(join(one, "free.suite.js"), suite)
    }
    writeFileSync(join(ownSetting, "webagent.config.json"), JSON.stringify({ nightly: { trials: 7, extraTrials: 30 } }))
    for (const place of places) {
      const lines = nightsIn(place)
      assert.isNotEmpty(lines, place)
      for (const line of lines) {
        const planned = async (where: string) => {
          const { code, stderr, stdout } = await callIn(where, ["plan", ...flagsOf(line), "--json"])
          assert.strictEqual(code, 0, `${place}: ${line}\n${stderr}`)
          const { limits, scenarios } = JSON.parse(stdout)
          return [scenarios[0].trials, limits.confirm]
        }
        assert.deepStrictEqual(await planned(project), [nightlySetting.trials, nightlySetting.confirm], line)
        // one setting of the project holds in all of them
        assert.deepStrictEqual(await planned(ownSetting), [7, 30], `${place}: ${line}`)
      }
    }
  })

  it("are in the configuration that init writes, and a page uses them for recorded nights", async () => {
    const project = join(folder, "started")
    mkdirSync(project)
    await callIn(project, ["init"])
    const { confirm, trials } = nightlySetting
    assert.include(
      readFileSync(join(project, "webagent.config.js"), "utf8").replaceAll(/\s+/gu, " "),
      `nightly: { trials: ${trials}, extraTrials: ${confirm} }`
    )
    const options = { repetition: { extraTrials: undefined, trials: undefined, nightly: { trials: 7 } } } as RunOptions
    const started = (record: boolean) => startedAs(options, { record, trial: undefined, trials: undefined })
    assert.deepInclude(started(true), { trials: 7, confirm, keepsDeclaredTrials: true })
    assert.deepInclude(started(false), { trials: undefined, confirm: undefined })
  })

  it("yield to flags and to the trials that a scenario declares or pays for", async () => {
    const project = join(folder, "declared")
    mkdirSync(project)
    writeFileSync(
      join(project, "mixed.suite.js"),
      suite.replace(
        "\n])",
        `,
  scenario("declares twenty", { trials: 20 }, ({ check }) => check.isTrue(true, "it holds")),
  scenario("costs money", { needs: ["money"] }, ({ check }) => check.isTrue(true, "it holds"))
])`
      )
    )
    const planned = async (...flags: ReadonlyArray<string>) => {
      const { stderr, stdout } = await callIn(project, ["plan", "--json", ...flags])
      assert.strictEqual(stderr, "")
      const { limits, scenarios } = JSON.parse(stdout)
      return [...scenarios.map(({ trials }: { readonly trials: number }) => trials), limits.confirm, limits.paidConfirm]
    }
    const { confirm, paidConfirm, trials } = nightlySetting
    assert.deepStrictEqual(await planned("--record"), [trials, 20, trials, confirm, undefined])
    const paid = ["--record", "--target", "http://127.0.0.1:9", "--allow-paid"]
    assert.deepStrictEqual(await planned(...paid), [trials, 20, 1, confirm, paidConfirm])
    assert.deepStrictEqual(await planned(...paid, "--max-cost", "5", "--trial-budget", "1"), [
      trials,
      20,
      1,
      confirm,
      undefined
    ])
    assert.deepStrictEqual(await planned(...paid, "--trials", "2", "--extra-trials", "0"), [
      2,
      2,
      2,
      undefined,
      undefined
    ])
    assert.deepStrictEqual(await planned("--record", "--trial", "1"), [1, 1, 1, undefined, undefined])
    assert.deepStrictEqual(await planned(), [1, 20, 1, undefined, undefined])
  })
})
