import { assert, it } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import { Browser, BrowserPool, type LaunchWait } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Binary, ChromiumPool, DevTools, Egress, Sandbox } from "../../src/index.ts"
import { site } from "../egress/sockets.ts"
import { attach, chromiumSandbox, processesIn, runtime } from "../support/chromium.ts"
import { names } from "../support/names.ts"

const record = (id: string, expiresAt_ms: number | null = null) =>
  Browser.make({ id, proxyCountryCode: null, startedAt_ms: 0, expiresAt_ms })

/** A pool in a folder, with what it runs. */
const open = Effect.fnUntraced(function* (
  root: string,
  options: Partial<ChromiumPool.PoolOptions> = {},
  sandbox: Layer.Layer<Sandbox> = Sandbox.layerNone
) {
  const pool = ChromiumPool.layer({
    binary: yield* Binary.find(),
    chromiumSandbox: yield* chromiumSandbox,
    warm: 0,
    root,
    ...options
  })
  return yield* Layer.build(Layer.provide(pool, sandbox))
})

const launch = (browser: Browser.Browser) => BrowserPool.use((pool) => pool.launch(browser))

const room = BrowserPool.use(({ room }) => room ?? Effect.never)

const devToolsOf = (id: string) =>
  ChromiumPool.RunningBrowsers.useSync(({ find }) => find(id)?.devTools ?? assert.fail(`${id} does not run`))

/** The folder that a pool has in its root. */
const folderOf = (root: string) => join(root, readdirSync(root)[0] ?? "")

const pidOf = (root: string) => {
  const [name = ""] = readdirSync(folderOf(root)).filter((file) => file.endsWith(".pid"))
  return Number(readFileSync(join(folderOf(root), name), "utf8").split(" ")[0])
}

const until = (isSo: () => boolean) => Effect.repeat(Effect.sleep("5 millis"), { while: () => !isSo() })

it.live("hands out a different warm browser each time, and refuses more than it can hold", () =>
  Effect.gen(function* () {
    const root = yield* runtime
    const context = yield* open(root, { warm: 1, most: 2 })
    yield* Effect.gen(function* () {
      yield* until(() => existsSync(join(folderOf(root), "browser-1", "profile", "DevToolsActivePort")))
      const one = yield* launch(record("one"))
      const first = (yield* devToolsOf("one")).address
      yield* one.stop
      yield* launch(record("two"))
      assert.notStrictEqual((yield* devToolsOf("two")).address, first)
      assert.strictEqual(yield* room, 1)
      yield* launch(record("three"))
      assert.strictEqual(yield* room, 0)
      const { message, reason } = yield* Effect.flip(launch(record("four")))
      assert.deepStrictEqual([reason, message], ["full", "All 2 browsers are in use. Stop one, or try again later"])
    }).pipe(Effect.provideContext(context))
  }).pipe(Effect.scoped)
)

it.live("gives a waiting launch the browser's slot, or fails with the reason and the waiting time", () =>
  Effect.gen(function* () {
    const wait: LaunchWait = { onRefused: () => {}, onPlace: () => {}, over: Effect.never }
    const launchLater = (id: string, part: object = {}, limit: Partial<LaunchWait> = {}) =>
      BrowserPool.use((pool) => pool.launch({ ...record(id), ...part }, { ...wait, ...limit }))
    const short = yield* open(yield* runtime, { most: 0, queue: "50 millis" })
    const refused = (...launched: Parameters<typeof launchLater>) =>
      Effect.map(Effect.flip(Effect.provideContext(launchLater(...launched), short)), ({ message, reason }) => {
        assert.strictEqual(reason, "full")
        return message
      })
    const full = "All 0 browsers are in use. Stop one, or try again later."
    assert.strictEqual(yield* refused("one", { sessionId: "s" }), `${full} The run waited 50ms for a browser`)
    assert.strictEqual(
      yield* refused("one", {}, { within: "1001 millis" }),
      `${full} The request waited 1s for a browser`
    )

    const context = yield* open(yield* runtime, { most: 1, queue: "1 hour" })
    yield* Effect.gen(function* () {
      const one = yield* launch(record("one"))
      const two = yield* Effect.forkChild(launchLater("two"), { startImmediately: true })
      assert.strictEqual((yield* Effect.flip(launch(record("three")))).reason, "full")
      yield* one.stop
      yield* Fiber.join(two)
      assert.strictEqual(yield* room, 0)
    }).pipe(Effect.provideContext(context))
  }).pipe(Effect.scoped)
)

