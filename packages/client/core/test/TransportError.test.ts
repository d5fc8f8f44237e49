import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  ConnectionFailed,
  InvalidRequest,
  Timeout,
  TransportError,
  type TransportErrorReason,
  UndecodableAnswer
} from "../src/index.ts"

const failure = (method: string, reason: TransportErrorReason, attempts = 1) =>
  new TransportError({ method, path: "/api/v4/runs", origin: "https://a.example", attempts, reason })

const cut = new ConnectionFailed({ code: "ECONNRESET", cause: new Error("read ECONNRESET") })
const late = new Timeout({ phase: "body", after: Duration.seconds(30) })

describe("TransportError", () => {
  it("names the request and its failure, and that a change may have been made", () => {
    assert.deepStrictEqual(
      [failure("GET", cut, 5), failure("POST", cut), failure("GET", late), failure("PATCH", late)].map(
        (error) => error.message
      ),
      [
        "GET https://a.example/api/v4/runs (5 attempts): no answer came (ECONNRESET).",
        "POST https://a.example/api/v4/runs: no answer came (ECONNRESET). It may have been acted on.",
        "GET https://a.example/api/v4/runs: a response whose body did not end within 30s, the total timeout.",
        "PATCH https://a.example/api/v4/runs: a response whose body did not end within 30s, the total timeout. " +
          "It may have been acted on."
      ]
    )
  })

  it("lists mismatches in one short line, with the request", () => {
    const issue = Array.from({ length: 10_000 }, (_, index) => `Missing key\n  at ["tasks"][${index}]["id"]`).join("\n")
    const long = failure("GET", new UndecodableAnswer({ status: 200, body: "{}", isJson: true, issue }))
    assert.match(long.message, /described response: Missing key at \["tasks"\]\[0\]\["id"\] Missing key .*…\.$/u)
    assert.isBelow(long.message.length, 700)
    const known = new TransportError({ ...failure("GET", cut), requestId: "c8f2-1" })
    assert.match(known.message, /\(ECONNRESET\)\. Request id c8f2-1\.$/u)
    const refused = failure("POST", new InvalidRequest({ issue: 'Expected string\n  at ["task"]' }), 0)
    assert.strictEqual(refused.message, 'POST https://a.example/api/v4/runs: not sent, Expected string at ["task"]')
  })

  it.effect("can be caught by its reason", () =>
    Effect.gen(function* () {
      const call = Effect.fail(failure("GET", late))
      const phase = yield* Effect.catchReason(call, "TransportError", "Timeout", ({ phase }) => Effect.succeed(phase))
      assert.strictEqual(phase, "body")
      const other = yield* Effect.flip(
        Effect.catchReason(call, "TransportError", "UnexpectedStatus", () => Effect.succeed("caught"))
      )
      assert.strictEqual(other._tag, "TransportError")
    })
  )

  it("survives JSON with the message of its cause and its duration", () => {
    const codec = Schema.fromJsonString(Schema.toCodecJson(TransportError))
    const again = [failure("GET", cut), failure("GET", late)].map((error) =>
      Schema.decodeSync(codec)(Schema.encodeSync(codec)(error))
    )
    assert.deepStrictEqual(
      again.map(({ reason }) => (reason._tag === "ConnectionFailed" ? String(reason.cause) : reason)),
      ["Error: read ECONNRESET", late]
    )
  })
})
