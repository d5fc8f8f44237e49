/** Our parts beside their peers: `pnpm bench NAME`. See README.md for the method. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { ab } from "./src/ab.ts"
import { breakpoint, type BreakpointOptions } from "./src/breakpoint.ts"
import { load, type LoadOptions } from "./src/loadCosts.ts"
import { Mistake } from "./src/Mistake.ts"
import { clients } from "./src/clients.ts"
import { markdown as clientTables } from "./src/clients/ClientsReport.ts"
import { markdown as serverTables, writeInto } from "./src/Report.ts"
import { markdown as breakpointTables } from "./src/load/BreakpointReport.ts"
import { markdown as k6Tables } from "./src/load/K6Report.ts"
import { markdown as soakTables } from "./src/load/SoakReport.ts"
import { nights, type NightsOptions } from "./src/nights.ts"
import { markdown as nightsTables } from "./src/nights/NightsReport.ts"
import { type BenchOptions, simulated } from "./src/simulated.ts"
import { soak, type SoakOptions } from "./src/soak.ts"

const benches = {
  simulated: async (options: BenchOptions) => {
    const report = await simulated(options)
    return { report, text: serverTables(report) }
  },
  clients: async (options: BenchOptions) => {
    const report = await clients(options)
    return { report, text: clientTables(report) }
  },
  load: async (options: LoadOptions) => {
    const report = await load(options)
    return { report, text: k6Tables(report) }
  },
  breakpoint: async (options: BreakpointOptions) => {
    const report = await breakpoint(options)
    return { report, text: breakpointTables(report) }
  },
  nights: async (options: NightsOptions) => {
    const report = nights(options)
    return { report, text: nightsTables(report) }
  },
  soak: async (options: SoakOptions) => {
    const report = await soak(options)
    return { report, text: soakTables(report) }
  }
}

const page = fileURLToPath(new URL("RESULTS.md", import.meta.url))

const usage = `pnpm bench NAME [options]

  simulated        the simulated server beside mock servers and hand-written ones
  ab               how often \`harness load --ab\` calls a service worse: the same one, and one that is 30 % slower
  clients          our clients beside another SDK and requests written by hand
  load             our k6 beside k6 without our extension, and what it costs to decode answers
  breakpoint       how much our server carries before something gives, beside a hand-written one
  nights           how soon the nightly's judge finds what has become worse, and how often it is wrong
  soak             our server under an ordinary load for 20 minutes: what grows, slows down, is lost or left open

  --quick          short windows, few rounds, no live runs: a look, not a figure
  --peers A,B      only these
  --rounds N       this many rounds
  --duration 20m   how long the soak goes on
  --json FILE      the whole result, also as JSON
  --docs           write the tables into tools/bench/RESULTS.md
`

const options = {
  quick: { type: "boolean", default: false },
  peers: { type: "string", default: "" },
  rounds: { type: "string" },
  duration: { type: "string" },
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

const main = async () => {
  const { positionals, values } = parse()
  const [name = ""] = positionals
  if (values.help || name === "") {
    process.stdout.write(usage)
    return
  }
  if (name === "ab") {
    const log = (line: string) => process.stderr.write(`${line}\n`)
    process.stdout.write(`${await ab({ quick: values.quick, rounds: roundsOf(values.rounds), log })}\n`)
    return
  }
  if (!Object.hasOwn(benches, name)) {
    throw new Mistake(`No bench named "${name}". There are: ${[...Object.keys(benches), "ab"].join(", ")}.`)
  }
  // what runs beside this program is ended as it exits
  process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143))
  const { report, text } = await benches[name as keyof typeof benches]({
    quick: values.quick,
    peers: values.peers.split(",").filter((peer) => peer !== ""),
    rounds: roundsOf(values.rounds),
    duration: values.duration,
    log: (line) => process.stderr.write(`${line}\n`)
  })
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`)
  if (values.docs) writeInto(page, name, text)
  process.stdout.write(`${text}\n`)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof Mistake)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