it.live("does not hand out a browser that died while waiting", () =>
  Effect.gen(function* () {
    const root = yield* runtime
    const context = yield* open(root, { warm: 1 })
    yield* Effect.gen(function* () {
      yield* until(() => existsSync(join(folderOf(root), "browser-1", "profile", "DevToolsActivePort")))
      process.kill(pidOf(root), "SIGKILL")
      // its folder does not wait for a create
      yield* until(() => !existsSync(join(folderOf(root), "browser-1")))
      yield* launch(record("one"))
      yield* Effect.scoped(DevTools.connect(yield* devToolsOf("one")))
    }).pipe(Effect.provideContext(context))
  }).pipe(Effect.scoped)
)

it.live("reports why a browser ended: killed, at the end of its lifetime, unused, or out of memory", () =>
  Effect.gen(function* () {
    const reasonOf = (
      options: Partial<ChromiumPool.PoolOptions>,
      expiresAt_ms: number | null,
      act: (root: string) => void
    ) =>
      Effect.gen(function* () {
        const root = yield* runtime
        const context = yield* open(root, options)
        const browser = yield* Effect.provideContext(launch(record("one", expiresAt_ms)), context)
        // on a machine that is slow its time may be over before
        const connection = yield* Effect.option(browser.connect)
        act(root)
        const how = yield* browser.ended ?? Effect.never
        if (Option.isSome(connection)) assert.strictEqual(yield* connection.value.ended, how)
        yield* until(() => readdirSync(folderOf(root)).length === 0)
        assert.deepStrictEqual(processesIn(join(folderOf(root), "browser-")), [])
        return how
      }).pipe(Effect.scoped)
    const nothing = () => undefined
    assert.strictEqual(yield* reasonOf({}, null, (root) => process.kill(pidOf(root), "SIGKILL")), "crashed")
    assert.strictEqual(yield* reasonOf({}, Date.now() + 2000, nothing), "expired")
    assert.strictEqual(yield* reasonOf({ idle: "200 millis" }, null, nothing), "idle")
    assert.strictEqual(yield* reasonOf({ disk_bytes: 1024 * 1024 }, null, nothing), "out_of_disk")
    if (process.platform === "linux") {
      assert.strictEqual(yield* reasonOf({ memory_bytes: 1024 * 1024 }, null, nothing), "out_of_memory")
    }
  })
)

it.live("passes messages both ways, and disconnects a client that closes the browser", () =>
  Effect.gen(function* () {
    const context = yield* open(yield* runtime)
    const browser = yield* Effect.provideContext(launch(record("one")), context)
    const transport = yield* browser.connect
    const { send } = yield* overTransport(transport)
    assert.isString((yield* send("Browser.getVersion")).product)
    assert.deepStrictEqual(yield* send("Browser.close"), {})
    assert.strictEqual(yield* transport.ended, "closed")
    const client = yield* DevTools.connect(yield* Effect.provideContext(devToolsOf("one"), context))
    assert.isString((yield* attach(client)).id)
  }).pipe(Effect.scoped)
)

