import { assert, describe, it } from "@effect/vitest"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as RepeatedPolls from "../../../src/cli/run/RepeatedPolls.ts"
import type { Seen } from "../../../src/observe/Seen.ts"

const read = (
  at_ms: number,
  body: string,
  options: { readonly method?: "POST"; readonly status?: number } = {}
): Seen => ({
  request: HttpClientRequest.make(options.method ?? "GET")("http://127.0.0.1/api/v4/runs/1/status"),
  span: undefined,
  at_ms,
  headersAt_ms: at_ms,
  endedAt_ms: at_ms + 5,
  status: options.status ?? 200,
  headers: {},
  body: { start: new TextEncoder().encode(body), bytes: body.length },
  failure: undefined
})

/** What is said of the exchanges of trials. */
const said = (...exchanges: ReadonlyArray<readonly [trial: string, seen: Seen]>) => {
  const lines: Array<string> = []
  const polls = RepeatedPolls.make((line) => lines.push(line))
  for (const [trial, seen] of exchanges) polls.add(seen, trial, () => `${trial} ${seen.at_ms}`)
  polls.flush()
  polls.flush()
  return lines
}

describe("repeated polls", () => {
  it("are one line with their number and duration, until the response changes", () => {
    assert.deepStrictEqual(
      said(
        ["a", read(0, "running")],
        ["a", read(1000, "running")],
        ["a", read(2000, "running")],
        ["a", read(3000, "completed")]
      ),
      ["a 0", "         the same 2 more times in 2.01 s", "a 3000"]
    )
  })

  it("are merged only within one trial, for one status, and for reads", () => {
    const create = { method: "POST" } as const
    for (const [first, second] of [
      [
        ["a", read(0, "x")],
        ["b", read(1, "x")]
      ],
      [
        ["a", read(0, "x")],
        ["a", read(1, "x", { status: 503 })]
      ],
      [
        ["a", read(0, "x", create)],
        ["a", read(1, "x", create)]
      ]
    ] as const) {
      assert.deepStrictEqual(said(first, second), [`a 0`, `${second[0]} 1`])
    }
  })
})
