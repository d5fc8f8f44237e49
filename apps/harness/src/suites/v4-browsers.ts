import { Browser, UpdatedBrowser } from "@webagent/contract/v4"
import { check, scenario, type ScenarioContext, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const paid = { needs: ["money"] } as const
const ours = { needs: ["money", "assumptions"] } as const

const Version = Schema.Struct({ product: Schema.NonEmptyString, protocolVersion: Schema.NonEmptyString })

const stop = (request: ScenarioContext["request"], id: string) =>
  request("v4", { method: "PATCH", path: `/browsers/${id}`, body: { action: "stop" } })

/** Asks the browser who it is, over a connection of its own that is closed again. */
const version = (cdp: ScenarioContext["cdp"], url: string) =>
  Effect.scoped(Effect.flatMap(cdp(url), (connection) => connection.send("Browser.getVersion"))).pipe(
    Effect.flatMap((answer) => check.schema(Version, answer, "a CDP response to Browser.getVersion"))
  )

export default Suite.make("v4-browsers", [
  scenario("creating a browser returns its id and cdpUrl", paid, function* ({ request, v4 }) {
    const answer = yield* request("v4", { method: "POST", path: "/browsers", body: {} })
    yield* check.status(answer, "2xx")
    const browser = yield* check.schema(Browser, answer.body, "a browser with id and cdpUrl")
    yield* Effect.addFinalizer(() => Effect.ignore(v4.browsers.stop(browser.id)))
    yield* check.that("cdpUrl is an address", /^(?:wss?|https?):\/\//u.test(browser.cdpUrl), {
      expected: "a WebSocket or HTTP address",
      actual: browser.cdpUrl
    })
  }),
  scenario("two browsers have different ids and addresses", paid, function* ({ v4 }) {
    const first = yield* v4.browsers.acquire()
    const second = yield* v4.browsers.acquire()
    yield* check.that("the ids differ", first.id !== second.id)
    yield* check.that("the cdpUrls differ", first.cdpUrl !== second.cdpUrl)
  }),
  scenario("a browser speaks CDP at its cdpUrl", paid, function* ({ cdp, v4 }) {
    const browser = yield* v4.browsers.acquire()
    yield* version(cdp, browser.cdpUrl)
  }),
  scenario("several CDP commands on one connection get their own responses", paid, function* ({ cdp, v4 }) {
    const browser = yield* v4.browsers.acquire()
    const connection = yield* cdp(browser.cdpUrl)
    const answers = yield* Effect.all(
      Array.from({ length: 5 }, () => connection.send("Browser.getVersion")),
      { concurrency: "unbounded" }
    )
    for (const answer of answers) yield* check.schema(Version, answer)
  }),
  scenario("an unknown CDP method returns an error and keeps the connection", paid, function* ({ cdp, v4 }) {
    const browser = yield* v4.browsers.acquire()
    const connection = yield* cdp(browser.cdpUrl)
    const error = yield* check.fails(connection.send("Nothing.atAll"), "CdpError")
    yield* check.equal(error.code, -32_601, "the JSON-RPC code for an unknown method")
    yield* check.schema(Version, yield* connection.send("Browser.getVersion"))
  }),
  scenario("closing the CDP connection does not stop the browser", paid, function* ({ cdp, v4 }) {
    const browser = yield* v4.browsers.acquire()
    yield* version(cdp, browser.cdpUrl)
    yield* version(cdp, browser.cdpUrl)
    yield* version(cdp, browser.cdpUrl)
  }),
  scenario("a browser accepts another connection", paid, function* ({ cdp, v4 }) {
    const browser = yield* v4.browsers.acquire()
    const first = yield* cdp(browser.cdpUrl)
    yield* version(cdp, browser.cdpUrl)
    yield* check.schema(Version, yield* first.send("Browser.getVersion"), "the first connection's response")
  }),
  scenario("a stopped browser is unreachable at its cdpUrl", paid, function* ({ cdp, v4 }) {
    const browser = yield* v4.browsers.acquire()
    yield* version(cdp, browser.cdpUrl)
    yield* v4.browsers.stop(browser.id)
    yield* check.fails(Effect.scoped(cdp(browser.cdpUrl)), "CdpError", "connecting after the stop is refused")
  }),
  scenario("stopping one browser leaves the others running", paid, function* ({ cdp, v4 }) {
    const first = yield* v4.browsers.acquire()
    const second = yield* v4.browsers.acquire()
    yield* v4.browsers.stop(first.id)
    yield* version(cdp, second.cdpUrl)
  }),
  scenario("a browser stops when the code that uses it fails", paid, function* ({ cdp, v4 }) {
    let url = ""
    const failure = v4.browsers.use(undefined, (browser) => {
      url = browser.cdpUrl
      return Effect.fail({ _tag: "UserFailed" } as const)
    })
    yield* check.fails(failure, "UserFailed")
    yield* check.fails(Effect.scoped(cdp(url)), "CdpError", "connecting afterwards is refused")
  }),
  scenario("creating a browser returns 201 with the browser", ours, function* ({ request, v4 }) {
    const answer = yield* request("v4", { method: "POST", path: "/browsers", body: {} })
    yield* check.status(answer, 201)
    const browser = yield* check.schema(Browser, answer.body)
    yield* Effect.addFinalizer(() => Effect.ignore(v4.browsers.stop(browser.id)))
    yield* check.equal(browser.status, "active", "status")
    yield* check.equal(browser.finishedAt, null, "finishedAt while active")
    yield* check.equal(browser.proxyCountryCode, null, "proxyCountryCode, when none was asked for")
    yield* check.match(browser.startedAt, /Z$/u, "startedAt, in UTC with Z")
  }),
  scenario("a create without a body starts a browser without options", ours, function* ({ request, v4 }) {
    const answer = yield* request("v4", { method: "POST", path: "/browsers" })
    yield* check.status(answer, 201)
    yield* v4.browsers.stop((yield* check.schema(Browser, answer.body)).id)
  }),
  scenario("a browser keeps its proxyCountryCode", ours, function* ({ request, v4 }) {
    const answer = yield* request("v4", { method: "POST", path: "/browsers", body: { proxyCountryCode: "no" } })
    if (answer.status === 422) {
      // real browsers have a proxy only in the countries that their server was given
      return yield* check.match(JSON.stringify(answer.body), /no proxy in country/u, "why the country is refused")
    }
    yield* check.status(answer, 201)
    const browser = yield* check.schema(Browser, answer.body)
    yield* Effect.addFinalizer(() => Effect.ignore(v4.browsers.stop(browser.id)))
    yield* check.equal(browser.proxyCountryCode, "no", "proxyCountryCode")
  }),
  scenario("stopping a browser returns 200 with the stopped browser", ours, function* ({ request, v4 }) {
    const browser = yield* v4.browsers.acquire()
    const answer = yield* stop(request, browser.id)
    yield* check.status(answer, 200)
    const stopped = yield* check.schema(UpdatedBrowser, answer.body)
    yield* check.equal(stopped.id, browser.id, "the id")
    yield* check.equal(stopped.status, "stopped", "status")
    yield* check.that("finishedAt is not before startedAt", (stopped.finishedAt ?? "") >= (browser.startedAt ?? "?"))
  }),
  scenario("stopping a browser twice has no further effect", ours, function* ({ request, v4 }) {
    const browser = yield* v4.browsers.acquire()
    const first = yield* stop(request, browser.id)
    const second = yield* stop(request, browser.id)
    yield* check.status(second, 200)
    yield* check.deepEqual(second.body, first.body, "the second answer")
  }),
  scenario("stopping a browser closes its connections", ours, function* ({ cdp, v4 }) {
    const browser = yield* v4.browsers.acquire()
    const connection = yield* cdp(browser.cdpUrl)
    yield* v4.browsers.stop(browser.id)
    const closed = yield* Effect.timeoutOption(connection.closed, "5 seconds")
    yield* check.equal(closed._tag, "Some", "the connection is closed by the service")
  }),
  scenario(
    "the CDP endpoint returns 410 for a stopped browser and 404 for an unknown one",
    ours,
    function* ({ request, v4 }) {
      const browser = yield* v4.browsers.acquire()
      yield* v4.browsers.stop(browser.id)
      const path = `/browsers/${browser.id}/cdp${new URL(browser.cdpUrl).search}`
      const gone = yield* request("v4", { method: "GET", path, apiKey: null })
      yield* check.status(gone, 410)
      const unknown = yield* request("v4", { method: "GET", path: "/browsers/unknown/cdp", apiKey: null })
      yield* check.status(unknown, 404)
      yield* check.deepEqual(unknown.body, { detail: "Browser not found" }, "the body")
    }
  ),
  scenario(
    "an action other than stop returns 422 and keeps the browser running",
    ours,
    function* ({ cdp, request, v4 }) {
      const browser = yield* v4.browsers.acquire()
      for (const body of [{ action: "pause" }, { action: "STOP" }, { action: null }, {}]) {
        yield* check.status(yield* request("v4", { method: "PATCH", path: `/browsers/${browser.id}`, body }), 422)
      }
      yield* version(cdp, browser.cdpUrl)
    }
  )
])
