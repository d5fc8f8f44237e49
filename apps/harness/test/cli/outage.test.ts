import { assert, describe, it } from "@effect/vitest"
import * as NightFile from "@webagent/nights/NightFile"
import * as Result from "effect/Result"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as NightText from "@webagent/findings/words/NightText"
import * as OutageText from "@webagent/findings/words/OutageText"
import type { Night } from "@webagent/nights/Night"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { call } from "./inProcess.ts"
import { shout } from "./lastLine.ts"
import { type Started, start } from "./program.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-outage-"))
afterAll(() => rmSync(folder, { recursive: true }))

const key = { WEBAGENT_API_KEY: "wak_test" }

const serve = async (port = "0") => {
  const server = start(["serve", "--port", port, "--quiet"])
  const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/u.exec(await server.says("try it")) ?? []
  return { server, address }
}

const kill = async (server: Started) => {
  server.signal("SIGKILL")
  await server.ended
}

const pathsOf = (name: string) => ({ report: join(folder, name), history: join(folder, `${name}.ndjson`) })

/** Begins a recorded night and kills its server while a trial runs. */
const interrupted = async (name: string, ...flags: ReadonlyArray<string>) => {
  const { address, server } = await serve()
  const { history, report } = pathsOf(name)
  const args = ["run", "test/cli/outage.suite.ts", "--target", address, "--record", "--history", history]
  const night = start([...args, "--report-dir", report, "--timeout", "9m", "--concurrency", "2", ...flags], key)
  await night.says("until the service is away")
  await kill(server)
  await night.says("the service is unreachable since")
  return { night, port: new URL(address).port }
}

const reportOf = (name: string): RunReport =>
  JSON.parse(readFileSync(join(pathsOf(name).report, "report.json"), "utf8"))

const nightsOf = (name: string) => {
  const path = pathsOf(name).history
  return Result.getOrThrow(NightFile.parse(readFileSync(path, "utf8"), path)).nights
}

const count = (results: ReadonlyArray<ScenarioResult>, verdict: string) =>
  results.flatMap(({ trials }) => trials).filter((trial) => trial.verdict === verdict).length

const titleOf = (night: Night | undefined) =>
  night === undefined ? "" : NightText.titleOf({ ...night, findings: night.findings ?? [] })

describe("an outage of the service", () => {
  it("in the middle of a night delays trials, and overlapping ones don't count for durations", async () => {
    const { night, port } = await interrupted("back")
    const { server } = await serve(port)
    const { stderr } = await night.ended
    await kill(server)
    const { outages = [], results } = reportOf("back")
    assert.strictEqual(outages.length, 1, stderr)
    assert.isNotNull(outages[0]?.to)
    // each trial was scored, and at most the two that ran then were run again
    assert.strictEqual(count(results, "passed"), 25, JSON.stringify(results))
    const all = results.flatMap(({ trials }) => trials)
    assert.isAtMost(all.flatMap(({ reruns }) => reruns).length, 2)
    assert.isTrue(all[0]?.overlapsOutage)
    const [last] = nightsOf("back")
    assert.isTrue(titleOf(last)?.startsWith(`${OutageText.title(outages, false)} · `))
    const overlapping = all.filter(({ overlapsOutage }) => overlapsOutage).length
    const timed = last?.scenarios.reduce((sum, { durations }) => sum + (durations?.count ?? 0), 0)
    assert.strictEqual(timed, 25 - overlapping)
    assert.isUndefined(last?.tag)
  })

  it("in the middle of a night that never ends makes the night partial, and loses few trials", async () => {
    const { night } = await interrupted("gone", "--max-outage", "1s")
    const { code, stdout } = await night.ended
    assert.strictEqual(code, 1)
    const { findings = [], outages = [], results } = reportOf("gone")
    assert.include(stdout, `\n${shout("failed")}: ${OutageText.title(outages, false)}`)
    assert.deepStrictEqual(
      outages.map(({ to }) => to),
      [null]
    )
    assert.deepStrictEqual([findings[0]?.severity, findings[0]?.kind._tag], ["error", "ServiceAway"])
    const skips = findings.flatMap(({ kind }) => (kind._tag === "NotRun" ? [kind.skip?._tag] : []))
    assert.include(skips, "ServiceAway")
    assert.isAtMost(count(results, "infra") + count(results, "failed"), 2)
    const [last] = nightsOf("gone")
    assert.deepStrictEqual(last?.partial, { _tag: "ServiceAway", isWhole: false })
    // --last-failed repeats the scenarios that the outage skipped
    const skipped = results.filter(({ skip, trials }) =>
      [skip, ...trials.map((trial) => trial.skip)].some((one) => one)
    )
    assert.isNotEmpty(skipped)
    const again = [
      "plan",
      "test/cli/outage.suite.ts",
      "--last-failed",
      "--report-dir",
      pathsOf("gone").report,
      "--json"
    ]
    const plan = JSON.stringify((await call(again)).stdout)
    for (const { name } of skipped) assert.include(plan, name)
  })

  it("at the start of a night makes a recorded night with a report and a notification, and exit code 3", async () => {
    const unused = createServer()
    await new Promise<void>((resolve) => unused.listen(0, "127.0.0.1", resolve))
    const { port } = unused.address() as AddressInfo
    await new Promise((resolve) => unused.close(resolve))
    const { history, report } = pathsOf("down")
    const told = join(folder, "told.json")
    const args = ["run", "versions", "--target", `http://127.0.0.1:${port}`, "--history", history]
    const night = [...args, "--record", "--report-dir", report, "--notify", `command=cat > "${told}"`]
    const { code, stderr, stdout } = await call(night, key)
    assert.strictEqual(code, 3)
    assert.match(stderr, /^Nothing answers at http:\/\/127\.0\.0\.1:\d+ \(connection refused\)\./u)
    assert.include(stdout, `\n${shout("failed")}: `)
    const [last] = nightsOf("down")
    assert.deepStrictEqual(
      [last?.tag, last?.status, last?.partial],
      ["service away", "failed", { _tag: "ServiceAway", isWhole: true }]
    )
    assert.deepStrictEqual(
      reportOf("down").outages?.map(({ why }) => why),
      [`Nothing answers at http://127.0.0.1:${port} (connection refused)`]
    )
    assert.lengthOf(reportOf("down").findings?.filter(({ severity }) => severity === "error") ?? [], 1)
    assert.isTrue(existsSync(join(report, "report.html")))
    assert.include(JSON.parse(readFileSync(told, "utf8")).title, OutageText.title(reportOf("down").outages ?? [], true))
    assert.include(
      (await call(["history", "--history", history])).stdout,
      `: ${OutageText.title(reportOf("down").outages ?? [], true)}`
    )
    // one whose key is refused never ran either
    const { address, server } = await serve()
    const refused = ["run", "versions", "--target", address, "--record", "--history", join(folder, "refused.ndjson")]
    const other = await call([...refused, "--report-dir", join(folder, "refused")], { WEBAGENT_API_KEY: "wak_other" })
    assert.deepStrictEqual([other.code, nightsOf("refused")[0]?.tag], [3, "service away"])
    await kill(server)
    // one that is not recorded leaves nothing
    const plain = await call([...args, "--report-dir", join(folder, "plain")], key)
    assert.deepStrictEqual([plain.code, plain.stdout, existsSync(join(folder, "plain"))], [3, "", false])
  })
})
