import { assert, it } from "@effect/vitest"
import { Browser, BrowserPool, Cdp, type CdpTransport } from "@webagent/engine"
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
  const read = \`({
    language: navigator.language,
    languages: navigator.languages,
    userAgent: navigator.userAgent,
    appVersion: navigator.appVersion,
    locale: new Intl.DateTimeFormat(navigator.language).resolvedOptions().locale
  })\`
  const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(" + read + ")"])))
  return {
    headers: JSON.parse(document.body.innerText),
    fetched: await (await fetch("/")).json(),
    page: eval(read),
    worker: await new Promise((ok) => (worker.onmessage = ({ data }) => ok(data))),
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
  const client = yield* Cdp.over(connect)
  const session = yield* attach(client)
  const { loaderId } = yield* client.send("Page.navigate", { url }, session)
  yield* Effect.repeat(client.send("Page.getFrameTree", {}, session), {
    until: ({ frameTree }) =>
      (frameTree as { readonly frame: { readonly loaderId: string } }).frame.loaderId === loaderId
  })
  const loaded = "new Promise((ok) => document.readyState === 'complete' ? ok() : addEventListener('load', ok))"
  yield* client.send("Runtime.evaluate", { expression: loaded, awaitPromise: true }, session)
  const { exceptionDetails, result } = yield* client.send(
    "Runtime.evaluate",
    { expression: script, awaitPromise: true, returnByValue: true },
    session
  )
  assert.isUndefined(exceptionDetails, JSON.stringify(exceptionDetails))
  return (result as { readonly value: Seen }).value
})

it.live(
  "pages see languages that Intl accepts, those of a browser or of its pool, and the user agent of a Chrome with a window",
  () =>
    Effect.gen(function* () {
      const { port } = yield* site(({ headers }, response) => {
        response.setHeader("content-type", "text/html").end(JSON.stringify(headers))
      })
      const seenBy = (languages: ReadonlyArray<string> | null, options: Partial<ChromiumPool.PoolOptions>) =>
        Effect.gen(function* () {
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
          // one waits that may have other languages
          const [own = ""] = readdirSync(root)
          const waits = () => existsSync(join(root, own, "browser-1", "profile", "DevToolsActivePort"))
          yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => !waits() })
          const record = Browser.make({ id: "one", proxyCountryCode: null, startedAt_ms: 0, languages })
          const { connect } = yield* Effect.provideContext(
            BrowserPool.use(({ launch }) => launch(record)),
            context
          )
          return yield* see(yield* connect, `http://127.0.0.1:${port}/`)
        }).pipe(Effect.scoped)

      for (const [languages, options, expected] of [
        [null, {}, ["en-US", "en"]],
        [null, { languages: ["fr-FR", "fr"] }, ["fr-FR", "fr"]],
        [["de-DE", "de", "en"], {}, ["de-DE", "de", "en"]],
        [["en-US", "en"], { languages: ["fr-FR", "fr"] }, ["en-US", "en"]]
      ] as const) {
        const { fetched, headers, page, screen, timeZone, worker } = yield* seenBy(languages, options)
        for (const one of [page, worker]) {
          assert.deepStrictEqual([one.language, one.languages], [expected[0], expected])
          assert.strictEqual(one.locale, expected[0])
          assert.match(one.userAgent ?? "", / Chrome\/\d+\.0\.0\.0 Safari\/537\.36$/u)
        }
        for (const one of [headers, fetched]) {
          assert.strictEqual(one["accept-language"], expected.join(","))
          assert.strictEqual(one["user-agent"], page.userAgent)
        }
        assert.notMatch(JSON.stringify([headers["user-agent"], fetched["user-agent"], page, worker]), /headless/iu)
        assert.doesNotThrow(() => new Intl.DateTimeFormat("en", { timeZone }))
        assert.deepStrictEqual(screen, [1280, 720, 1280, 720])
      }
    }).pipe(Effect.scoped)
)
