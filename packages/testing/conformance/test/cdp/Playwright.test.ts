import { assert, layer } from "@effect/vitest"
import { server } from "../clients.ts"
import * as Effect from "effect/Effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { create, greeting, rejection, stop } from "./browsers.ts"

/** A connection that is closed at the end of the test. */
const connect = (cdpUrl: string) =>
  Effect.acquireRelease(
    Effect.promise(() => chromium.connectOverCDP(cdpUrl)),
    (connection) => Effect.promise(() => connection.close())
  )

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

const pagesOf = (connection: Browser): ReadonlyArray<Page> =>
  connection.contexts().flatMap((context) => context.pages())

const newPage = (connection: Browser) =>
  promise(() => {
    const [context] = connection.contexts()
    return context === undefined ? Promise.reject(new Error("no default context")) : context.newPage()
  })

const titles = (connection: Browser) => promise(() => Promise.all(pagesOf(connection).map((page) => page.title())))

const gone = (connection: Browser) =>
  Effect.callback<void>((resume) => {
    connection.once("disconnected", () => resume(Effect.void))
  })

layer(server, { excludeTestServices: true })("Playwright", (it) => {
  it.effect("connects, reads the version, and finds a context with the browser's first page", () =>
    Effect.gen(function* () {
      const connection = yield* connect((yield* create).cdpUrl)
      assert.strictEqual(connection.version(), "1.0")
      assert.lengthOf(connection.contexts(), 1)
      assert.deepStrictEqual(
        pagesOf(connection).map((page) => page.url()),
        ["about:blank"]
      )
    })
  )

  it.effect("opens pages with title, text and reload, and reports pages that can't be opened", () =>
    Effect.gen(function* () {
      const page = yield* newPage(yield* connect((yield* create).cdpUrl))
      assert.strictEqual(page.url(), "about:blank")
      yield* promise(() => page.goto(greeting))
      assert.strictEqual(page.url(), greeting)
      assert.strictEqual(yield* promise(() => page.title()), "Red mug")
      assert.strictEqual(yield* promise(() => page.evaluate("document.body.textContent")), "Café")
      yield* promise(() => page.reload())
      assert.strictEqual(yield* promise(() => page.title()), "Red mug")
      const refused = yield* promise(() => rejection(page.goto("http://example.com/")))
      assert.include(refused, "net::ERR_ACCESS_DENIED")
      assert.include(refused, "this browser is simulated")
      yield* promise(() => page.goto("about:blank"))
      assert.strictEqual(yield* promise(() => page.title()), "")
    })
  )

  it.effect("evaluates literals and handles, and refuses other expressions", () =>
    Effect.gen(function* () {
      const page = yield* newPage(yield* connect((yield* create).cdpUrl))
      assert.strictEqual(yield* promise(() => page.evaluate("-0")), -0)
      const mixed = { a: [1, "x", null, true], b: { c: -0 } }
      assert.deepStrictEqual(yield* promise(() => page.evaluate('({ a: [1, "x", null, true], b: { c: -0 } })')), mixed)
      assert.isTrue(Number.isNaN(yield* promise(() => page.evaluate("NaN"))))
      const handle = yield* promise(() => page.evaluateHandle(() => ({ name: "mug", sizes: [1, 2] })))
      assert.deepStrictEqual(yield* promise(() => handle.jsonValue()), { name: "mug", sizes: [1, 2] })
      assert.include(
        yield* promise(() => rejection(page.evaluate(() => fetch("/")))),
        "this browser is simulated: it evaluates literals, document.title and the page's text only"
      )
    })
  )

  it.effect("disposes of its own context with the connection, and keeps the default context's pages", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      yield* Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* connect(cdpUrl)
          const kept = yield* newPage(connection)
          yield* promise(() => kept.goto(greeting))
          const own = yield* promise(() => connection.newContext())
          yield* promise(() => own.newPage())
          const closed = yield* newPage(connection)
          yield* promise(() => closed.close())
        })
      )
      const again = yield* connect(cdpUrl)
      assert.lengthOf(again.contexts(), 1)
      assert.deepStrictEqual(yield* titles(again), ["", "Red mug"])
    })
  )

  it.effect("shows two clients the same pages, and one that leaves doesn't affect the other", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const first = yield* connect(cdpUrl)
      const second = yield* connect(cdpUrl)
      const seen = Effect.callback<Page>((resume) => {
        second.contexts()[0]?.once("page", (page) => resume(Effect.succeed(page)))
      })
      const [opened, same] = yield* Effect.all([newPage(first), seen], { concurrency: 2 })
      yield* promise(() => opened.goto(greeting))
      yield* promise(() => same.waitForURL(greeting))
      assert.strictEqual(yield* promise(() => same.title()), "Red mug")
      yield* promise(() => first.close())
      assert.isTrue(second.isConnected())
      assert.strictEqual(yield* promise(() => same.evaluate("42")), 42)
    })
  )

  it.effect("ends the browser only with the service's stop, which disconnects clients and refuses later ones", () =>
    Effect.gen(function* () {
      const browser = yield* create
      const connection = yield* connect(browser.cdpUrl)
      const [, stopped] = yield* Effect.all([gone(connection), stop(browser)], { concurrency: 2 })
      assert.strictEqual(stopped.status, "stopped")
      assert.isFalse(connection.isConnected())
      assert.include(yield* promise(() => rejection(chromium.connectOverCDP(browser.cdpUrl))), "410")
    })
  )
})
