/** Our parts beside their peers: `pnpm bench NAME`. See README.md for the method. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { browsers } from "./src/browsers/browsers.ts"
import { markdown as browsersTables } from "./src/browsers/BrowsersReport.ts"
import { cdp, markdown as cdpTables } from "./src/browsers/cdp.ts"
import { chaos, markdown as chaosTables } from "./src/chaos/ChaosBench.ts"
import { clients } from "./src/clients/clients.ts"
import { markdown as clientTables } from "./src/clients/ClientsReport.ts"
import { consolePages, markdown as consoleTables } from "./src/console/console.ts"
import { durable } from "./src/durable/durable.ts"
import { markdown as durableTables } from "./src/durable/DurableReport.ts"
import * as Goals from "./src/goals/Goals.ts"
import { idle, markdown as idleTable } from "./src/waiting/Idle.ts"
import { kills, markdown as killsTables } from "./src/durable/Kills.ts"
import { markdown as queueTables, queue } from "./src/waiting/Queue.ts"
import { lists } from "./src/lists/lists.ts"
import { markdown as listsTables } from "./src/lists/ListsReport.ts"
import { markdown as walkTable, walk } from "./src/lists/Walk.ts"
import { live } from "./src/live/live.ts"
import { markdown as liveTables } from "./src/live/LiveReport.ts"
import { Mistake } from "./src/measure/Mistake.ts"
import { between, type Options } from "./src/measure/Report.ts"
import { nights } from "./src/nights/nights.ts"
import { markdown as nightsTables } from "./src/nights/NightsReport.ts"
import { markdown as shippedTables, shipped } from "./src/nights/shipped.ts"
import { markdown as pageTables, page } from "./src/page/page.ts"
import { markdown as replayTable, replay } from "./src/replay/replay.ts"
import { markdown as serverTables } from "./src/simulated/Report.ts"
import { simulated } from "./src/simulated/simulated.ts"
import { markdown as fileSoakTables, soakFile } from "./src/soak/FileSoak.ts"
import { markdown as stepsTables, steps } from "./src/steps/steps.ts"
import { stores } from "./src/stores/stores.ts"
import { markdown as uiTables, ui } from "./src/ui/ui.ts"
import { markdown as storesTables } from "./src/stores/StoresReport.ts"
import { versions } from "./src/versions/versions.ts"
import { markdown as versionsTable } from "./src/versions/VersionsReport.ts"

const bench =
  <Report>(
    measure: (options: Options) => Promise<Report>,
    tables: (report: Report) => string,
    goals: (report: Report) => ReadonlyArray<Goals.Row> = () => []
  ) =>
  async (options: Options) => {
    const report = await measure(options)
    return { report, text: tables(report), goals: goals(report) }
  }

const benches = {
  simulated: bench(simulated, serverTables, Goals.ofSimulated),
  clients: bench(clients, clientTables, Goals.ofClients),
  nights: bench(nights, nightsTables),
  months: bench(shipped, shippedTables),
  stores: bench(stores, storesTables, Goals.ofStores),
  durable: bench(durable, durableTables),
  lists: bench(lists, listsTables),
  walk: bench(walk, walkTable),
  queue: bench(queue, queueTables),
  idle: bench(idle, idleTable),
  kills: bench(kills, killsTables),
  chaos: bench(chaos, chaosTables),
  live: bench(live, liveTables, Goals.ofLive),
  console: bench(consolePages, consoleTables),
  ui: bench(ui, uiTables),
  browsers: bench(browsers, browsersTables, Goals.ofBrowsers),
  cdp: bench(cdp, cdpTables, Goals.ofCdp),
  page: bench(page, pageTables),
  replay: bench(replay, replayTable),
  steps: bench(steps, stepsTables),
  "soak-file": bench(soakFile, fileSoakTables),
  versions: bench(versions, versionsTable, Goals.ofVersions)
}

const results = fileURLToPath(new URL("RESULTS.md", import.meta.url))

/** The benches that measure another version, too. */
const comparing = ["browsers", "cdp", "chaos", "clients", "live", "simulated", "stores", "versions"]

