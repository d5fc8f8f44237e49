import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { measureCommits } from "../../src/durable/Commits.ts"
import { fullFile, growth } from "../../src/durable/FullFile.ts"
import { bundleServer } from "../../src/measure/Bundle.ts"
import { markdown, measureFileSoak } from "../../src/soak/FileSoak.ts"
import { heading } from "../measure/heading.ts"

let folder = ""
let bundle = ""
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "webagent-durable-test-"))
  bundle = await bundleServer(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.runIf(process.platform === "linux")("a server over a file", () => {
  it("reads each run of a filled file, and prunes the older half", async () => {
    const { prune, reads, runs } = await fullFile(bundle, join(folder, "full.db"), 200, () => {})
    assert.strictEqual(runs, 200)
    assert.isTrue(Object.values(reads).every(({ p50_ms, p99_ms }) => p50_ms > 0 && p99_ms >= p50_ms))
    assert.isTrue(prune.runs >= 99 && prune.runs <= 101, `${prune.runs} pruned`)
  })

  it("takes a few kB per run, most of it in four tables", async () => {
    const { kB, kB_aRun } = await growth(bundle, join(folder, "growth.db"), 100)
    const told = Object.values(kB).reduce((sum, each) => sum + each, 0)
    assert.isTrue(told > 1 && told < kB_aRun, `${told} of ${kB_aRun} kB`)
  })

  it("measures commits with each checkpoint method", async () => {
    const { commit, limited, unlimited } = await measureCommits(folder, 1, 50)
    for (const [one] of [commit, limited, unlimited]) assert.isTrue((one?.perSecond ?? 0) > 0 && (one?.p99_ms ?? 0) > 0)
  })

  it("is measured during ten starts per second until the time is over", async () => {
    const soak = await measureFileSoak(join(folder), 2, 1)
    assert.isAbove(soak.counts.started, 5)
    assert.deepStrictEqual([soak.counts.failed, soak.counts.late], [0, 0])
    assert.isTrue(soak.moments.every(({ file_MB, heap_MB, rss_MB }) => file_MB > 0 && heap_MB > 1 && rss_MB > heap_MB))
    assert.include(markdown({ ...heading, ...soak }), "| failed | 0 |")
  })
})
