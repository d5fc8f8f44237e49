import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { send, type Question, raw } from "./send.ts"
import { layerTest } from "./served.ts"

const uuid = "00000000-0000-4000-8000-00000000000f"

/** All operations, with a body that fits. */
const operations: ReadonlyArray<readonly [string, string, Question]> = [
  ["GET", `/api/v2/sessions/${uuid}`, {}],
  ["POST", "/api/v3/sessions", { body: { task: "x" } }],
  ["GET", `/api/v3/sessions/${uuid}`, {}],
  ["POST", "/api/v4/runs", { body: { task: "x" } }],
  ["GET", `/api/v4/runs/${uuid}/status`, {}],
  ["GET", `/api/v4/runs/${uuid}`, {}],
  ["POST", `/api/v4/sessions/${uuid}/queue`, { body: { text: "x", interrupt: false } }],
  ["POST", "/api/v4/browsers", { body: {} }],
  ["PATCH", `/api/v4/browsers/${uuid}`, { body: { action: "stop" } }],
  ["POST", `/api/v4/runs/${uuid}/cancel`, {}],
  ["GET", `/api/v4/runs/${uuid}/attachments`, {}],
  ["GET", `/api/v4/sessions/${uuid}`, {}],
  ["GET", `/api/v4/sessions/${uuid}/queue`, {}],
  ["GET", `/api/v4/sessions/${uuid}/queue/2`, {}],
  ["DELETE", `/api/v4/sessions/${uuid}/queue/2`, {}],
  ["GET", `/api/v4/browsers/${uuid}`, {}]
]

const found: Readonly<Record<string, string>> = {
  [`/api/v2/sessions/${uuid}`]: "Session not found",
  [`/api/v3/sessions/${uuid}`]: "Session not found",
  [`/api/v4/runs/${uuid}/status`]: "Run not found",
  [`/api/v4/runs/${uuid}`]: "Run not found",
  [`/api/v4/sessions/${uuid}/queue`]: "Session not found",
  [`/api/v4/browsers/${uuid}`]: "Browser not found",
  [`/api/v4/runs/${uuid}/cancel`]: "Run not found",
  [`/api/v4/runs/${uuid}/attachments`]: "Run not found",
  [`/api/v4/sessions/${uuid}`]: "Session not found",
  [`/api/v4/sessions/${uuid}/queue/2`]: "Message not found"
}