it.live("leaves nothing behind when its server is killed, and stops an earlier server's browsers", () =>
  Effect.gen(function* () {
    const root = yield* runtime
    // a process of a server that is gone, as its record tells
    const left = join(root, "1-0-left")
    mkdirSync(left)
    const survivor = spawn("/bin/sleep", ["600"], { detached: true })
    const start = readFileSync(`/proc/${survivor.pid}/stat`, "latin1").split(" ")[21]
    writeFileSync(join(left, "browser-1.pid"), `${survivor.pid} ${start}`)
    const other = spawn("/bin/sleep", ["600"], { detached: true })
    writeFileSync(join(left, "browser-2.pid"), `${other.pid} 1`)
    const ended = once(survivor, "exit")

    const program = fileURLToPath(new URL("../support/pool.ts", import.meta.url))
    const server = spawn(process.execPath, ["--conditions=@webagent/source", program, root], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    yield* Effect.promise(() => once(server.stdout, "data"))
    yield* Effect.promise(() => ended)
    assert.strictEqual(readdirSync(root).length, 1)
    assert.isNotEmpty(processesIn(root))
    server.kill("SIGKILL")
    yield* until(() => processesIn(root).length === 0 && readdirSync(root).length === 0)
    // the pid came again: it is another process
    assert.isNull(other.exitCode)
    other.kill("SIGKILL")
  }).pipe(Effect.scoped)
)

it.live("stops a browser whose page fills the disk with its database or an endless download", () =>
  Effect.gen(function* () {
    const { port } = yield* site(({ url }, response) => {
      if (url === "/") return response.setHeader("content-type", "text/html").end("<title>a page</title>")
      response.setHeader("content-disposition", "attachment; filename=endless.bin")
      const more = () => {
        while (response.write(randomBytes(1024 * 1024)));
      }
      response.on("drain", more)
      response.on("error", () => undefined)
      more()
    })
    const egress = Layer.orDie(Egress.layer({ allowPrivate: [`127.0.0.1:${port}`] }))
    const sandbox = Layer.provide(Sandbox.layerProxy, Layer.provide(egress, names({ "site.test": ["127.0.0.1"] })))
    const disk_bytes = 64 * 1024 * 1024
    const context = yield* open(yield* runtime, { disk_bytes }, sandbox)
    const fills = [
      `new Promise((ok) => {
        const asked = indexedDB.open("fill", 1)
        asked.onupgradeneeded = () => asked.result.createObjectStore("all", { autoIncrement: true })
        const fill = () => {
          const written = asked.result.transaction("all", "readwrite")
          written.objectStore("all").add(new Blob([crypto.getRandomValues(new Uint8Array(65536)), new Uint8Array(4e6)]))
          written.oncomplete = written.onerror = fill
        }
        asked.onsuccess = fill
      })`,
      `location.href = "/endless"`
    ]
    for (const [n, expression] of fills.entries()) {
      const id = `fills-${n}`
      const browser = yield* Effect.provideContext(launch(record(id)), context)
      const client = yield* DevTools.connect(yield* Effect.provideContext(devToolsOf(id), context))
      const downloadPath = yield* Effect.provideContext(
        ChromiumPool.RunningBrowsers.useSync(({ find }) => find(id)?.folder ?? ""),
        context
      )
      yield* client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath })
      const session = yield* attach(client)
      yield* session.send("Page.navigate", { url: `http://site.test:${port}/` })
      yield* Effect.forkScoped(Effect.ignore(session.send("Runtime.evaluate", { expression })))
      assert.strictEqual(yield* browser.ended ?? Effect.never, "out_of_disk", expression)
      yield* until(() => !existsSync(downloadPath))
    }
  }).pipe(Effect.scoped)
)

it.live("limits a browser to its domains, and counts its bytes", () =>
  Effect.gen(function* () {
    const { port } = yield* site((_, response) => response.end("welcome"))
    const egress = Layer.orDie(Egress.layer({ allowPrivate: [`127.0.0.1:${port}`] }))
    const resolver = names({ "site.test": ["127.0.0.1"], "other.test": ["127.0.0.1"] })
    const sandbox = Layer.provide(Sandbox.layerProxy, Layer.provide(egress, resolver))
    const context = yield* open(yield* runtime, {}, sandbox)
    const browser = yield* Effect.provideContext(launch({ ...record("one"), allowedDomains: ["site.test"] }), context)
    const client = yield* DevTools.connect(yield* Effect.provideContext(devToolsOf("one"), context))
    const session = yield* attach(client)
    const visit = Effect.fnUntraced(function* (host: string) {
      yield* session.send("Page.navigate", { url: `http://${host}:${port}/` })
      const expression = "document.readyState === 'complete' || new Promise((ok) => addEventListener('load', ok))"
      yield* session.send("Runtime.evaluate", { expression, awaitPromise: true })
      const { result } = yield* session.send("Runtime.evaluate", { expression: "document.body.innerText" })
      return (result as { readonly value?: string }).value
    })
    assert.strictEqual(yield* visit("site.test"), "welcome")
    assert.isAbove((yield* browser.bytes ?? Effect.succeed(null)) ?? 0, 0)
    assert.match((yield* visit("other.test")) ?? "", /is not one of the domains/u)
    yield* browser.allowDomains?.(["other.test"]) ?? Effect.void
    assert.strictEqual(yield* visit("other.test"), "welcome")
    yield* browser.allowDomains?.(null) ?? Effect.void
    assert.match((yield* visit("other.test")) ?? "", /is not one of the domains/u)
  }).pipe(Effect.scoped)
)

it.live("stops every browser with its layer", () =>
  Effect.gen(function* () {
    const root = yield* runtime
    const scope = yield* Scope.make()
    const context = yield* Scope.provide(open(root, { warm: 1 }), scope)
    yield* Effect.provideContext(launch(record("one")), context)
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual([processesIn(root), readdirSync(root)], [[], []])
  }).pipe(Effect.scoped)
)
