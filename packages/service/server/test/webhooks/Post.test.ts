import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer, type RequestListener } from "node:http"
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net"
import { post, Resolve, urlProblem } from "../../src/webhooks/Post.ts"

const allowed = { allowPrivate: true }
const refused = { allowPrivate: false }

/** The port of a server that listens on this machine until the scope closes. */
const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )

const http = (listener: RequestListener) => listening(createServer(listener))

const send = (url: string, limits = allowed) => post(new URL(url), { "webhook-id": "msg_1" }, '{"a":"ü"}', limits)

const reasonOf = (effect: ReturnType<typeof send>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

/** Has every name resolve to these addresses, one list for each look-up. */
const resolving = (...lists: ReadonlyArray<ReadonlyArray<string>>) => {
  let count = 0
  const addresses = () => lists[Math.min(count++, lists.length - 1)] ?? []
  return Effect.provideService(Resolve, () =>
    Effect.sync(() => addresses().map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
  )
}

describe("a request to a webhook", () => {
  it.live("has its body and headers, and returns the status", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const received: Array<unknown> = []
        const port = yield* http((request, response) => {
          let body = ""
          request.setEncoding("utf8").on("data", (text: string) => (body += text))
          request.on("end", () => {
            received.push(request.method, request.url, request.headers["webhook-id"], body)
            response.writeHead(204).end()
          })
        })
        assert.strictEqual(yield* send(`http://127.0.0.1:${port}/hooks?a=b`), 204)
        assert.deepStrictEqual(received, ["POST", "/hooks?a=b", "msg_1", '{"a":"ü"}'])
      })
    )
  )

  it.live("doesn't follow a redirect", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let requests = 0
        const port = yield* http((_, response) => {
          requests++
          response.writeHead(307, { location: "/elsewhere" }).end()
        })
        assert.strictEqual(yield* send(`http://127.0.0.1:${port}/`), 307)
        yield* Effect.sleep("50 millis")
        assert.strictEqual(requests, 1)
      })
    )
  )

  it.live("doesn't read an endless body", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let written = 0
        let isClosed = false
        const port = yield* http((_, response) => {
          response.on("close", () => (isClosed = true))
          const write = () => {
            do written += 2 ** 16
            while (response.write(Buffer.alloc(2 ** 16)))
          }
          response.on("drain", write)
          write()
        })
        assert.strictEqual(yield* send(`http://127.0.0.1:${port}/`), 200)
        yield* Effect.sleep("100 millis")
        assert.isTrue(isClosed)
        assert.isBelow(written, 2 ** 24)
      })
    )
  )

  it.live(
    "times out after ten seconds without a status",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const closed: Array<Socket> = []
          // a status line that never ends
          const port = yield* listening(
            createTcpServer((socket) => {
              socket.on("error", () => {}).on("close", () => closed.push(socket))
              socket.resume().write("HTTP/1.1 2")
            })
          )
          assert.strictEqual(yield* reasonOf(send(`http://127.0.0.1:${port}/`)), "No response within 10 seconds")
          yield* Effect.sleep("50 millis")
          assert.lengthOf(closed, 1)
        })
      ),
    15_000
  )

  it.live("fails with a reason if nothing listens", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(http(() => {}))
      assert.strictEqual(yield* reasonOf(send(`http://127.0.0.1:${port}/`)), "No response: ECONNREFUSED")
    })
  )

  it.live("is sent to a name in this machine's own files if private addresses are allowed", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* http((_, response) => response.writeHead(204).end())
        assert.strictEqual(yield* send(`http://localhost:${port}`), 204)
      })
    )
  )

  it.live("isn't sent to a private address, given by number or by name", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let requests = 0
        const port = yield* http((_, response) => {
          requests++
          response.end()
        })
        for (const host of ["127.0.0.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "0"]) {
          assert.include(yield* reasonOf(send(`http://${host}:${port}/`, refused)), "is not a public address")
        }
        for (const addresses of [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"], ["fd00::1"], ["169.254.169.254"]]) {
          const reason = yield* reasonOf(resolving(addresses)(send(`http://app.example:${port}/`, refused)))
          assert.include(reason, "app.example is not a public address (its name resolves to one)")
          // addresses of a private network aren't shown
          for (const address of addresses) assert.notInclude(reason, address)
        }
        assert.include(yield* reasonOf(resolving([])(send("http://app.example/", refused))), "has no address")
        assert.strictEqual(requests, 0)
      })
    )
  )

  it.live("is sent to the checked address, even if the name resolves to another one by then", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* http((_, response) => response.writeHead(202).end())
        // the second look-up is one that must not happen
        const rebinding = resolving(["127.0.0.1"], ["192.0.2.1"])
        assert.strictEqual(yield* rebinding(send(`http://app.example:${port}/`)), 202)
      })
    )
  )
})

describe("a webhook's address", () => {
  for (const [url, problem] of [
    ["https://app.example/hooks", undefined],
    ["http://8.8.8.8:8080/", undefined],
    ["ftp://app.example/", "Expected an address such as"],
    ["javascript:alert(1)", "Expected an address such as"],
    ["app.example", "Expected an address such as"],
    ["https://user:password@app.example/", "without a user name and password"],
    ["http://127.0.0.1/", "127.0.0.1 is not a public address (loopback)"],
    ["http://[fd00::1]/", "is not a public address (a private network)"],
    ["http://0x7f.1/", "127.0.0.1 is not a public address (loopback)"]
  ] as const) {
    it(`${url} is ${problem === undefined ? "accepted" : "refused"}`, () => {
      const actual = urlProblem(url, refused)
      if (problem === undefined) assert.isUndefined(actual)
      else assert.include(actual, problem)
    })
  }

  it("may be private if the server allows it", () => assert.isUndefined(urlProblem("http://127.0.0.1/", allowed)))
})
