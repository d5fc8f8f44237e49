import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import * as Goals from "../../src/goals/Goals.ts"
import { heading } from "../measure/heading.ts"

const cells = (rows: ReadonlyArray<Goals.Row>) =>
  rows.map(({ before, goal, isMet, now, path }) => [path, before.text, now.text, goal.text, isMet])

const against = "0123abc"

const versions = {
  ...heading,
  against,
  settings: { rounds: 3, seeds: { worlds: 1, engines: 1 }, starts: 1, reads: 1, creates: 1 },
  paths: [
    { name: "server worlds, a seed", unit: "ms", now: [1, 2, 3], before: [4, 5, 6] },
    { name: "client worlds, a seed", unit: "ms", now: [20], before: [10] }
  ]
}

const round = (ms: number) => ({ roundTrip_ms: ms, pipelined: 1000 / ms, large: 40, one_us: 1, many_us: 1 })
const ways = (slower_ms: number) => ({
  isolation: "none",
  rounds: {
    direct: [0.5, 1, 1.5].map(round),
    relay: [0.5, 1, 1.5].map(round),
    server: [0.5, 1, 1.5].map((ms) => round(ms + slower_ms))
  }
})
const cdp = { ...heading, against, cdp: [ways(0.05), ways(0.5)] as const }

const storeRound = (nodes_ms: number, postgres_ms: number) => ({
  creates_perSecond: 1000 / nodes_ms,
  turn_nodes_ms: nodes_ms,
  turn_postgres_ms: postgres_ms,
  reads_perSecond: 1,
  read_nodes_ms: 1,
  read_postgres_ms: 1,
  running_ms: [1]
})
const stores = (nodes_ms: number, postgres_ms: number, ...names: ReadonlyArray<string>) => ({
  ...heading,
  settings: { rounds: 1, creates: 1, window_s: 1, followed: 1, connections: 1 },
  against,
  kept: names.flatMap((name) => [
    { name, rounds: [storeRound(nodes_ms, postgres_ms)], kB_aRun: 1, runs: 1 },
    { name: `${name}, ${against}`, rounds: [storeRound(4, 3)], kB_aRun: 1, runs: 1 }
  ])
})

const creates = (times: number) => {
  const warm = [10, 12, 14].map((time) => time * times)
  return { warm, cold: [], burst: [warm] }
}
const browsers = {
  ...heading,
  against,
  isolation: "none",
  creates: [creates(1), creates(2)] as const,
  memory: { count: 1, browser_MiB: 1 },
  atOnce: { count: 1, end: "", all_MiB: 1, answer: { p50: 1, p95: 1 } },
  cycles: {
    count: 1,
    killed: 0,
    cut: 0,
    seconds: 1,
    left: { processes: 0, folders: 0, active: 0, descriptors: 0, files: 0, links: 0 }
  }
}

const keys = (...atOnce: ReadonlyArray<number>) => ({ atOnce: [atOnce], inTurn: [] })
const live = { ...heading, against, changes: [{ delays: [], stale: 0 }] as const, keys: [keys(4), keys(80)] as const }
const cost = { browser: 0, server: 0 }
const costs = [
  { still: { alone: cost, seen: cost }, animated: { alone: cost, seen: cost, seenBy40: cost, pictures_s: 0 } }
] as const

const calls = (name: string, get: number) => ({ name, cpu_us: { create: [], status: [], get: [get], run: [] } })
const size = (kB: number) => ({ minified: 1, gzip: 1000 * kB })
const sizes = (kB: number) => [{ entry: "@webagent/v4", rolldown: size(kB), esbuild: size(1) }]
const imported = (name: string, cpu_ms: number) => ({ name, cpu_ms: [cpu_ms], took_ms: [1] })
const clients = {
  ...heading,
  against,
  pinning: "",
  settings: { rounds: 1, window_ms: 1, warmup_ms: 1, concurrency: 1, polls: 1 },
  titles: {},
  calls: [
    calls("browser-use", 10),
    calls("effect-fetch", 12),
    calls("effect-fetch-before", 15),
    calls("promise-fetch", 14),
    calls("promise-fetch-before", 18)
  ],
  waits: [],
  sizes: sizes(62.64),
  sizesBefore: sizes(54),
  parts: [],
  imports: [
    imported("@webagent/v4, Node and others", 260),
    imported(`@webagent/v4, Node and others, ${against}`, 250),
    imported("@webagent/v4/promise, Node", 40),
    imported(`@webagent/v4/promise, Node, ${against}`, 248)
  ]
}

const server = (name: string, cpu_us: number, rss_MB?: number) => {
  const sample = { requests: 1, perSecond: 1, cpu_us, p50_ms: 1, p99_ms: 1 }
  return {
    name,
    title: name,
    remark: "",
    result: {
      name,
      starts: [],
      samples: { status: [sample], session: [sample], flow: [sample] },
      rssBefore_MB: 1,
      rssAfter_MB: 1,
      served: 1,
      stalls: 0,
      ...(rss_MB === undefined ? {} : { live: { runs: 1, rss_MB, collected_MB: 1, took_s: 1 } })
    }
  }
}
const simulated = {
  ...heading,
  pinning: "",
  settings: { rounds: 1, window_s: 1, warmup_s: 1, starts: 1, connections: 1, liveRuns: 1, settle_s: 1 },
  base: "fastify",
  rows: [server("ours", 15, 290), server("before", 20, 479), server("fastify", 10)]
}

