import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Dns from "effect/net/Dns"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import { connect } from "node:net"
import { Egress, type EgressOptions } from "../../src/egress/Egress.ts"
import { names, record } from "../support/names.ts"
import { ask, isPromptInParts, site, sockets, talk } from "./sockets.ts"

const hosts = {
  "site.test": ["127.0.0.1"],
  "deep.site.test": ["127.0.0.1"],
  "inside.test": ["127.0.0.2"],
  "half.test": ["8.8.8.8", "10.0.0.5"],
  localhost: ["127.0.0.1"],
  "metadata.google.internal": ["169.254.169.254"],
  "two.test": ["127.0.0.3", "127.0.0.1"],
  "six.test": ["8.8.8.8", "fd00::5"]
}

const known = names(hosts)

/** A proxy as one browser has it. */
const open = (options: EgressOptions, country: string | null = null, dns = known) =>
  Effect.gen(function* () {
    const egress = yield* Egress
    const proxy = yield* egress.open(country)
    return { ...proxy, port: yield* proxy.listen() }
  }).pipe(Effect.provide(Layer.provide(Egress.layer(options), dns)))

const get = (url: string, more = "") => `GET ${url} HTTP/1.1\r\nHost: any\r\nConnection: close\r\n${more}\r\n`
const tunnel = (to: string) => `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/u.exec(answer)?.[1])
const sentenceOf = (answer: string) => answer.slice(answer.indexOf("\r\n\r\n") + 4).trim()

const greeting = site(({ headers }, response) => {
  response.end(`hello ${headers["x-asked"] ?? "you"}${headers["x-mine"] ?? ""}${headers["proxy-authorization"] ?? ""}`)
})

const echo = sockets((socket) => socket.pipe(socket))

describe("a browser's proxy", () => {
  it.live("fetches allowed addresses with the host that was checked", () =>
    Effect.gen(function* () {
      const { hits, port } = yield* greeting
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`] })
      const more = "Proxy-Authorization: Basic c2VjcmV0\r\nConnection: X-Mine\r\nX-Mine: 1\r\nX-Asked: me\r\n"
      const answer = yield* ask(proxy.port, get(`http://site.test:${port}/a?b=c`, more))
      assert.strictEqual(statusOf(answer), 200)
      assert.match(answer, /hello me(?:\r\n|$)/u)
      assert.deepStrictEqual(hits, [`GET /a?b=c site.test:${port}`])
    })
  )

  it.live("sends the body of a request with its own framing", () =>
    Effect.gen(function* () {
      const { port } = yield* site((request, response) => request.pipe(response))
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`] })
      const smuggled = "GET /smuggled HTTP/1.1\r\n\r\n"
      const head = `DELETE http://site.test:${port}/ HTTP/1.1\r\nHost: any\r\nConnection: close\r\n`
      const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
      const answer = yield* ask(proxy.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)
      assert.match(answer, /^HTTP\/1\.1 200[^]*GET \/smuggled/u)
      const sized = yield* ask(proxy.port, `${head}Content-Length: 5\r\n\r\nhello`)
      assert.match(sized, /^HTTP\/1\.1 200[^]*hello/u)
    })
  )

  it.live("carries a tunnel both ways, closes it when a side closes, and counts its bytes", () =>
    Effect.gen(function* () {
      const port = yield* echo
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`] })
      const client = yield* talk(proxy.port)
      client.socket.write(`${tunnel(`site.test:${port}`)}early `)
      yield* Effect.promise(() => client.until("early"))
      assert.deepStrictEqual(yield* proxy.bytes, { sent: 6, received: 6 })
      client.socket.end("late")
      assert.match(yield* Effect.promise(() => client.ended), /^HTTP\/1\.1 200 .*\r\n\r\nearly late$/su)
      assert.deepStrictEqual(yield* proxy.bytes, { sent: 10, received: 10 })
    })
  )

  it.live("forwards each part of a message immediately", () =>
    Effect.gen(function* () {
      const port = yield* sockets((socket) => {
        let length = 0
        socket.on("data", (text) => {
          length += text.length
          if (length % 2 === 0) socket.write("answer")
        })
      })
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`] })
      const { socket, until } = yield* talk(proxy.port)
      socket.setNoDelay()
      socket.write(tunnel(`site.test:${port}`))
      yield* Effect.promise(() => until("\r\n\r\n"))
      const answered = () => new Promise((resolve) => socket.once("data", resolve))
      assert.isTrue(yield* Effect.promise(() => isPromptInParts(() => socket.write("x"), answered)))
    })
  )

  it.live("carries a WebSocket, requested through a tunnel or by its URL", () =>
    Effect.gen(function* () {
      const { hits, port, server } = yield* greeting
      server.on("upgrade", (request, socket) => {
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`)
        hits.push(`${request.url} ${request.headers.host}`)
        socket.pipe(socket)
      })
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`] })
      for (const [before, url] of [
        ["", `http://site.test:${port}/ws`],
        [tunnel(`site.test:${port}`), "/ws"]
      ] as const) {
        const client = yield* talk(proxy.port)
        if (before !== "") {
          client.socket.write(before)
          yield* Effect.promise(() => client.until("\r\n\r\n"))
        }
        const host = before === "" ? "any" : `site.test:${port}`
        client.socket.write(`GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
        yield* Effect.promise(() => client.until("101 Switching"))
        client.socket.write("frames")
        yield* Effect.promise(() => client.until("frames"))
      }
      assert.deepStrictEqual(hits, [`/ws site.test:${port}`, `/ws site.test:${port}`])
    })
  )

  it.live("refuses non-public addresses in every spelling with one sentence, without connecting", () =>
    Effect.gen(function* () {
      const { hits, port } = yield* greeting
      const proxy = yield* open({ ports: [80, 443, port] })
      for (const host of [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "0.0.0.0",
        "169.254.169.254",
        "2852039166",
        "[::ffff:169.254.169.254]",
        "[fd00:ec2::254]",
        "metadata.google.internal",
        "site.test",
        "half.test",
        "six.test"
      ]) {
        for (const request of [tunnel(`${host}:${port}`), get(`http://${host}:${port}/`)]) {
          const answer = yield* ask(proxy.port, request)
          assert.strictEqual(statusOf(answer), 403, `${host}: ${answer}`)
          assert.match(sentenceOf(answer), /^"[^"]+" (is not public: |does not only have public addresses).+\.$/u)
          if (request.startsWith("GET")) assert.match(answer, /^proxy-status: webagent; error=http_request_denied\r$/mu)
        }
      }
      assert.deepStrictEqual(hits, [])
    })
  )

  it.live("does not reveal the addresses of a name", () =>
    Effect.gen(function* () {
      const proxy = yield* open({})
      assert.notMatch(yield* ask(proxy.port, tunnel("half.test:443")), /10\.0\.0\.5|8\.8\.8\.8/u)
    })
  )

  it.live("connects to the address that it checked, even if the name has another one by then", () =>
    Effect.gen(function* () {
      const allowed = yield* greeting
      const secret = yield* site((_, response) => response.end("secret"), "127.0.0.2", allowed.port)
      let asked = 0
      const rebinding = Layer.succeed(
        Dns.Dns,
        Dns.make({
          lookup: () => Effect.die("The system's resolver is not asked."),
          resolve: (_, type) =>
            Effect.sync(() => (type === "A" ? [record(asked++ === 0 ? "127.0.0.1" : "127.0.0.2")] : []))
        })
      )
      const options = { allowPrivate: [`127.0.0.1:${allowed.port}`], ports: [allowed.port] }
      const proxy = yield* open(options, null, rebinding)
      const url = `http://rebind.test:${allowed.port}/`
      assert.match(yield* ask(proxy.port, get(url)), /hello you/u)
      assert.strictEqual(asked, 1)
      assert.strictEqual(statusOf(yield* ask(proxy.port, get(url))), 403)
      assert.strictEqual(asked, 2)
      assert.deepStrictEqual([allowed.hits.length, secret.hits.length], [1, 0])
    })
  )

  it.live("tries the other addresses of a name if one does not respond", () =>
    Effect.gen(function* () {
      const { port } = yield* greeting
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`, `127.0.0.3:${port}`] })
      assert.strictEqual(statusOf(yield* ask(proxy.port, get(`http://two.test:${port}/`))), 200)
    })
  )

  it.live("reaches only the domains of its browser", () =>
    Effect.gen(function* () {
      const { port } = yield* greeting
      const options = { allowPrivate: [`127.0.0.1:${port}`] }
      const status = (domains: ReadonlyArray<string>, host: string) =>
        Effect.gen(function* () {
          const proxy = yield* open(options)
          yield* proxy.allow(domains)
          return statusOf(yield* ask(proxy.port, get(`http://${host}:${port}/`)))
        })
      assert.strictEqual(yield* status(["Site.test"], "site.test"), 200)
      assert.strictEqual(yield* status(["site.test"], "SITE.TEST."), 200)
      assert.strictEqual(yield* status(["site.test"], "deep.site.test"), 403)
      assert.strictEqual(yield* status(["*.site.test"], "deep.site.test"), 200)
      assert.strictEqual(yield* status(["*.site.test"], "site.test"), 403)
      assert.strictEqual(yield* status(["ite.test"], "site.test"), 403)
      assert.strictEqual(yield* status(["other.test"], "127.0.0.1"), 403)
      assert.strictEqual(yield* status([], "site.test"), 403)
    })
  )

  it.live("closes connections to domains that are removed while it runs, including those in progress", () =>
    Effect.gen(function* () {
      const port = yield* echo
      const asked = yield* Deferred.make<void>()
      const told = yield* Deferred.make<void>()
      const slow = Layer.succeed(
        Dns.Dns,
        Dns.make({
          lookup: () => Effect.die("The system's resolver is not asked."),
          resolve: Effect.fnUntraced(function* (name, type) {
            if (name === "slow.test") {
              yield* Deferred.succeed(asked, undefined)
              yield* Deferred.await(told)
            }
            return type === "A" ? [record("127.0.0.1")] : []
          })
        })
      )
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`] }, null, slow)
      const connected = Effect.fnUntraced(function* (host: string) {
        const client = yield* talk(proxy.port)
        client.socket.write(`${tunnel(`${host}:${port}`)}hello`)
        yield* Effect.promise(() => client.until("hello"))
        return client
      })
      const stays = yield* connected("site.test")
      const goes = yield* connected("other.test")
      const comes = yield* talk(proxy.port)
      comes.socket.write(tunnel(`slow.test:${port}`))
      yield* Deferred.await(asked)
      yield* proxy.allow(["site.test"])
      yield* Effect.promise(() => goes.ended)
      stays.socket.write("again")
      yield* Effect.promise(() => stays.until("again"))
      yield* Deferred.succeed(told, undefined)
      assert.match(yield* Effect.promise(() => comes.ended), /^HTTP\/1\.1 403 /u)
      yield* proxy.allow(null)
      yield* connected("other.test")
    })
  )

  it.live("reaches only open ports, even of an address that is allowed with its port", () =>
    Effect.gen(function* () {
      const { hits, port } = yield* greeting
      const proxy = yield* open({ allowPrivate: ["127.0.0.1", "127.0.0.9:22"] })
      assert.strictEqual(statusOf(yield* ask(proxy.port, tunnel("site.test:22"))), 403)
      for (const to of [`site.test:${port}`, `127.0.0.1:${port}`, "127.0.0.1:22", "8.8.8.8:25"]) {
        const answer = yield* ask(proxy.port, tunnel(to))
        assert.match(answer, /^HTTP\/1\.1 403 [^]*Port \d+ is closed to browsers\. Open are 80 and 443\./u, to)
      }
      assert.deepStrictEqual(hits, [])
    })
  )

  it.live("uses a country's proxy, and passes it the checked address instead of the name", () =>
    Effect.gen(function* () {
      const { port } = yield* greeting
      const upstream = yield* site((_, response) => response.writeHead(500).end())
      const asked: Array<string> = []
      upstream.server.on("connect", (request, client) => {
        asked.push(`${request.url} ${request.headers["proxy-authorization"]}`)
        const socket = connect(port, "127.0.0.1", () => {
          client.write("HTTP/1.1 200 OK\r\n\r\n")
          socket.pipe(client).pipe(socket)
        })
        for (const end of [socket, client]) end.on("error", () => end.destroy())
      })
      const options = {
        allowPrivate: [`127.0.0.1:${port}`],
        countries: { de: `http://user:p%40ss@127.0.0.1:${upstream.port}` }
      }
      const proxy = yield* open(options, "DE")
      assert.strictEqual(statusOf(yield* ask(proxy.port, get(`http://site.test:${port}/`))), 200)
      assert.deepStrictEqual(asked, [`127.0.0.1:${port} Basic ${btoa("user:p@ss")}`])
      assert.strictEqual(statusOf(yield* ask(proxy.port, get("http://127.0.0.1/"))), 403)
      assert.strictEqual(asked.length, 1)
    })
  )

  it.live("reports that a country's proxy refuses, without showing the password", () =>
    Effect.gen(function* () {
      const { port } = yield* greeting
      const upstream = yield* site((_, response) => response.end())
      upstream.server.on("connect", (_, client) => client.end("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"))
      const options = {
        allowPrivate: [`127.0.0.1:${port}`],
        countries: { de: `http://user:password@127.0.0.1:${upstream.port}` }
      }
      const proxy = yield* open(options, "de")
      const answer = yield* ask(proxy.port, tunnel(`site.test:${port}`))
      assert.strictEqual(statusOf(answer), 502)
      assert.match(sentenceOf(answer), /^The proxy of this browser's country does not reach .+: it answered 407\.$/u)
      assert.notInclude(answer, "password")
    })
  )

  it.live("does not start for a country without a proxy, nor for an invalid exception", () =>
    Effect.gen(function* () {
      const unknown = yield* Effect.flip(open({}, "xx"))
      assert.strictEqual(unknown.message, `No proxy is configured for country "xx".`)
      const name = yield* Effect.flip(open({ allowPrivate: ["intranet.test"] }))
      assert.strictEqual(name.message, `"intranet.test" is no address. Write 10.0.0.5 or 10.0.0.5:8080.`)
      const url = yield* Effect.flip(open({ countries: { de: "socks5://user:password@proxy:1" } }))
      assert.notInclude(url.message, "user:password@proxy")
    })
  )

  it.live("returns 502 for a name without an address and for a port where nothing listens", () =>
    Effect.gen(function* () {
      const proxy = yield* open({ allowPrivate: ["127.0.0.1:1"] })
      assert.match(yield* ask(proxy.port, tunnel("nowhere.test:443")), /502 [^]*"nowhere.test" has no address\./u)
      assert.match(yield* ask(proxy.port, tunnel("site.test:1")), /502 [^]*does not respond: ECONNREFUSED\./u)
    })
  )

  it.live("returns 400 for an invalid proxy request", () =>
    Effect.gen(function* () {
      const proxy = yield* open({})
      for (const request of [
        get("/"),
        get("https://site.test/"),
        get("ftp://site.test/"),
        tunnel("site.test"),
        tunnel("user@site.test:80"),
        "no request\r\n\r\n"
      ]) {
        assert.strictEqual(statusOf(yield* ask(proxy.port, request)), 400, request)
      }
    })
  )

  it.effect("returns 504 if connecting takes too long", () =>
    Effect.gen(function* () {
      const silent = Layer.succeed(Dns.Dns, Dns.make({ lookup: () => Effect.never, resolve: () => Effect.never }))
      const proxy = yield* open({ limits: { connect: Duration.hours(1) } }, null, silent)
      const client = yield* talk(proxy.port)
      client.socket.write(tunnel("site.test:443"))
      yield* Effect.raceFirst(
        Effect.promise(() => client.ended),
        Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 hour")))
      )
      assert.strictEqual(statusOf(client.said()), 504)
    })
  )

  it.live("ends a request whose client disconnected before the response", () =>
    Effect.gen(function* () {
      let [came, gone] = [0, 0]
      const port = yield* sockets((socket) => {
        came++
        socket.on("data", () => undefined).once("close", () => gone++)
        socket.once("end", () => socket.destroy())
      })
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`] })
      const until = (isSo: () => boolean) => Effect.repeat(Effect.sleep("5 millis"), { while: () => !isSo() })
      for (let count = 1; count <= 5; count++) {
        const client = connect(proxy.port, "127.0.0.1").on("error", () => undefined)
        client.write(get(`http://site.test:${port}/`))
        yield* until(() => came === count)
        client.destroy()
      }
      yield* until(() => gone === 5)
    }).pipe(Effect.timeout("20 seconds"))
  )

  it.live("refuses a header that is too large or doesn't arrive", () =>
    Effect.gen(function* () {
      const large = get("http://site.test/", `X-Large: ${"x".repeat(200_000)}\r\n`)
      assert.strictEqual(statusOf(yield* ask((yield* open({})).port, large)), 431)
      const proxy = yield* open({ limits: { head: Duration.millis(200) } })
      assert.strictEqual(statusOf(yield* ask(proxy.port, "GET http://site.test/ HTTP/1.1\r\nX: ")), 408)
    })
  )

  it.live("accepts no connection beyond its limit", () =>
    Effect.gen(function* () {
      const port = yield* echo
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`], limits: { connections: 1 } })
      const client = yield* talk(proxy.port)
      client.socket.write(tunnel(`site.test:${port}`))
      yield* Effect.promise(() => client.until("200"))
      assert.strictEqual(yield* ask(proxy.port, tunnel(`site.test:${port}`)), "")
    })
  )

  it.live("closes a silent tunnel", () =>
    Effect.gen(function* () {
      const port = yield* echo
      const proxy = yield* open({ allowPrivate: [`127.0.0.1:${port}`], limits: { idle: Duration.millis(200) } })
      const client = yield* talk(proxy.port)
      client.socket.write(tunnel(`site.test:${port}`))
      yield* Effect.promise(() => client.ended)
    })
  )

  it.live("closes its connections and its listener with its scope", () =>
    Effect.gen(function* () {
      const port = yield* echo
      const scope = yield* Scope.make()
      const proxy = yield* Scope.provide(open({ allowPrivate: [`127.0.0.1:${port}`] }), scope)
      const client = yield* talk(proxy.port)
      client.socket.write(tunnel(`site.test:${port}`))
      yield* Effect.promise(() => client.until("200"))
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => client.ended)
      const refused = connect(proxy.port, "127.0.0.1")
      const [error] = yield* Effect.promise(() => once(refused, "error"))
      assert.propertyVal(error, "code", "ECONNREFUSED")
    })
  )
})
