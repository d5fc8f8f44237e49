import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"
import { connect as connectPuppeteer } from "puppeteer-core"
import { WebSocket } from "ws"
import { folder, ready, send, start } from "./program.ts"

const key = "wak_chromium"

const harness = fileURLToPath(new URL("../../harness/src/main.ts", import.meta.url))

/** A server with real browsers; everything that it leaves is below its temporary folder. */
const serve = Effect.fnUntraced(function* (...more: ReadonlyArray<string>) {
  const path = yield* folder
  // browsers of a server that is root run as another user
  chmodSync(path, 0o711)
  // what a container forbids is not what is tested here
  const args = ["serve", "--browsers", "chromium", "--min-isolation", "none", "--port", "0", "--api-key", key]
  const program = yield* start([...args, ...more, "--data", join(path, "server.db")], { TMPDIR: path })
  const { v4 } = yield* ready(program)
  return { program, path, v4 }
})

type Served = Effect.Success<ReturnType<typeof serve>>

const create = ({ v4 }: Served) =>
  Effect.map(send(v4, key, "POST", "/browsers", {}), ({ body }) => ({
    id: String(body["id"]),
    cdpUrl: String(body["cdpUrl"])
  }))

const stop = ({ v4 }: Served, id: string) => send(v4, key, "PATCH", `/browsers/${id}`, { action: "stop" })

const below = (root: string): ReadonlyArray<string> =>
  existsSync(root) ? readdirSync(root).map((name) => join(root, name)) : []

/** The folders of pools, of a server that has some. */
const pools = (path: string) =>
  below(path)
    .filter((name) => name.includes("webagent-browsers-"))
    .flatMap(below)

const pids = (path: string) =>
  pools(path)
    .flatMap(below)
    .filter((name) => name.endsWith(".pid"))
    .flatMap((name) => {
      try {
        return [Number(readFileSync(name, "utf8").split(" ")[0])]
      } catch {
        // it has just gone
        return []
      }
    })

/** Processes that were started in a folder. */
const processesIn = (path: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(`${path}/webagent-browsers-`)
    } catch {
      return false
    }
  })

const commandOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1")
  } catch {
    return ""
  }
}

/** The name of the browser that a path, or a command with one, belongs to. */
const browserIn = (text: string) => /browser-\d+/u.exec(text)?.[0]

const until = (isSo: () => boolean, what: string) =>
  Effect.timeoutOrElse(Effect.repeat(Effect.sleep("20 millis"), { while: () => !isSo() }), {
    duration: "2 minutes",
    orElse: () => Effect.die(new Error(`not within 2 minutes: ${what}`))
  })

const connect = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = new WebSocket(url)
      socket.once("unexpected-response", async (_, response) => {
        socket.emit("error", new Error(`${response.statusCode} ${await text(response)}`))
      })
      await once(socket, "open")
      return socket
    }),
    (socket) => Effect.sync(() => socket.terminate())
  )

/** Code and reason of a socket's end. It may end before the effect runs. */
const closed = (socket: WebSocket) => {
  const ended = new Promise<readonly [number, string]>((resolve) => {
    socket.once("close", (code, reason) => resolve([code, String(reason)]))
  })
  return Effect.promise(() => ended)
}

const ask = (socket: WebSocket, method: string) =>
  Effect.callback<Readonly<Record<string, unknown>>>((resume) => {
    socket.once("message", (data) => resume(Effect.sync(() => JSON.parse(String(data)))))
    socket.once("close", (code, reason) => resume(Effect.die(new Error(`closed: ${code} ${reason}`))))
    socket.send(JSON.stringify({ id: 1, method }))
  })

it.live("Playwright, Puppeteer and a bare WebSocket find the same page, and none of them stops the browser", () =>
  Effect.gen(function* () {
    const served = yield* serve()
    const { cdpUrl, id } = yield* create(served)
    yield* Effect.promise(async () => {
      const http = cdpUrl.replace(/^ws/u, "http")
      const browser = await chromium.connectOverCDP(http)
      const page = browser.contexts()[0]?.pages()[0]
      await page?.setContent("<title>first</title><input value='typed'>")
      assert.strictEqual(await page?.inputValue("input"), "typed")
      await browser.close()
    })
    yield* Effect.promise(async () => {
      const browser = await connectPuppeteer({ browserWSEndpoint: cdpUrl })
      const [page] = await browser.pages()
      assert.strictEqual(await page?.title(), "first")
      // Puppeteer sends Browser.close
      await browser.close()
    })
    const [listed] = yield* Effect.promise(async () => {
      const answer = await fetch(cdpUrl.replace(/^ws/u, "http").replace("/cdp?", "/cdp/json/list?"))
      return (await answer.json()) as ReadonlyArray<Readonly<Record<string, string>>>
    })
    assert.deepInclude(listed, { type: "page", title: "first" })
    const page = yield* connect(listed?.["webSocketDebuggerUrl"] ?? "")
    assert.nestedProperty(yield* ask(page, "Page.getFrameTree"), "result.frameTree")
    const [one, two] = [yield* connect(cdpUrl), yield* connect(cdpUrl)]
    assert.nestedProperty(yield* ask(one, "Browser.getVersion"), "result.product")
    assert.nestedProperty(yield* ask(two, "Browser.getVersion"), "result.product")
    const large = JSON.stringify({ id: 1, method: "Browser.getVersion" }).padEnd(8 * 1024 * 1024, " ")
    one.send(large)
    yield* Effect.promise(() => once(one, "message"))
    const codes = Effect.all([closed(one), closed(two)], { concurrency: 2 })
    const [codesOf] = yield* Effect.all([codes, stop(served, id)], { concurrency: 2 })
    assert.deepStrictEqual(codesOf, [
      [4001, "The browser was stopped"],
      [4001, "The browser was stopped"]
    ])
    const refused = yield* Effect.promise(() => fetch(cdpUrl.replace(/^ws/u, "http")))
    assert.strictEqual(refused.status, 410)
  }).pipe(Effect.scoped)
)