layer(layerTest, { excludeTestServices: true })("App", (it) => {
  describe("401 takes precedence over errors in id and body", () => {
    for (const [method, path, question] of operations) {
      it.effect(`${method} ${path.replace(uuid, "{id}")}`, () =>
        Effect.gen(function* () {
          for (const key of [null, "", "wak_tes", "wak_testt", "WAK_TEST", "wak_test, wak_test"]) {
            for (const wrong of [question, { text: "{", headers: { "content-type": "text/plain" } }]) {
              const answer = yield* send(method, path, { ...(method === "GET" ? {} : wrong), key })
              assert.strictEqual(answer.status, 401)
              assert.deepStrictEqual(answer.body, { detail: "Invalid API key" })
            }
          }
        })
      )
    }

    it.effect("even for an invalid path parameter", () =>
      Effect.gen(function* () {
        for (const id of ["unknown", "%ff", "%", "%zz?x=%ff"]) {
          assert.strictEqual((yield* send("GET", `/api/v2/sessions/${id}`, { key: null })).status, 401)
        }
        for (const [method, path, question] of operations.filter(([, path]) => path in found)) {
          const answer = yield* send(method, path.replace(uuid, "%ff"), { ...question, key: null })
          assert.deepStrictEqual([answer.status, answer.body], [401, { detail: "Invalid API key" }])
        }
      })
    )
  })

  describe("404 is returned for unknown ids and paths", () => {
    for (const [method, path, question] of operations.filter(([, path]) => path in found)) {
      it.effect(`${method} ${path.replace(uuid, "{id}")}`, () =>
        Effect.gen(function* () {
          const ids = path.startsWith("/api/v2")
            ? [uuid]
            : [uuid, "unknown", "%20", "%E2%82%AC", "x".repeat(5000), "a%2Fb", "%ff", "%", "%zz%2F"]
          for (const id of ids) {
            const answer = yield* send(method, path.replace(uuid, id), question)
            assert.strictEqual(answer.status, 404)
            assert.deepStrictEqual(answer.body, { detail: found[path] })
          }
        })
      )
    }

    it.effect("but a v2 id that isn't a UUID, decodable or not, returns 422", () =>
      Effect.gen(function* () {
        for (const id of ["unknown", "%ff", "%", "%zz?x=%ff"]) {
          const { body, status } = yield* send("GET", `/api/v2/sessions/${id}`)
          assert.strictEqual(status, 422)
          assert.nestedPropertyVal(body, "detail[0].type", "uuid_parsing")
          assert.deepNestedPropertyVal(body, "detail[0].loc", ["path", "session_id"])
        }
      })
    )

    for (const path of [
      "/nope",
      "/api/v4",
      "/api/v4/",
      "/api/v5/runs",
      "/api/v4/nothere",
      "/api/v4/nope/%zz",
      "/api/v4/%ff",
      "/api/v4/runs/",
      "/api/v4/RUNS/x",
      "/%"
    ]) {
      it.effect(`GET ${path}, with or without a key`, () =>
        Effect.gen(function* () {
          for (const key of ["wak_test", null]) {
            const answer = yield* send("GET", path, { key })
            assert.strictEqual(answer.status, 404)
            assert.deepStrictEqual(answer.body, { detail: "Not Found" })
          }
        })
      )
    }
  })

  describe("405 with Allow is returned for another method, with or without a key", () => {
    for (const [method, path, allow] of [
      ["POST", `/api/v2/sessions/${uuid}`, "GET, HEAD, PATCH, DELETE"],
      ["PUT", "/api/v3/sessions", "GET, HEAD, POST"],
      ["GET", `/api/v3/sessions/${uuid}/stop`, "POST"],
      ["POST", `/api/v3/workspaces/${uuid}/files`, "GET, HEAD, DELETE"],
      ["DELETE", "/api/v4/runs", "GET, HEAD, POST"],
      ["PUT", `/api/v4/runs/${uuid}/status`, "GET, HEAD"],
      ["PUT", `/api/v4/sessions/${uuid}/queue`, "GET, HEAD, POST"],
      ["PUT", `/api/v4/sessions/${uuid}/queue/2`, "GET, HEAD, DELETE"],
      ["PUT", `/api/v4/browsers/${uuid}?x=1`, "GET, HEAD, PATCH"],
      ["GET", `/api/v4/runs/${uuid}/cancel`, "POST"],
      ["OPTIONS", "/api/v4/browsers", "GET, HEAD, POST"],
      ["POST", "/", "GET, HEAD"],
      ["POST", "/health?x=1", "GET, HEAD"],
      ["PROPFIND", "/health", "GET, HEAD"],
      ["DELETE", "//api//v4//runs", "GET, HEAD, POST"],
      ["DELETE", "/api/v4/runs;x=1", "GET, HEAD, POST"],
      ["DELETE", "/api/v4/%72uns", "GET, HEAD, POST"],
      ["DELETE", "/api/v4/runs/%ff", "GET, HEAD"]
    ] as const) {
      it.effect(`${method} ${path.replace(uuid, "{id}")}`, () =>
        Effect.gen(function* () {
          for (const key of ["wak_test", null]) {
            const answer = yield* send(method, path, { key })
            assert.strictEqual(answer.status, 405)
            assert.strictEqual(answer.headers.get("allow"), allow)
            assert.deepStrictEqual(answer.body, { detail: "Method Not Allowed" })
          }
        })
      )
    }
  })

  describe("413 is returned for a body above 1 MiB", () => {
    const padded = (bytes: number) => `{"task":"${"x".repeat(bytes - 11)}"}`

    it.effect("but not for exactly 1 MiB", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send("POST", "/api/v4/runs", { text: padded(1_048_576) })).status, 201)
        const answer = yield* send("POST", "/api/v4/runs", { text: padded(1_048_577) })
        assert.strictEqual(answer.status, 413)
        assert.deepStrictEqual(answer.body, { detail: "The body is larger than 1 MiB" })
      })
    )

    it.effect("before the body arrives if its length is too large", () =>
      Effect.gen(function* () {
        const answer = yield* raw(
          "POST /api/v4/runs HTTP/1.1\r\nHost: x\r\nX-Service-API-Key: wak_test\r\nContent-Type: application/json\r\n" +
            "Connection: close\r\nContent-Length: 1048577\r\n\r\n"
        )
        assert.match(answer, /^HTTP\/1\.1 413 /u)
      })
    )

    it.effect("even if the length isn't announced", () =>
      Effect.gen(function* () {
        const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`
        const head =
          "POST /api/v4/runs HTTP/1.1\r\nHost: x\r\nX-Service-API-Key: wak_test\r\nContent-Type: application/json\r\n" +
          "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        const answer = yield* raw(head, ...Array.from({ length: 17 }, () => chunk), "0\r\n\r\n")
        assert.match(answer, /^HTTP\/1\.1 413 [^]*\{"detail":"The body is larger than 1 MiB"\}/u)
      })
    )
  })

  it.effect("responds to a request that follows an offer of another protocol", () =>
    Effect.gen(function* () {
      const offer = "GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
      assert.match(yield* raw(`${offer}GET /health HTTP/1.1\r\nHost: x\r\n\r\n`), /\r\nConnection: close\r\n/u)
    })
  )

  it.effect("still responds to earlier requests on a connection with invalid HTTP", () =>
    Effect.gen(function* () {
      const head = "Host: x\r\nX-Service-API-Key: wak_test\r\nContent-Type: application/json\r\n"
      const post = `POST /api/v4/runs HTTP/1.1\r\n${head}Content-Length: 12\r\n\r\n{"task":"x"}`
      const broken = `POST /api/v4/runs HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`
      for (const [bytes, statuses] of [
        [`${post}${post}hello\r\n\r\n`, ["201", "201", "400"]],
        [`${post}${post}${broken}`, ["201", "201", "400"]],
        [`${post}${broken.replace("/runs", "/nope")}`, ["201", "404"]]
      ] as const) {
        const answers = yield* raw(bytes)
        assert.deepStrictEqual(
          [...answers.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status]) => status),
          [...statuses]
        )
      }
    })
  )

  describe("invalid HTTP", () => {
    for (const [what, head, status, detail] of [
      ["plain text", "hello\r\n\r\n", 400, "Bad Request"],
      [
        "a header that is too large",
        `GET / HTTP/1.1\r\nHost: x\r\nA: ${"x".repeat(20_000)}\r\n\r\n`,
        431,
        "Request Header Fields Too Large"
      ]
    ] as const) {
      it.effect(`returns JSON for ${what}: ${status}`, () =>
        Effect.gen(function* () {
          const answer = yield* raw(head)
          assert.isTrue(answer.startsWith(`HTTP/1.1 ${status} ${detail}\r\n`), answer)
          assert.isTrue(answer.endsWith(`\r\n\r\n{"detail":"${detail}"}`), answer)
        })
      )
    }
  })

  describe("a request that Node would handle in its own way", () => {
    const head = "Host: x\r\nX-Service-API-Key: wak_test\r\nContent-Type: application/json\r\nConnection: close\r\n"
    const post = (more: string) => `POST /api/v4/runs HTTP/1.1\r\n${head}${more}Content-Length: 12\r\n\r\n{"task":"x"}`
    for (const [what, bytes, status] of [
      ["CONNECT to a path", "CONNECT /api/v4/runs HTTP/1.1\r\nHost: x\r\n\r\n", 405],
      ["CONNECT to a host", "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 404],
      ["a request without a path", "GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404],
      ["an unknown expectation", post("Expect: magic\r\n"), 201],
      ["a body with an upgrade to another protocol", post("Connection: Upgrade\r\nUpgrade: h2c\r\n"), 201],
      ["a body with an upgrade to a WebSocket", post("Connection: Upgrade\r\nUpgrade: websocket\r\n"), 201]
    ] as const) {
      it.effect(`returns JSON for ${what}: ${status}`, () =>
        Effect.gen(function* () {
          const answer = yield* raw(bytes.replace("Connection: Upgrade", "Connection: close, Upgrade"))
          assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\ncontent-type: application/json\r\n`, "iu"))
        })
      )
    }
  })

  it.effect("returns no body for HEAD", () =>
    Effect.gen(function* () {
      const answer = yield* send("HEAD", "/health")
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
    })
  )

  it.effect("ignores doubled slashes and a query in a path", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send("POST", "//api//v4//runs?x=1", { body: { task: "x" } })).status, 201)
    })
  )
})
