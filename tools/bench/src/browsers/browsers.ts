import type { Heading, Options } from "../measure/Report.ts"
import { timed, type Times, timesOf } from "../measure/Times.ts"
import type { Against, Pair } from "../measure/Versions.ts"
import { type Creates, measureCreates } from "./Creates.ts"
import { type Cycles, cyclesOf } from "./cycles.ts"
import { attach, browsers as running, connect, memory_MiB } from "./Devtools.ts"
import { most, rested, type Served, served, until, warm } from "./Served.ts"

/** Many browsers of a server at the same time. */
interface Many {
  readonly memory: { readonly count: number; readonly browser_MiB: number }
  /** As many at once as the server takes, and how soon each responds while all are there. */
  readonly atOnce: { readonly count: number; readonly end: string; readonly all_MiB: number; readonly answer: Times }
}

/** The result of the bench `browsers`. */
export interface BrowsersReport extends Heading, Against, Many {
  readonly isolation: string
  readonly creates: Pair<Creates>
  readonly cycles: Cycles
}

/** Creates as many browsers as wanted and the server allows, until `use` has used them. */
const manyOf = async ({ create, folder, stop }: Served, isQuick: boolean): Promise<Many> => {
  const made: Array<{ readonly id: string; readonly cdpUrl: string }> = []
  const memoryNow = () => [...running(folder).values()].map(memory_MiB)
  const sum = (all: ReadonlyArray<number>) => all.reduce((total, one) => total + one, 0)
  while (made.length < 10) made.push(await create())
  await until(() => running(folder).size === made.length + warm)
  const ofTen = memoryNow()

  const wanted = isQuick ? 16 : most + 1
  let end = `${wanted} were asked for.`
  while (made.length < wanted) {
    const one = await create().catch((error: unknown) => void (end = String(error)))
    if (one === undefined) break
    made.push(one)
  }
  const all_MiB = sum(memoryNow())
  const answers: Array<number> = []
  for (const { cdpUrl } of made) {
    const client = await connect(cdpUrl)
    const page = await attach(client)
    answers.push(await timed(() => client.call("Runtime.evaluate", { expression: "1" }, page)))
    client.close()
  }
  for (const { id } of made) await stop(id)
  return {
    memory: { count: ofTen.length, browser_MiB: sum(ofTen) / ofTen.length },
    atOnce: { count: made.length, end, all_MiB, answer: timesOf(answers) }
  }
}

/** Real browsers behind a real server: how soon one is there, what many need, and what is left of them. */
export const browsers = (options: Options): Promise<BrowsersReport> =>
  served(options, async (servers) => {
    const { log, quick } = options
    const [now] = servers
    log("creates")
    const creates = await measureCreates(servers, quick)
    log("as many at once as there can be")
    const many = await manyOf(now, quick)
    await rested(servers)
    return {
      isolation: (await now.health()).browsers.isolation,
      creates,
      ...many,
      cycles: await cyclesOf(now, options)
    }
  })
