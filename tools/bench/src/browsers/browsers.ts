import { chmodSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { live, type LiveReport } from "../live/live.ts"
import { type Heading, inFolder, type Options } from "../measure/Report.ts"
import { apiKey, startServer } from "../measure/ServerProcess.ts"
import { addressIn, attach, browsers as running, type Client, connect, memory_MiB, pools } from "./Devtools.ts"

const main = fileURLToPath(new URL("../../../../apps/server/src/main.ts", import.meta.url))

/** Times of one thing, in milliseconds. */
export interface Times {
  readonly p50: number
  readonly p95: number
}

/** The result of the bench `browsers`. */
export interface BrowsersReport extends Heading {
  readonly isolation: string
  readonly roundTrip: { readonly direct: Times; readonly proxied: Times }
  /** Messages a second, 64 at a time. */
  readonly pipelined: { readonly direct: number; readonly proxied: number }
  /** CPU time of the server a message and its answer, in microseconds. */
  readonly cpu_us: number
  /** Results of 4 MB, MB a second. */
  readonly large: { readonly direct: number; readonly proxied: number }
  readonly create: { readonly warm: Times; readonly cold: Times }
  readonly memory: { readonly count: number; readonly browser_MiB: number }
  /** As many at once as the server takes, and how soon each answers while all are there. */
  readonly atOnce: { readonly count: number; readonly end: string; readonly all_MiB: number; readonly answer: Times }
  readonly cycles: {
    readonly count: number
    readonly killed: number
    readonly cut: number
    readonly seconds: number
    readonly left: Left
  }
  /** What the bench `live` measures. */
  readonly live: LiveReport
}

/** What is there of browsers that are stopped. */
interface Left {
  readonly processes: number
  /** Folders and records of the pool. */
  readonly folders: number
  readonly active: number
  /** Files, sockets and pipes that the server has open, more than before. */
  readonly descriptors: number
  /** Files beside the pool's, more than before. */
  readonly files: number
  /** Links that still opened after the stop. */
  readonly links: number
}

const quantile = (sorted: ReadonlyArray<number>, q: number) => sorted[Math.floor(q * (sorted.length - 1))] ?? 0

const timesOf = (all: ReadonlyArray<number>): Times => {
  const sorted = all.toSorted((a, b) => a - b)
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }
}

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await act()
  return performance.now() - start
}

const repeat = async (count: number, act: () => Promise<unknown>) => {
  const all: Array<number> = []
  for (let index = 0; index < count; index++) all.push(await timed(act))
  return all
}

/** A generator of numbers from 0 to 1, the same for the same seed. */
const drawing = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await sleep(20)
}

