import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bundleServer } from "../../src/measure/Bundle.ts"
import type { Pinning } from "../../src/measure/Pinning.ts"
import type { Load, LoadRequest } from "../../src/measure/Load.ts"
import { type Contestant, measure, type Settings } from "../../src/simulated/Measurement.ts"
import { contestant, peers } from "../../src/simulated/Peers.ts"

const installed = fileURLToPath(new URL("../../peers", import.meta.url))
const settings: Settings = {
  rounds: 2,
  window_s: 0.1,
  warmup_s: 0.1,
  starts: 1,
  connections: 2,
  liveRuns: 50,
  settle_s: 0
}
const pinning: Pinning = { onServerCore: (command) => command, onLoadCore: (command) => command, text: "not pinned" }
const log = () => {}

let folder = ""
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "webagent-bench-test-"))
  await bundleServer(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the load does on one connection, in place of autocannon, which is installed only to measure. */
const once = async ({ apiKey, url, work }: LoadRequest): Promise<ReadonlyArray<number>> => {
  const headers = { "x-service-api-key": apiKey, "content-type": "application/json" }
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers })
    await answer.arrayBuffer()
    return answer.status
  }
  if (work.kind === "read") return [await read(work.path)]
  const created = await fetch(`${url}/api/v4/runs`, { method: "POST", headers, body: `{"task":"Find a red mug"}` })
  const { id } = (await created.json()) as { readonly id: string }
  if (work.kind === "create") return [created.status]
  return [created.status, await read(`/api/v4/runs/${id}/status`), await read(`/api/v4/runs/${id}`)]
}

const load: Load = async (request) => {
  const end = performance.now() + request.duration_s * 1000
  const amount = request.work.kind === "create" ? request.work.amount : Number.POSITIVE_INFINITY
  const statuses: Array<number> = []
  // once at least, also where the time was over before it had begun
  do statuses.push(...(await once(request)))
  while (request.work.kind === "create" ? statuses.length < amount : performance.now() < end)
  const answers = statuses.filter((status) => status < 300).length
  return { answers, others: statuses.length - answers, errors: 0, duration_s: 0.1, p50_ms: 1, p99_ms: 1 }
}

const named = (name: string): Contestant => {
  const peer = peers.find((candidate) => candidate.name === name)
  const prepared = peer && contestant(peer, { folder, installed, bundle: join(folder, "server.mjs") })
  if (typeof prepared !== "object") throw new Error(prepared ?? `no peer ${name}`)
  return prepared
}

describe.runIf(process.platform === "linux")("Measurement", () => {
  it("measures our bundled server and a hand-written one doing the same work", async () => {
    const measured = await measure([named("ours"), named("node-http")], settings, { load, pinning, log })
    assert.deepStrictEqual(
      measured.map(({ name }) => name),
      ["ours", "node-http"]
    )
    for (const { live, rssAfter_MB, rssBefore_MB, samples, served, starts } of measured) {
      assert.lengthOf(starts, 1)
      assert.isTrue(starts.every(({ cpu_s, took_ms }) => cpu_s > 0 && took_ms > 10))
      for (const workload of ["status", "session", "flow"] as const) {
        assert.lengthOf(samples[workload] ?? [], settings.rounds)
        assert.isTrue(samples[workload]?.every(({ cpu_us, requests }) => requests > 0 && cpu_us >= 0))
      }
      assert.isTrue(rssBefore_MB > 10 && rssAfter_MB > 10)
      assert.isTrue(served > 0)
      assert.strictEqual(live?.runs, 50)
      assert.isTrue(Number(live?.rss_MB) > 10 && Number(live?.collected_MB) > 10)
    }
  })

  it("fails if a server returns something else, instead of calling it fast", async () => {
    const refused: Load = (request) => load({ ...request, apiKey: "another" })
    const error = await measure([named("node-http")], { ...settings, liveRuns: 0 }, { load: refused, pinning, log })
      .then(() => undefined)
      .catch((error: unknown) => error)
    assert.match(String(error), /node-http: 0 good answers/u)
  })

  it("names a server that exits before it responds, with its last output", async () => {
    const broken: Contestant = {
      name: "broken",
      stateful: false,
      live: false,
      command: () => ({ file: process.execPath, args: ["-e", "console.error('no port'); process.exit(3)"] })
    }
    const error = await measure([broken], settings, { load, pinning, log })
      .then(() => undefined)
      .catch((error: unknown) => error)
    assert.match(String(error), /broken could not be measured/u)
    assert.match(String((error as Error).cause), /ended with 3: no port/u)
  })
})
