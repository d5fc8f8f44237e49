import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bundleOurs } from "../../src/clients/Bundle.ts"
import { measureCalls, type Tools, works } from "../../src/clients/Calls.ts"
import { callers, waiters } from "../../src/clients/Contestants.ts"
import { measureWaits } from "../../src/clients/Waits.ts"

const installed = fileURLToPath(new URL("../../peers", import.meta.url))
let folder = ""
let tools: Tools

// those that need no peer to be installed
const named = (...names: ReadonlyArray<string>) => callers.filter(({ name }) => names.includes(name))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "webagent-clients-test-"))
  tools = {
    modules: { installed, ours: await bundleOurs(folder) },
    pinning: { onServerCore: (command) => command, onLoadCore: (command) => command, text: "not pinned" },
    log: () => {}
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("Calls", () => {
  it("do the same through Effect and promises as manual fetch calls", async () => {
    const settings = { rounds: 2, window_ms: 30, warmup_ms: 10, concurrency: 2, polls: 3 }
    const costs = await measureCalls(named("effect-fetch", "promise-fetch", "raw-fetch"), settings, tools)
    assert.deepStrictEqual(
      costs.map(({ name }) => name),
      ["effect-fetch", "promise-fetch", "raw-fetch"]
    )
    for (const { cpu_us } of costs) {
      for (const work of works) {
        assert.lengthOf(cpu_us[work], 2)
        assert.isTrue(cpu_us[work].every((cost) => cost > 0 && Number.isFinite(cost)))
      }
    }
  })

  it("end waits after their runs, and measure the waiting process", async () => {
    const [waiter] = waiters.filter(({ name }) => name === "promise-undici")
    if (waiter === undefined) throw new Error("there is no promise-undici waiter")
    const settings = { waits: 3, from_ms: 0, to_ms: 0, watched_ms: 20_000, weighedAfter_ms: 10 }
    const waited = await measureWaits({ ...waiter, name: "promise-fetch" }, settings, tools)
    assert.deepInclude(waited, { waits: 3, polls: 3, ended: 3, failed: 0 })
    assert.isTrue(Number(waited.delay_ms?.max) >= 0)
    assert.isTrue(Number(waited.memory?.standing.rss_MB) > 20)
  })
})
