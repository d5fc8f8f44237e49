import { assert, layer } from "@effect/vitest"
import { server } from "../clients.ts"
import * as Effect from "effect/Effect"
import { type Browser, connect as connectPuppeteer } from "puppeteer-core"
import { create, greeting, rejection, stop } from "./browsers.ts"

const promise = <A>(run: () => Promise<A>) => Effect.promise(run)

/** A connection that is given up at the end of the test. */
const connect = (cdpUrl: string) =>
  Effect.acquireRelease(
    promise(() => connectPuppeteer({ browserWSEndpoint: cdpUrl })),
    (connection) => promise(() => connection.disconnect())
  )

const titles = (connection: Browser) =>
  promise(async () => Promise.all((await connection.pages()).map((page) => page.title())))

const gone = (connection: Browser) =>
  Effect.callback<void>((resume) => {
    connection.once("disconnected", () => resume(Effect.void))
  })

layer(server, { excludeTestServices: true })("Puppeteer", (it) => {
  it.effect("connects, reads the version, and finds the browser's first page", () =>
    Effect.gen(function* () {
      const connection = yield* connect((yield* create).cdpUrl)
      assert.strictEqual(yield* promise(() => connection.version()), "SimulatedBrowser/1.0")
      assert.include(yield* promise(() => connection.userAgent()), "simulated")
      const pages = yield* promise(() => connection.pages())
      assert.deepStrictEqual(
        pages.map((page) => page.url()),
        ["about:blank"]
      )
    })
  )

  it.effect("opens pages with title, text and reload, and reports pages that can't be opened", () =>
    Effect.gen(function* () {
      const connection = yield* connect((yield* create).cdpUrl)
      const page = yield* promise(() => connection.newPage())
      yield* promise(() => page.goto(greeting))
      assert.strictEqual(page.url(), greeting)
      assert.strictEqual(yield* promise(() => page.title()), "Red mug")
      assert.strictEqual(yield* promise(() => page.evaluate("document.body.textContent")), "Café")
      yield* promise(() => page.reload())
      assert.strictEqual(yield* promise(() => page.title()), "Red mug")
      assert.include(yield* promise(() => rejection(page.goto("http://example.com/"))), "this browser is simulated")
      yield* promise(() => page.goto("about:blank"))
      assert.strictEqual(page.url(), "about:blank")
    })
  )

  it.effect("evaluates literals and handles, and refuses other expressions", () =>
    Effect.gen(function* () {
      const connection = yield* connect((yield* create).cdpUrl)
      const page = yield* promise(() => connection.newPage())
      assert.strictEqual(yield* promise(() => page.evaluate("7")), 7)
      assert.deepStrictEqual(yield* promise(() => page.evaluate(() => ({ a: [1, "x", null], b: { c: true } }))), {
        a: [1, "x", null],
        b: { c: true }
      })
      const handle = yield* promise(() => page.evaluateHandle(() => ({ name: "mug", sizes: [1, 2] })))
      assert.deepStrictEqual(yield* promise(() => handle.jsonValue()), { name: "mug", sizes: [1, 2] })
      assert.include(
        yield* promise(() => rejection(page.evaluate(() => fetch("/")))),
        "this browser is simulated: it evaluates literals, document.title and the page's text only"
      )
    })
  )

  it.effect("leaves the browser and its pages unchanged after disconnect and even close", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const first = yield* connect(cdpUrl)
      const page = yield* promise(() => first.newPage())
      yield* promise(() => page.goto(greeting))
      yield* promise(() => first.disconnect())
      const second = yield* connect(cdpUrl)
      assert.deepStrictEqual(yield* titles(second), ["", "Red mug"])
      yield* Effect.all([gone(second), promise(() => second.close())], { concurrency: 2 })
      const third = yield* connect(cdpUrl)
      assert.deepStrictEqual(yield* titles(third), ["", "Red mug"])
    })
  )

  it.effect("shows two clients each other's pages as they open and close", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const [first, second] = [yield* connect(cdpUrl), yield* connect(cdpUrl)]
      const seen = promise(() => second.waitForTarget((target) => target.url() === greeting))
      const page = yield* promise(() => first.newPage())
      yield* promise(() => page.goto(greeting))
      const target = yield* seen
      const same = yield* promise(() => target.page())
      assert.strictEqual(yield* promise(() => same?.title() ?? Promise.resolve("no page")), "Red mug")
      const left = Effect.callback<void>((resume) => {
        second.once("targetdestroyed", () => resume(Effect.void))
      })
      yield* Effect.all([left, promise(() => page.close())], { concurrency: 2 })
      assert.lengthOf(yield* promise(() => second.pages()), 1)
    })
  )

  it.effect("ends the browser only with the service's stop, which disconnects clients and refuses later ones", () =>
    Effect.gen(function* () {
      const browser = yield* create
      const connection = yield* connect(browser.cdpUrl)
      const [, stopped] = yield* Effect.all([gone(connection), stop(browser)], { concurrency: 2 })
      assert.strictEqual(stopped.status, "stopped")
      assert.isFalse(connection.connected)
      const refused = yield* promise(() => rejection(connectPuppeteer({ browserWSEndpoint: browser.cdpUrl })))
      assert.notStrictEqual(refused, "not rejected")
    })
  )
})
