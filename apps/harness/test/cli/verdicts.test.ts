import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { RunReport } from "@webagent/report/RunReport"
import * as SkipText from "@webagent/findings/words/SkipText"
import { call } from "./inProcess.ts"
import { shout } from "./lastLine.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-verdicts-"))
const suite = join(folder, "verdicts.suite.ts")
writeFileSync(
  suite,
  `import { check, Oracle, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
const asks = (path: string) => function* ({ request }) {
  yield* check.status(yield* request("v4", { method: "GET", path }), 404)
}
export default Suite.make("verdicts", [
  scenario("comes back", asks("/runs/once")),
  scenario("stays away", asks("/runs/never")),
  scenario("is broken", asks("/runs/broken")),
  scenario("is blind", function* () {
    yield* check.oracle("the order exists", Oracle.make(Effect.fail(new Error("no database")), () => Oracle.holds("")))
  })
])
`
)

let asked = 0
/** Looks like a foreign service. One run answers 503 the first time, one always, and one answers 500. */
const service = createServer((request, response) => {
  const answer = (status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  const { url = "" } = request
  if (url.endsWith("/no-uuid")) return answer(422, { detail: [] })
  if (url.includes("/v2/sessions/")) return answer(404, { detail: "Session not found" })
  if (url.endsWith("/never") || (url.endsWith("/once") && asked++ === 0)) return answer(503, { detail: "away" })
  return answer(url.endsWith("/broken") ? 500 : 404, { detail: "Run not found" })
})
let target = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
  target = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
})

afterAll(() => {
  service.close()
  rmSync(folder, { recursive: true })
})

describe("verdicts", () => {
  it("distinguish failures from infrastructure errors, which run again", async () => {
    const directory = join(folder, "report")
    const args = ["run", suite, "--target", target, "--report-dir", directory, "--reporter", "console,json"]
    const { code, stderr, stdout } = await call(args, { WEBAGENT_API_KEY: "wak_x" })
    assert.deepStrictEqual([code, stderr], [1, ""])
    const text = readFileSync(join(directory, "report.json"), "utf8")
    const { header, results } = Schema.decodeUnknownSync(Schema.fromJsonString(RunReport))(text)
    assert.strictEqual(header.limits.reruns, 3)
    assert.deepStrictEqual(
      results.map(({ name, notRerun, reason, trials: [trial], verdict }) => [
        name,
        verdict,
        trial?.reruns.length,
        reason,
        notRerun
      ]),
      [
        ["comes back", "passed", 1, undefined, undefined],
        ["stays away", "infra", 2, "HTTP 503", { _tag: "FailedAgain", reruns: 2 }],
        ["is broken", "failed", 0, undefined, undefined],
        ["is blind", "unscored", 0, "an oracle failed: Error: no database", undefined]
      ]
    )
    assert.strictEqual(results[0]?.trials[0]?.reruns[0]?.failure.request?.status, 503)
    assert.match(stdout, /\n {2}✗ verdicts › is broken +[\d.]+ m?s\n/u)
    assert.match(stdout, /\n {2}✗ verdicts › stays away +[\d.]+ m?s\n/u)
    assert.match(stdout, /\n {2}✗ verdicts › is blind/u)
    assert.include(stdout, `\n${shout("failed")}: `)
  })

  it("come with a replay command that runs only that trial, with its seed", async () => {
    const directory = join(folder, "replayed")
    const args = ["run", suite, "--target", target, "--report-dir", directory, "--reporter", "console,json"]
    const choice = ["--name", "is broken", "--reruns", "0"]
    const all = await call([...args, ...choice, "--trials", "2"], { WEBAGENT_API_KEY: "wak_x" })
    assert.match(all.stdout, /replay {4}npm run harness -- run .* --name "is broken" .*--trial 1 --seed 1\n/u)
    const decode = Schema.decodeUnknownSync(Schema.fromJsonString(RunReport))
    const read = () => decode(readFileSync(join(directory, "report.json"), "utf8")).results[0]?.trials ?? []
    const second = read()[1]
    assert.strictEqual((await call([...args, ...choice, "--trial", "2"], { WEBAGENT_API_KEY: "wak_x" })).code, 1)
    assert.deepStrictEqual(
      read().map(({ index, seed }) => [index, seed]),
      [[1, second?.seed]]
    )
  })

  it("mention scenarios that a limit kept from running, without failing", async () => {
    const args = ["run", "versions", "--target", target, "--reporter", "console", "--name", "own base", "--trials", "4"]
    const { code, stdout } = await call([...args, "--max-requests", "5", "--concurrency", "1"], {
      WEBAGENT_API_KEY: "wak_x"
    })
    assert.strictEqual(code, 0, stdout)
    assert.match(stdout, /\n {4}\d skipped: \S/u)
    assert.include(stdout, ` skipped: ${SkipText.text({ _tag: "RequestLimit", limit: 5 })}\n`)
    assert.match(stdout, /\n[^\n]+ · \d skipped · \d+ trials not run · /u)
  })
})
