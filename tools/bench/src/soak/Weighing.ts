import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import type { ServerProcess } from "../measure/ServerProcess.ts"

/** Memory and resources that are measured for every server. */
interface Weight {
  readonly at_s: number
  readonly rss_MB: number
  readonly cpu_s: number
  readonly loadAverage: number
}

/** Weighs a server every so often until a load has ended: what the load came to, and `more` of each moment. */
export const whileUnder = async <Load, Moment>(
  load: Promise<Load>,
  server: ServerProcess,
  every_s: number,
  more: (weight: Weight, turn: number) => Promise<Moment>
): Promise<{ readonly load: Load; readonly moments: ReadonlyArray<Moment> }> => {
  const begin = performance.now()
  const since_s = () => (performance.now() - begin) / 1000
  const moments: Array<Moment> = []
  const ended = new AbortController()
  const weigh = async () => {
    for (let turn = 1; !ended.signal.aborted; turn++) {
      const loadAverage = loadavg()[0] ?? 0
      const weight = { at_s: since_s(), rss_MB: server.rss_MB(), cpu_s: server.cpu_s(), loadAverage }
      moments.push(await more(weight, turn))
      const rest_ms = Math.max(0, turn * every_s - since_s()) * 1000
      await sleep(rest_ms, undefined, { signal: ended.signal }).catch(() => {})
    }
  }
  const [result] = await Promise.all([load.finally(() => ended.abort()), weigh()])
  return { load: result, moments }
}
