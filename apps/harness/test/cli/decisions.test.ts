import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { program } from "../../src/cli/Program.ts"
import { mornings } from "../mornings/mornings.ts"
import { call } from "./inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-decisions-"))
afterAll(() => rmSync(folder, { recursive: true }))

const { nights } = mornings["one failure"]
const last = nights.at(-1)
const history = join(folder, "history.ndjson")
const file = join(folder, "quarantine.json")
writeFileSync(history, nights.map((night) => `${JSON.stringify(night)}\n`).join(""))

/** A day from now, as a flag takes it. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const quarantine = (...words: ReadonlyArray<string>) => call(["quarantine", ...words, "--quarantine", file])
const add = (scenario: string, ...more: ReadonlyArray<string>) =>
  quarantine("add", scenario, "--history", history, "--reason", "the bank is slow", "--until", day(5), ...more)

describe("quarantine", () => {
  it("adds an entry with the scenario's owner, and lists, changes and removes it", async () => {
    assert.deepStrictEqual(await quarantine(), {
      code: 2,
      stdout: "",
      stderr: `--quarantine: ${file} does not exist.\n`
    })
    assert.deepStrictEqual(await add("buys a mug"), {
      code: 0,
      stdout: `In quarantine: shop › buys a mug until ${day(5)}, owner checkout team.\n`,
      stderr: ""
    })
    const [entry] = JSON.parse(readFileSync(file, "utf8")).entries
    assert.deepInclude(entry, { suite: "shop", scenario: "buys a mug", owner: "checkout team", expires: day(5) })
    const changed = await add("shop > buys a mug", "--owner", "ada")
    assert.include(changed.stdout, `owner ada. Before: until ${day(5)}, owner checkout team.`)
    const listed = await quarantine()
    assert.strictEqual(listed.stdout, `shop › buys a mug  until ${day(5)}, owner ada: the bank is slow\n`)
    const removed = await quarantine("remove", "buys a mug")
    assert.strictEqual(removed.stdout, "Removed from quarantine: shop › buys a mug, which ada owned.\n")
    assert.strictEqual((await quarantine()).stdout, "No scenario is in quarantine.\n")
  })

  it("refuses invalid changes with one sentence", async () => {
    const refusals = [
      [await add("sells"), `No scenario is named "sells". See: ${program} list\n`],
      [await add("pay"), 'No scenario is named "pay". Did you mean "shop > pays"?\n'],
      [
        await add("shop > buy a mug", "--owner", "ada"),
        'No scenario is named "shop > buy a mug". Did you mean "shop > buys a mug"?\n'
      ],
      [await quarantine("remove", "pays"), '"pays" is not in quarantine.\n'],
      [await quarantine("remove", "shop > pays"), `${file}: "shop › pays" is not in quarantine.\n`]
    ] as const
    for (const [{ code, stderr }, sentence] of refusals) assert.deepStrictEqual([code, stderr], [2, sentence])
    const late = await quarantine("add", "pays", "--history", history, "--reason", "x", "--until", day(60))
    const allowed = `Choose a day from ${day(0)} to ${day(30)}.\n`
    assert.strictEqual(
      late.stderr,
      `${day(60)} is too far away, because a quarantine lasts at most 30 days. ${allowed}`
    )
    const past = await quarantine("add", "pays", "--history", history, "--reason", "x", "--until", day(-1))
    assert.strictEqual(past.stderr, `${day(-1)} is in the past. ${allowed}`)
    const refused = async (...flags: ReadonlyArray<string>) =>
      (await quarantine("add", "pays", "--history", history, ...flags)).stderr
    assert.deepStrictEqual(
      [
        await refused("--reason", "...", "--until", day(5)),
        await refused("--reason", "x", "--until", day(5), "--owner", "..."),
        await refused("--reason", "x", "--until", "DAY")
      ],
      [
        '--reason is "...". Write why it fails there.\n',
        '--owner is "...". Write who fixes it there.\n',
        '--until must be a day such as 2026-12-01, got "DAY".\n'
      ]
    )
  })
})

describe("history accept", () => {
  it("identifies a night by its start, and refuses the placeholder of a suggested command", async () => {
    const slower = join(folder, "slower.ndjson")
    const { nights } = mornings.slower
    writeFileSync(slower, nights.map((night) => `${JSON.stringify(night)}\n`).join(""))
    const start = nights.at(-1)?.startedAt.slice(0, 19) ?? ""
    const accept = (note: string) => call(["history", "accept", start, "--history", slower, "--note", note])
    const [dots, done] = [await accept("..."), await accept("the new shop is slower")]
    assert.deepStrictEqual(
      [dots.code, dots.stderr],
      [2, '--note is "...". Write why the new level is intended there.\n']
    )
    assert.strictEqual(done.code, 0)
    assert.include(done.stdout, `of night ${nights.at(-1)?.id}.`)
  })
})

describe("history acknowledge", () => {
  const acknowledge = (...more: ReadonlyArray<string>) =>
    call(["history", "acknowledge", "last", "--history", history, "--owner", "ada", ...more])

  it("adds a line that later nights show", async () => {
    const { code, stdout } = await acknowledge("--scenario", "buys a mug", "--until", day(3), "--note", "rolling back")
    assert.deepStrictEqual(
      [code, stdout],
      [
        0,
        `Acknowledged: "shop > buys a mug" of night ${last?.id} by ada. No reminders until ${day(3)}, or until it is over.\n`
      ]
    )
    const line = readFileSync(history, "utf8").trim().split("\n").at(-1) ?? ""
    assert.deepInclude(JSON.parse(line), { kind: "acknowledged", night: last?.id, owner: "ada", note: "rolling back" })
    assert.strictEqual((await call(["history", "--history", history])).code, 0)
  })

  it("refuses a scenario without a problem, and an invalid date", async () => {
    const other = await acknowledge("--scenario", "pays")
    assert.deepStrictEqual(
      [other.code, other.stderr],
      [2, `Scenario "pays" had no problem in night ${last?.id}. These did: "shop > buys a mug".\n`]
    )
    assert.match((await acknowledge("--until", "soon")).stderr, /^Expected a day such as 2026-12-01, got "soon"\.\n$/u)
  })
})
