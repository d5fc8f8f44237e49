import { assert, it } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import { Browser, BrowserPool, type CdpTransport } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Binary, ChromiumPool, Sandbox } from "../../src/index.ts"
import { site } from "../egress/sockets.ts"
import { attach, chromiumSandbox, runtime } from "../support/chromium.ts"
import { layerEgress } from "../support/sandboxed.ts"

/** Reads what sites look at, in the page and in a worker of it. */
const script = `(async () => {
  const read = \`(async () => ({
    language: navigator.language,
    languages: navigator.languages,
    userAgent: navigator.userAgent,
    appVersion: navigator.appVersion,
    brands: await navigator.userAgentData.getHighEntropyValues(["fullVersionList"]),
    locale: new Intl.DateTimeFormat(navigator.language).resolvedOptions().locale
  }))()\`
  const worker = new Worker(URL.createObjectURL(new Blob([read + ".then(postMessage)"])))
  // before anything else is awaited: a worker drops what comes while no one listens
  const inWorker = new Promise((ok) => (worker.onmessage = ({ data }) => ok(data)))
  return {
    headers: JSON.parse(document.body.innerText),
    fetched: await (await fetch("/")).json(),
    page: await eval(read),
    worker: await inWorker,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    screen: [screen.width, screen.height, innerWidth, innerHeight]
  }
})()`

interface Seen {
  readonly headers: Readonly<Record<string, string>>
  readonly fetched: Readonly<Record<string, string>>
  readonly page: Readonly<Record<string, string>> & { readonly languages: ReadonlyArray<string> }
  readonly worker: Seen["page"]
  readonly timeZone: string
  readonly screen: ReadonlyArray<number>
}

const see = Effect.fnUntraced(function* (connect: CdpTransport, url: string) {
  const client = yield* overTransport(connect)
  const session = yield* attach(client)
  const { loaderId } = yield* session.send("Page.navigate", { url })
  yield* Effect.repeat(session.send("Page.getFrameTree", {}), {
    until: ({ frameTree }) => frameTree.frame.loaderId === loaderId
  })
  const loaded = "new Promise((ok) => document.readyState === 'complete' ? ok() : addEventListener('load', ok))"
  yield* session.send("Runtime.evaluate", { expression: loaded, awaitPromise: true })
  const { exceptionDetails, result } = yield* session.send("Runtime.evaluate", {
    expression: script,
    awaitPromise: true,
    returnByValue: true
  })
  assert.isUndefined(exceptionDetails, JSON.stringify(exceptionDetails))
  return (result as { readonly value: Seen }).value
})

it.live(
  "pages see the languages of their browser or its pool, valid for Intl, and the user agent of a Chrome with a window",
  () =>
    Effect.gen(function* () {
      const { port } = yield* site(({ headers }, response) => {
        response.setHeader("content-type", "text/html").end(JSON.stringify(headers))
      })
      const check = Effect.fnUntraced(function* (connect: CdpTransport, expected: ReadonlyArray<string>) {
        const { fetched, headers, page, screen, timeZone, worker } = yield* see(connect, `http://127.0.0.1:${port}/`)
        for (const one of [page, worker]) {
          assert.deepStrictEqual([one.language, one.languages], [expected[0], expected])
          assert.strictEqual(one.locale, expected[0])
          assert.match(one.userAgent ?? "", / Chrome\/\d+\.0\.0\.0 Safari\/537\.36$/u)
        }
        for (const one of [headers, fetched]) {
          assert.strictEqual(one["accept-language"], expected.join(","))
          assert.strictEqual(one["user-agent"], page.userAgent)
        }
        assert.property(headers, "sec-ch-ua")
        assert.notMatch(JSON.stringify([headers, fetched, page, worker]), /headless/iu)
        assert.doesNotThrow(() => new Intl.DateTimeFormat("en", { timeZone }))
        assert.deepStrictEqual(screen, [1280, 720, 1280, 720])
      })
      for (const [options, own, usual] of [
        [{}, ["de-DE", "de", "en"], ["en-US", "en"]],
        [{ languages: ["fr-FR", "fr"] }, ["en-US", "en"], ["fr-FR", "fr"]]
      ] as const) {
        yield* Effect.gen(function* () {
          const root = yield* runtime
          const pool = ChromiumPool.layer({
            binary: yield* Binary.find(),
            chromiumSandbox: yield* chromiumSandbox,
            warm: 1,
            root,
            ...options
          })
          const sandbox = Layer.provide(Sandbox.layerProxy, layerEgress({ allowPrivate: [`127.0.0.1:${port}`] }))
          const context = yield* Layer.build(Layer.provide(pool, sandbox))
          const launch = Effect.fnUntraced(function* (id: string, languages: ReadonlyArray<string> | null) {
            const record = Browser.make({ id, proxyCountryCode: null, startedAt_ms: 0, languages })
            const { launch } = Context.get(context, BrowserPool)
            const { connect } = yield* launch(record)
            return yield* connect
          })
          const [folder = ""] = readdirSync(root)
          const starts = () => existsSync(join(root, folder, "browser-1", "profile", "DevToolsActivePort"))
          yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => !starts() })
          // meanwhile, the first browser of the pool becomes ready
          yield* launch("first", own)
          yield* check(yield* launch("own", own), own)
          yield* check(yield* launch("usual", null), usual)
          const { find } = Context.get(context, ChromiumPool.RunningBrowsers)
          assert.strictEqual(find("usual")?.folder, join(root, folder, "browser-1"))
        }).pipe(Effect.scoped)
      }
    }).pipe(Effect.scoped)
)