it.live("the harness's browser suite passes without changes", () =>
  Effect.gen(function* () {
    // no page is loaded, so the proxy is never asked
    const { path, v4 = "" } = yield* serve("--country-proxies", "no=http://127.0.0.1:9")
    const reports = join(path, "report")
    const args = [
      "run",
      "--built-in",
      "--suite",
      "v4-browsers",
      "--allow-paid",
      "--target",
      v4,
      "--report-dir",
      reports
    ]
    const run = yield* start(args, { WEBAGENT_API_KEY: key }, harness)
    const { code, stderr } = yield* run.ended
    assert.strictEqual(code, 0, stderr + run.stdout())
    const { results } = JSON.parse(readFileSync(join(reports, "report.json"), "utf8"))
    assert.isAbove(results.length, 15)
  }).pipe(Effect.scoped)
)

it.live("a browser's crash is reported to clients and stored", () =>
  Effect.gen(function* () {
    const served = yield* serve()
    const { cdpUrl, id } = yield* create(served)
    const socket = yield* connect(cdpUrl)
    const code = closed(socket)
    const [told] = yield* Effect.all(
      [code, Effect.sync(() => pids(served.path).forEach((pid) => process.kill(pid, "SIGKILL")))],
      { concurrency: 2 }
    )
    assert.deepStrictEqual(told, [4001, "The browser crashed"])
    const { body } = yield* stop(served, id)
    assert.deepInclude(body, { id, status: "stopped" })
    assert.isString(body["finishedAt"])
    served.program.process.kill("SIGINT")
    const { stderr } = yield* served.program.ended
    assert.include(
      stderr,
      "Stopping. Browsers (0 in use) end. The next start finishes recordings that are not written yet."
    )
  }).pipe(Effect.scoped)
)

it.live("nothing is left of 50 browsers, some of them killed, nor of a killed server", () =>
  Effect.gen(function* () {
    const served = yield* serve()
    const cycle = Effect.gen(function* () {
      const { cdpUrl, id } = yield* create(served)
      const draw = yield* Random.nextIntBetween(0, 4)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const socket = yield* connect(cdpUrl)
          const code = closed(socket)
          if (draw === 0) return yield* Effect.sync(() => socket.terminate())
          assert.nestedProperty(yield* ask(socket, "Browser.getVersion"), "result.product")
          if (draw > 1) return
          // any of those that run, or that wait
          const all = pids(served.path)
          const chosen = all[yield* Random.nextIntBetween(0, all.length)]
          if (chosen === undefined) return
          yield* Effect.ignore(Effect.try(() => process.kill(chosen, "SIGKILL")))
          // the next create could get a waiting browser that is dying, before the server knows
          yield* until(() => !pids(served.path).includes(chosen), "a killed browser's record is gone")
          if (all.length === 1) yield* code
        })
      )
      const { body, status } = yield* stop(served, id)
      assert.deepStrictEqual([status, body["status"]], [200, "stopped"])
      const refused = yield* Effect.promise(() => fetch(cdpUrl.replace(/^ws/u, "http")))
      assert.strictEqual(refused.status, 410)
    })
    for (let count = 0; count < 50; count++) yield* cycle
    const { body: health } = yield* send(new URL(served.v4 ?? "").origin, key, "GET", "/health")
    assert.nestedPropertyVal(health, "browsers.active", 0)
    // those that wait for the next create: of the others, neither a process nor a folder
    const waiting = () => new Set(pools(served.path).flatMap(below).map(browserIn))
    const atWork = () => new Set(processesIn(served.path).map(commandOf).map(browserIn))
    yield* until(() => pids(served.path).length === 2 && waiting().size === 2, "two browsers wait")
    yield* until(() => [...atWork()].every((name) => name === undefined || waiting().has(name)), "no process is left")
    served.program.process.kill("SIGKILL")
    yield* until(
      () => processesIn(served.path).length === 0 && pools(served.path).length === 0,
      "nothing is left of the killed server"
    )
    // Node's cache of compiled code is for the next start
    const kept = /server\.db|profile\.key|\/files(?:\/|$)|recordings|webagent-browsers-|node-compile-cache/u
    const left = below(served.path).filter((name) => !kept.test(name))
    assert.deepStrictEqual(left, [])
  }).pipe(Random.withSeed("kills"), Effect.scoped)
)

it.live("the browser in WEBAGENT_CHROMIUM is used if the packaged one is not installed", () =>
  Effect.gen(function* () {
    const without = `import { registerHooks } from "node:module"
      registerHooks({
        resolve: (name, context, next) => {
          if (name.startsWith("@sparticuz/chromium")) throw new Error("not installed")
          return next(name, context)
        }
      })`
    const path = yield* folder
    const named = join(path, "chromium")
    const args = ["serve", "--browsers", "chromium", "--port", "0", "--api-key", key]
    const program = yield* start([...args, "--data", join(path, "server.db")], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(without)}`,
      WEBAGENT_CHROMIUM: named
    })
    const { code, stderr } = yield* program.ended
    assert.deepStrictEqual(
      [code, stderr.split("\n").filter((line) => !line.includes("level="))],
      [2, [`${named} does not exist. Check WEBAGENT_CHROMIUM.`, ""]]
    )
  }).pipe(Effect.scoped)
)
