import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { apiKey } from "../../src/measure/ServerProcess.ts"
import { measureSoak, type Soak } from "../../src/soak/soak.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "webagent-soak-test-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const none = { p50: [], p95: [], p99: [] }

/** Stands in for k6, which is built only to measure: makes browsers and leaves some open. */
const leaving =
  (browsers: number): Soak =>
  async (url) => {
    for (let made = 0; made < browsers; made++) {
      const answer = await fetch(`${url}/api/v4/browsers`, {
        method: "POST",
        headers: { "x-service-api-key": apiKey, "content-type": "application/json" },
        body: "{}"
      })
      assert.strictEqual(answer.status, 201)
    }
    const requests = { count: browsers, p50: 1, p95: 1, p99: 1, max: 1 }
    return {
      report: {
        rate: 1,
        duration_ms: 100,
        verdict: "passed",
        measurements: { throughput: 1, errors: 0, requests, operations: {} },
        metrics: {}
      },
      series: { step_ms: 1000, operations: [], time_to_terminal: none }
    }
  }

describe.runIf(process.platform === "linux")("soak", () => {
  it("our server is weighed while the load lasts, and asked at the end what it still has", async () => {
    const { findings, moments } = await measureSoak(folder, leaving(3), { every_s: 0.01, collectEvery: 1 })
    assert.strictEqual(findings.browsersOpen, 3)
    assert.strictEqual(findings.verdicts["browsers-left-open"], 3)
    assert.strictEqual(findings.verdicts["created-twice"], 0)
    assert.isAtLeast(moments.length, 1)
    assert.isTrue(
      moments.every(({ heap_MB, rss_MB }) => rss_MB > 20 && Number(heap_MB) > 5 && Number(heap_MB) < rss_MB)
    )
  })

  it("a load that fails ends the bench, and the server with it", async () => {
    let address = ""
    const broken: Soak = (url) => {
      address = url
      return Promise.reject(new Error("no k6"))
    }
    const error = await measureSoak(folder, broken, { every_s: 0.01, collectEvery: 1 }).catch((cause: unknown) => cause)
    assert.include(String(error), "no k6")
    const gone = await fetch(address).then(
      () => false,
      () => true
    )
    assert.isTrue(gone)
  })
})