describe("Goals", () => {
  it("of worlds are rates of seeds", () => {
    assert.deepStrictEqual(cells(Goals.ofVersions(versions)), [
      ["simulation: server seeds per CPU second", "200", "500", "500", true],
      ["simulation: client worlds per CPU second", "100", "50", "60", false]
    ])
  })

  it("of browsers are times of creates", () => {
    assert.deepStrictEqual(cells(Goals.ofBrowsers(browsers)), [
      ["browser from the pool, p50", "24 ms", "12 ms", "20 ms", true],
      ["browser in a burst of ten, p95", "28 ms", "14 ms", "300 ms", true]
    ])
  })

  it("of CDP are differences to DevTools, with their intervals", () => {
    assert.deepStrictEqual(cells(Goals.ofCdp(cdp)), [
      ["CDP through the server, a round trip", "+0.50 ms (0.50 to 0.50)", "+0.05 ms (0.05 to 0.05)", "+0.1 ms", true],
      ["CDP through the server, 64 at a time", "-33 % (-50 to -25)", "-5 % (-9 to -3)", "-10 %", true]
    ])
  })

  it("of runs over Postgres need both of their parts", () => {
    assert.deepStrictEqual(cells(Goals.ofStores(stores(1.5, 0.9, "Postgres, 1 node"))), [
      ["creates per second, Postgres, one node", "250", "667", "500", true],
      ["CPU per run, Postgres: node and Postgres", "4 and 3 ms", "1.5 and 0.9 ms", "2 and 1 ms", true]
    ])
    const slow = Goals.ofStores(stores(1.5, 1.1, "Postgres, 1 node"))
    assert.deepStrictEqual(
      slow.map(({ isMet }) => isMet),
      [true, false]
    )
  })

  it("of clients are relative to the SDK, and sizes and imports", () => {
    assert.deepStrictEqual(cells(Goals.ofClients(clients)), [
      ["client over fetch, read in full: Effect (CPU ÷ SDK)", "1.5 (1.5 to 1.5)", "1.2 (1.2 to 1.2)", "1.2", true],
      ["client over fetch, read in full: promises (÷ SDK)", "1.8 (1.8 to 1.8)", "1.4 (1.4 to 1.4)", "1.3", false],
      ["`@webagent/v4`, bundled, gzip", "54.0 kB", "62.6 kB", "55 kB", false],
      ["cold import of the promise entry, CPU", "248 ms", "40 ms", "40 ms", true],
      ["cold import of the Effect entry, CPU", "250 ms", "260 ms", "40 ms", false]
    ])
  })

  it("of the mock are relative to Fastify, and memory", () => {
    assert.deepStrictEqual(cells(Goals.ofSimulated(simulated)), [
      ["mock: create a run, poll it twice, read it (CPU ÷ Fastify)", "2 (2 to 2)", "1.5 (1.5 to 1.5)", "2.5", true],
      ["mock: status read (÷ Fastify)", "2 (2 to 2)", "1.5 (1.5 to 1.5)", "1.3", false],
      ["mock: session, v2 (÷ Fastify)", "2 (2 to 2)", "1.5 (1.5 to 1.5)", "1.6", true],
      ["100,000 live runs, process", "479 MB", "290 MB", "300 MB", true]
    ])
  })

  it("have no row without another version", () => {
    assert.lengthOf(Goals.ofCdp({ ...cdp, against: null, cdp: [ways(0)] }), 0)
    assert.lengthOf(Goals.ofSimulated({ ...simulated, rows: [server("ours", 15, 290), server("fastify", 10)] }), 0)
  })

  it("replace their rows of the page", () => {
    const rows = [
      ...Goals.ofSimulated(simulated),
      ...Goals.ofStores(stores(1, 1, "memory", "SQLite", "Postgres, 1 node", "Postgres, 3 nodes")),
      ...Goals.ofClients(clients),
      ...Goals.ofBrowsers(browsers),
      ...Goals.ofLive({ ...live, costs }),
      ...Goals.ofCdp(cdp),
      ...Goals.ofVersions(versions)
    ]
    assert.lengthOf(rows, 23)
    const page = readFileSync(new URL("../../RESULTS.md", import.meta.url), "utf8")
    const replaced = Goals.withRows(page, rows)
    assert.lengthOf(replaced.split("\n"), page.split("\n").length)
    assert.include(
      replaced,
      "| take-over: a key of 16 at once, p95, idle | 80 ms | 4 ms | 50 ms | yes | [live view](#a-live-view) |"
    )
    assert.throws(() => Goals.withRows("| other | 1 |", rows), /no row "mock: create a run/u)
  })
})
