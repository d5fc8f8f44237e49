import { live, type LiveReport } from "../live/live.ts"
import type { Heading, Options } from "../measure/Report.ts"
import { timed, type Times, timesOf } from "../measure/Times.ts"
import { type Cdp, cdpOf } from "./cdp.ts"
import { type Cycles, cyclesOf } from "./cycles.ts"
import { attach, browsers as running, connect, memory_MiB } from "./Devtools.ts"
import { most, type Served, served, until, warm } from "./Served.ts"

/** The result of the bench `browsers`. */
export interface BrowsersReport extends Heading {
  readonly cdp: Cdp
  /** Creates of a browser that waits, of one that doesn't, and of each of ten at once. */
  readonly create: { readonly warm: Times; readonly cold: Times; readonly burst: Times }
  readonly memory: { readonly count: number; readonly browser_MiB: number }
  /** As many at once as the server takes, and how soon each answers while all are there. */
  readonly atOnce: { readonly count: number; readonly end: string; readonly all_MiB: number; readonly answer: Times }
  readonly cycles: Cycles
  /** Results of the bench `live`. */
  readonly live: LiveReport
}

/** Real browsers behind a real server: what the way through it costs, how soon one is there, and what is left of many. */
export const browsers = async (options: Options): Promise<BrowsersReport> => {
  options.log("a live view")
  const seen = await live({ ...options, rounds: undefined })
  return { ...(await served((all) => measured(all, options))), live: seen }
}

const measured = async (
  all: Served,
  { log, quick, rounds }: Options
): Promise<Omit<BrowsersReport, "live" | keyof Heading>> => {
  const { create, folder, rested, stop } = all
  await rested()

  log("the way through the server")
  const cdp = await cdpOf(all, { quick, rounds: undefined })

  log("creates")
  const warmTimes: Array<number> = []
  for (let index = 0; index < (quick ? 5 : 30); index++) {
    await rested()
    let made = ""
    warmTimes.push(await timed(async () => (made = (await create()).id)))
    await stop(made)
  }
  const made: Array<string> = []
  const cold: Array<number> = []
  const add = async () => made.push((await create()).id)
  for (let index = 0; index < (quick ? 2 : 6); index++) {
    await rested(made.length)
    for (let taken = 0; taken < warm; taken++) await add()
    cold.push(await timed(add))
  }

  const burst: Array<number> = []
  for (let index = 0; index < (quick ? 1 : 10); index++) {
    for (const one of made.splice(0)) await stop(one)
    await rested()
    await Promise.all(Array.from({ length: 10 }, async () => void burst.push(await timed(add))))
  }

  log("memory")
  await until(() => running(folder).size === made.length + warm)
  const waiting = [...running(folder).values()]
  const browser_MiB = waiting.reduce((sum, pid) => sum + memory_MiB(pid), 0) / waiting.length
  for (const one of made) await stop(one)

  log("as many at once as there can be")
  const together: Array<{ readonly id: string; readonly cdpUrl: string }> = []
  const wanted = quick ? 8 : most + 1
  let end = `${wanted} were asked for.`
  while (together.length < wanted) {
    const one = await create().catch((error: unknown) => void (end = String(error)))
    if (one === undefined) break
    together.push(one)
  }
  const all_MiB = [...running(folder).values()].reduce((sum, pid) => sum + memory_MiB(pid), 0)
  const answers: Array<number> = []
  for (const one of together) {
    const client = await connect(one.cdpUrl)
    const page = await attach(client)
    answers.push(await timed(() => client.call("Runtime.evaluate", { expression: "1" }, page)))
    client.close()
  }
  for (const one of together) await stop(one.id)
  await rested()

  const cycles = await cyclesOf(all, { log, quick, rounds })
  return {
    cdp,
    create: { warm: timesOf(warmTimes), cold: timesOf(cold), burst: timesOf(burst) },
    memory: { count: waiting.length, browser_MiB },
    atOnce: { count: together.length, end, all_MiB, answer: timesOf(answers) },
    cycles
  }
}
