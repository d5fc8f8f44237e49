import { assert, describe, it } from "@effect/vitest"
import { RunReport } from "@webagent/report/RunReport"
import * as Schema from "effect/Schema"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "vitest"
import { type Served, serve } from "./served.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-ui-paid-"))
const suite = fileURLToPath(new URL("../cli/paying.suite.ts", import.meta.url))
const buys = { suite: "paying", name: "buys" }
const looks = { suite: "paying", name: "looks" }

let created = 0
let cost: Readonly<Record<string, string>> = {}

/** A hosted service whose runs complete at once, with the cost that a test sets. */
const service = createServer(({ method, url = "" }, response) => {
  const [, id, status] = /^\/api\/v4\/runs\/(r-\d+)(\/status)?$/u.exec(url) ?? []
  const [code, body] = url.startsWith("/api/v2/sessions/no-uuid")
    ? [422, { detail: [] }]
    : url === "/api/v4/runs" && method === "POST"
      ? [200, { id: `r-${++created}`, status: "queued" }]
      : id === undefined
        ? [404, { detail: "Not found" }]
        : [200, { id, status: "completed", ...(status === undefined ? cost : {}) }]
  response.writeHead(Number(code), { "content-type": "application/json" }).end(JSON.stringify(body))
})

let target = ""
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
  target = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
})
afterAll(() => {
  service.close().closeAllConnections()
  rmSync(folder, { recursive: true })
})

const start = (...args: ReadonlyArray<string>): Promise<Served> =>
  serve(folder, ["--suite", suite, "--target", target, ...args], { WEBAGENT_API_KEY: "wak_paid" })

const runOnce = async (ui: Served) => {
  const { id } = await ui.read(({ actions }) => actions.start({ scenarios: [buys, looks] }))
  await ui.follow({ run: id, after: 0 }, ({ _tag }) => _tag === "Finished")
  const text = readFileSync(join(folder, ".webagent", "runs", id, "report.json"), "utf8")
  const { cost_usd, header, results } = Schema.decodeUnknownSync(Schema.fromJsonString(RunReport))(text)
  const verdicts = results.map(({ name, skip, verdict }) => `${name}: ${skip?._tag ?? verdict}`)
  return { cost_usd, limit_usd: header.limits.cost_usd, verdicts }
}

const stop = async (ui: Served) => {
  ui.program.signal("SIGINT")
  assert.strictEqual((await ui.program.ended).code, 0)
}

const limited = ["--allow-paid", "--max-cost", "0.84", "--trial-budget", "0.42"]

describe("paid runs that a page starts", () => {
  it("cost no more than --max-cost in total, and are refused when it is used up", { timeout: 180_000 }, async () => {
    ;[created, cost] = [0, { totalCostUsd: "0.42" }]
    const ui = await start(...limited)
    const both = ["buys: passed", "looks: passed"]
    assert.deepStrictEqual(await runOnce(ui), { cost_usd: "0.42", limit_usd: "0.84", verdicts: both })
    assert.deepStrictEqual(await runOnce(ui), { cost_usd: "0.42", limit_usd: "0.42", verdicts: both })
    const { detail } = await ui.refused(({ actions }) => actions.start({ scenarios: [buys] }))
    assert.include(detail, "used up --max-cost 0.84")
    assert.strictEqual(created, 2)
    // a simulated service is free
    const { id } = await ui.read(({ actions }) => actions.start({ scenarios: [looks], target: "simulated" }))
    await ui.follow({ run: id, after: 0 }, ({ _tag }) => _tag === "Finished")
    await stop(ui)
  })

  it("count as their limit if the service reports no cost", { timeout: 180_000 }, async () => {
    ;[created, cost] = [0, {}]
    const ui = await start(...limited)
    await runOnce(ui)
    const { detail } = await ui.refused(({ actions }) => actions.start({ scenarios: [buys] }))
    assert.include(detail, "used up --max-cost 0.84")
    assert.strictEqual(created, 1)
    await stop(ui)
  })

  it("skip paid scenarios without --allow-paid", { timeout: 180_000 }, async () => {
    created = 0
    const ui = await start()
    assert.isFalse((await ui.read(({ project }) => project)).can.pay)
    assert.deepStrictEqual((await runOnce(ui)).verdicts, ["buys: Unserved", "looks: passed"])
    assert.strictEqual(created, 0)
    await stop(ui)
  })
})