const usage = `pnpm bench NAME [options]

  simulated        Compare the simulated server with mock servers and hand-written ones
  clients          Compare our clients with another SDK and requests by hand
  nights           Measure how soon the nightly's judge finds a regression, and its false positives
  months           Measure months of nights with the setting that init writes: failed nights, and what is found
  stores           Compare our server in memory, over SQLite, and over Postgres with one node and three
  durable          Measure commits and checkpoints of a file, its growth, and one with a million runs
  lists            Measure lists, counts and spend with a million runs over SQLite and Postgres
  walk             Walk over a million runs of a server over a file while 100 streams of events are open
  queue            Read statuses of a server with 10,000 runs that wait for its one real browser
  idle             Watch the CPU time of a server with 100 profiles and no work
  kills            Kill a server over a file 200 times under load, and look for all that it told
  chaos            Kill and freeze three servers on one Postgres under load for 10 minutes, and look for all that they told
  live             Measure how soon a viewer sees a change of a real browser, how soon its keys are there, and viewers' cost
  console          Measure an open console: 200 events per second, a wall of 20 browsers, a list of a million runs
  ui               Measure the harness's screens with a year of 500 scenarios: opening, scrolling, memory
  browsers         Measure real browsers: creates, memory, how many at once, 1,000 with kills
  cdp              Measure CDP through the server beside direct and through a bare relay
  page             Measure how an agent looks at pages and clicks, beside Playwright
  replay           Measure the replay of a run of 20 steps next to the run, whose model responds in a second
  steps            Measure the time of a step without its model, and the memory of a run of 60 steps
  soak-file        Watch our server over a file with retention: ten starts a second for 20 minutes
  versions         Compare the CPU time of this version with another commit: seeds, starts, reads, creates (needs --against)

  --quick          Use short windows, few rounds and no live runs: a look, not a figure
  --peers A,B      Measure only these; for versions, the paths whose name contains one of these
  --rounds N       Measure N rounds, or kill N times
  --duration 20m   Set how long soak-file (20m) or chaos (10m) runs
  --mode MODE      For chaos: chaos, rolling (restarts in order, --rounds 10), join (a node more) or upgrade (needs --against)
  --browsers KIND  For chaos: simulated (the default) or chromium, two for each node
  --against REF    For ${comparing.join(", ")}:
                   the commit to compare with, which is built once
  --seed N         For chaos: set what happens when (each day another one)
  --kills N, --freezes N, --restarts N, --stalls N, --drains N, --cuts N
                   For chaos: kill (60), freeze (40) and drain or stop (12) nodes N times; restart (3), freeze (3) and
                   cut the connections to (6) Postgres N times
  --json FILE      Write the whole result as JSON
  --docs           Write the tables into tools/bench/RESULTS.md; with --against, also rows of its table of goals
`

const options = {
  quick: { type: "boolean", default: false },
  peers: { type: "string", default: "" },
  rounds: { type: "string" },
  duration: { type: "string" },
  mode: { type: "string" },
  browsers: { type: "string" },
  against: { type: "string" },
  seed: { type: "string" },
  kills: { type: "string" },
  freezes: { type: "string" },
  restarts: { type: "string" },
  stalls: { type: "string" },
  drains: { type: "string" },
  cuts: { type: "string" },
  json: { type: "string" },
  docs: { type: "boolean", default: false },
  help: { type: "boolean", default: false }
} as const

const parse = () => {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    throw new Mistake(error instanceof Error ? error.message : String(error))
  }
}

const roundsOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,2}$/u.test(text)) throw new Mistake("--rounds takes a number from 1 to 999.")
  return Number(text)
}

const countOf = (flag: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,6}$/u.test(text)) throw new Mistake(`--${flag} takes a number from 0 to 999999.`)
  return Number(text)
}

const main = async () => {
  const { positionals, values } = parse()
  const [name = ""] = positionals
  if (values.help || name === "") {
    process.stdout.write(usage)
    return
  }
  if (!Object.hasOwn(benches, name)) {
    throw new Mistake(`No bench is named "${name}". Use one of: ${Object.keys(benches).join(", ")}.`)
  }
  if (values.against !== undefined && !comparing.includes(name)) {
    throw new Mistake(`The bench ${name} measures this version only; --against is for ${comparing.join(", ")}.`)
  }
  const page = () => readFileSync(results, "utf8")
  // a missing place for the tables is a mistake before hours of measurement, too
  if (values.docs) between(page(), name, "")
  if (name !== "nights" && process.platform !== "linux") {
    throw new Mistake("CPU time and memory are read from /proc: run this on Linux.")
  }
  // what runs beside this program is ended as it exits
  process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143))
  const { goals, report, text } = await benches[name as keyof typeof benches]({
    quick: values.quick,
    peers: values.peers.split(",").filter((peer) => peer !== ""),
    rounds: roundsOf(values.rounds),
    duration: values.duration,
    against: values.against,
    chaos: {
      mode: values.mode,
      browsers: values.browsers,
      seed: countOf("seed", values.seed),
      kills: countOf("kills", values.kills),
      freezes: countOf("freezes", values.freezes),
      restarts: countOf("restarts", values.restarts),
      stalls: countOf("stalls", values.stalls),
      drains: countOf("drains", values.drains),
      cuts: countOf("cuts", values.cuts)
    },
    log: (line) => process.stderr.write(`${line}\n`)
  })
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`)
  if (values.docs) {
    writeFileSync(results, between(page(), name, text))
    writeFileSync(results, Goals.withRows(page(), goals))
  }
  process.stdout.write(`${text}\n`)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof Mistake)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