/** A client's calls to the server. */
const api = (url: string) => {
  const send = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${url}/api/v4${path}`, {
      method,
      headers: { "x-service-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { readonly id: string; readonly cdpUrl: string }
  }
  return {
    create: () => send("POST", "/browsers", {}),
    stop: (id: string) => send("PATCH", `/browsers/${id}`, { action: "stop" }),
    health: async () =>
      (await (await fetch(`${url}/health`)).json()) as {
        readonly browsers: { readonly active: number; readonly isolation: string }
      }
  }
}

/** Both ways to one page in turns, so that a busy moment of the machine strikes both. */
const carried = async (direct: Client, proxied: Client, cpu_s: () => number, quick: boolean) => {
  const rounds = quick ? 3 : 10
  const all = { direct: [] as Array<number>, proxied: [] as Array<number> }
  const pipelined = { direct: [] as Array<number>, proxied: [] as Array<number> }
  const large = { direct: [] as Array<number>, proxied: [] as Array<number> }
  const ways = {
    direct: { ...direct, page: await attach(direct) },
    proxied: { ...proxied, page: await attach(proxied) }
  }
  let used_s = 0
  for (let round = 0; round < rounds; round++) {
    for (const way of round % 2 === 0 ? (["direct", "proxied"] as const) : (["proxied", "direct"] as const)) {
      const { call, page } = ways[way]
      const evaluate = (expression: string) => () => call("Runtime.evaluate", { expression, returnByValue: true }, page)
      all[way].push(...(await repeat(quick ? 100 : 300, evaluate("1"))))
      const before_s = cpu_s()
      const many = await timed(async () => {
        for (let batch = 0; batch < 20; batch++) {
          await Promise.all(Array.from({ length: 64 }, () => call("Runtime.evaluate", { expression: "1" }, page)))
        }
      })
      pipelined[way].push((20 * 64) / (many / 1000))
      if (way === "proxied") used_s += cpu_s() - before_s
      const big = await timed(async () => {
        for (let index = 0; index < 3; index++) await evaluate("'x'.repeat(4e6)")()
      })
      large[way].push(12 / (big / 1000))
    }
  }
  const median = (figures: ReadonlyArray<number>) => timesOf(figures).p50
  return {
    roundTrip: { direct: timesOf(all.direct), proxied: timesOf(all.proxied) },
    cpu_us: (used_s * 1e6) / (rounds * 20 * 64),
    pipelined: { direct: median(pipelined.direct), proxied: median(pipelined.proxied) },
    large: { direct: median(large.direct), proxied: median(large.proxied) }
  }
}

/** How many are kept waiting, and the most that are handed out at once. */
const warm = 2
const most = 64

/** Real browsers behind a real server: what the way through it costs, how soon one is there, and what is left of many. */
export const browsers = async (options: Options): Promise<BrowsersReport> => {
  options.log("a live view")
  const seen = await live({ ...options, rounds: undefined })
  return { ...(await served(options)), live: seen }
}

const served = ({ log, quick, rounds }: Options) =>
  inFolder(async (folder): Promise<Omit<BrowsersReport, "live" | keyof Heading>> => {
    // browsers of a server that is root run as another user
    chmodSync(folder, 0o711)
    process.env["TMPDIR"] = folder
    const flags = ["--browsers", "chromium", "--isolation", "none", "--max-browsers", `${most}`, "--api-key", apiKey]
    const server = await startServer(
      (port) => ({
        file: process.execPath,
        args: [
          "--conditions=@webagent/source",
          main,
          ...flags,
          "--port",
          `${port}`,
          "--data",
          join(folder, "server.db")
        ]
      }),
      { method: "GET", path: "/health", headers: {} }
    )
    try {
      const { create, health, stop } = api(server.url)
      const { isolation } = (await health()).browsers
      // one whose process runs waits once its DevTools answer, which no client can see
      const rested = async (others = 0) => {
        await until(() => running(folder).size === warm + others)
        await sleep(1500)
      }
      await rested()

      log("the way through the server")
      const waiting = [...running(folder).keys()]
      const { cdpUrl, id } = await create()
      await until(() => running(folder).size === warm + 1)
      // the one that waited longest was handed out
      const [handedOut = ""] = waiting.toSorted((a, b) => Number(a.split("-").at(-1)) - Number(b.split("-").at(-1)))
      const [direct, proxied] = [await connect(addressIn(handedOut)), await connect(cdpUrl)]
      const way = await carried(direct, proxied, server.cpu_s, quick)
      direct.close()
      proxied.close()
      await stop(id)

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

      log("memory")
      await until(() => running(folder).size === made.length + warm)
      const all = [...running(folder).values()]
      const browser_MiB = all.reduce((sum, pid) => sum + memory_MiB(pid), 0) / all.length
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

      const count = rounds ?? (quick ? 20 : 1000)
      log(`${count} cycles`)
      const draw = drawing(1)
      let killed = 0
      let cut = 0
      let links = 0
      const cycle = async () => {
        const browser = await create()
        const act = draw()
        const client = await connect(browser.cdpUrl).catch(() => undefined)
        if (act < 0.25) {
          const pids = [...running(folder).values()]
          const pid = pids[Math.floor(draw() * pids.length)]
          try {
            if (pid !== undefined) process.kill(pid, "SIGKILL")
            killed++
          } catch {
            // it has ended by itself
          }
          client?.close()
        } else if (act < 0.5) {
          void client?.call("Browser.getVersion")
          client?.cut()
          cut++
        } else {
          await client?.call("Browser.getVersion")
          client?.close()
        }
        await stop(browser.id)
        if ((await fetch(browser.cdpUrl.replace(/^ws/u, "http"))).status !== 410) links++
      }
      const descriptorsNow = () => readdirSync(`/proc/${server.pid}/fd`).length
      const filesNow = () => readdirSync(folder).length
      await cycle()
      await rested()
      const before = { descriptors: descriptorsNow(), files: filesNow() }
      const took_ms = await timed(async () => {
        for (let index = 0; index < count; index++) await cycle()
      })
      // each that waits has a folder and a record of its process
      const leftNow = async () => ({
        processes: running(folder).size - warm,
        folders: pools(folder).flatMap((pool) => readdirSync(pool)).length - 2 * warm,
        active: (await health()).browsers.active,
        descriptors: Math.max(0, descriptorsNow() - before.descriptors),
        files: Math.max(0, filesNow() - before.files),
        links
      })
      let left = await leftNow()
      for (let tries = 0; tries < 100 && Object.values(left).some((some) => some !== 0); tries++) {
        await sleep(200)
        left = await leftNow()
      }
      return {
        isolation,
        ...way,
        create: { warm: timesOf(warmTimes), cold: timesOf(cold) },
        memory: { count: all.length, browser_MiB },
        atOnce: { count: together.length, end, all_MiB, answer: timesOf(answers) },
        cycles: { count, killed, cut, seconds: took_ms / 1000, left }
      }
    } finally {
      await server.stop()
      await until(() => pools(folder).length === 0)
    }
  })
