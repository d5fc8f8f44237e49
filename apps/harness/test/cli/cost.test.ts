import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { RunReport } from "@webagent/report/RunReport"
import { errorsOf } from "@webagent/findings/Findings"
import { describe as describeFinding } from "@webagent/findings/words/FindingText"
import { lastLineOf } from "@webagent/findings/words/RunText"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { call } from "./inProcess.ts"

const suite = fileURLToPath(new URL("paying.suite.ts", import.meta.url))

/** A hosted service whose runs complete at once; `cost` is what a completed run reports of its cost. */
const hosted = Effect.fnUntraced(function* (cost: Readonly<Record<string, unknown>>) {
  let created = 0
  const responseTo = (method = "", url = ""): readonly [status: number, body: unknown] => {
    if (url.startsWith("/api/v2/sessions/no-uuid")) return [422, { detail: [] }]
    if (url.startsWith("/api/v2/sessions/")) return [404, { detail: "Session not found" }]
    if (url === "/api/v4/runs" && method === "POST") return [200, { id: `r-${++created}`, status: "queued" }]
    const [, id, status] = /^\/api\/v4\/runs\/(r-\d+)(\/status)?$/u.exec(url) ?? []
    if (id === undefined) return [404, { detail: "Not found" }]
    return [200, status === undefined ? { id, status: "completed", ...cost } : { status: "completed" }]
  }
  const server = createServer((request, response) => {
    const [status, body] = responseTo(request.method, request.url)
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "cost-" })
  const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const { code, stderr, stdout } = yield* Effect.promise(() =>
      call(
        ["run", suite, "--target", address, "--allow-paid", "--concurrency", "1", "--trials", "5"].concat(
          ["--report-dir", directory],
          args
        ),
        { WEBAGENT_API_KEY: "wak_cost" }
      )
    )
    const text = yield* fs.readFileString(`${directory}/report.json`)
    const report = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(RunReport))(text)
    return { code, stderr, stdout, report, created: () => created }
  })
  return run
})

const limits: ReadonlyArray<readonly [what: string, args: ReadonlyArray<string>]> = [
  ["--max-cost and --trial-budget", ["--max-cost", "1.00", "--trial-budget", "0.05"]],
  ["--trial-budget alone", ["--trial-budget", "0.05"]]
]

describe("a cost limit with a service that", () => {
  it.live.each([{ totalCostUsd: "0.42" }, { totalCostUsd: 0.42 }, { cost: 0.42 }])(
    "reports the cost as %j stops the trials that exceed it",
    (cost) =>
      Effect.gen(function* () {
        const run = yield* hosted(cost)
        const { code, created, report, stdout } = yield* run(...(limits[0]?.[1] ?? []))
        assert.strictEqual(code, 1, stdout)
        assert.isBelow(created(), 5)
        assert.strictEqual(report.cost_usd, "0.42")
        const [buys, looks] = report.results
        assert.strictEqual(buys?.failure?.kind, "budget")
        assert.strictEqual(looks?.verdict, "passed")
      }).pipe(Effect.provide(NodeFileSystem.layer))
  )

  for (const [what, args] of limits) {
    it.live(`reports no cost fails with "cost unknown" after one trial: ${what}`, () =>
      Effect.gen(function* () {
        const run = yield* hosted({ price: "0.42" })
        const { code, created, report, stdout } = yield* run(...args)
        assert.strictEqual(code, 1, stdout)
        assert.strictEqual(created(), 1)
        const [buys, looks] = report.results
        const skipped: ["skipped", "CostUnknown"] = ["skipped", "CostUnknown"]
        assert.deepStrictEqual(
          buys?.trials.map(({ costUnknown, skip, verdict }) => [verdict, costUnknown ?? skip?._tag]),
          [["passed", ["r-1"]], ...Array.from({ length: 4 }, () => skipped)]
        )
        // a scenario that starts no run has nothing to limit
        assert.strictEqual(looks?.trials.filter(({ verdict }) => verdict === "passed").length, 5)
        assert.deepStrictEqual(
          report.findings?.filter(({ severity }) => severity === "error").map(({ kind }) => kind._tag),
          ["CostUnknown"]
        )
        for (const finding of errorsOf(report)) assert.include(stdout, describeFinding(finding).evidence)
        assert.include(stdout, `\n${lastLineOf(report)} · `)
      }).pipe(Effect.provide(NodeFileSystem.layer))
    )
  }

  it.live("reports no cost has no effect if no limit is set", () =>
    Effect.gen(function* () {
      const run = yield* hosted({})
      const { code, created, stdout } = yield* run()
      assert.deepStrictEqual([code, created()], [0, 5], stdout)
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
