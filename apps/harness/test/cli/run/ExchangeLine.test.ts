import { assert, describe, it } from "@effect/vitest"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { exchangeLine } from "../../../src/cli/run/ExchangeLine.ts"
import { plain } from "@webagent/cli/Style"
import type { Seen } from "../../../src/observe/Seen.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const seen = (options: Partial<Seen> & { readonly sent?: string } = {}): Seen => ({
  request: HttpClientRequest.make("POST")("http://127.0.0.1:80/api/v4/runs?key=wak_secret", {
    headers: { "x-request-id": "r1", "x-service-api-key": "wak_secret" },
    ...(options.sent === undefined ? {} : { body: HttpBody.uint8Array(bytes(options.sent)) })
  }),
  span: undefined,
  at_ms: 0,
  headersAt_ms: 1,
  endedAt_ms: 3,
  status: 201,
  headers: {},
  body: undefined,
  failure: undefined,
  ...options
})

const lineOf = (one: Seen, all: ReadonlyArray<Seen> = [one]) =>
  exchangeLine(one, all, { redact: (text) => text.replaceAll("wak_secret", "<key>"), style: plain })

describe("exchangeLine", () => {
  it("shows the request and the response, without the key", () => {
    const body = '{"task":"wak_secret"}'
    const answer = bytes('{\n  "id": "wak_secret"\n}')
    assert.strictEqual(
      lineOf(seen({ sent: body, body: { start: answer, bytes: answer.byteLength } })),
      '  POST  /api/v4/runs?key=<key>  201  3 ms  sent {"task":"<key>"}  got { "id": "<key>" }'
    )
  })

  it("shows the number of attempts, and the reason of each retry", () => {
    const attempts = [
      seen({ status: 503 }),
      seen({ at_ms: 5, endedAt_ms: 9, status: undefined, failure: "ECONNRESET" }),
      seen({ at_ms: 20, endedAt_ms: 21 })
    ]
    assert.deepStrictEqual(
      attempts.map((one) => lineOf(one, attempts)),
      [
        "  POST  /api/v4/runs?key=<key>  503  3 ms",
        "  POST  /api/v4/runs?key=<key>  ECONNRESET  4 ms  attempt 2 after 503",
        "  POST  /api/v4/runs?key=<key>  201  1 ms  attempt 3 after ECONNRESET"
      ]
    )
  })

  it("truncates long values, and shows their length", () => {
    const line = lineOf(seen({ sent: "x".repeat(5000) }))
    assert.isBelow(line.length, 250)
    assert.match(line, /x… \(5,000 bytes\)$/u)
  })
})
