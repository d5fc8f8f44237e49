import { assert, describe, it } from "@effect/vitest"
import type { CauseFacts } from "@webagent/report/FailureCause"
import * as CauseText from "../../src/words/CauseText.ts"

const text = (facts: CauseFacts) => CauseText.text({ key: "", facts })

const request = { method: "GET", path: "/api/v4/runs/…/status", status: 503 }

describe("the text of a failure's cause", () => {
  it("names the check with its values, the service's error, or the request", () => {
    assert.deepStrictEqual(
      [
        text({ _tag: "Check", message: "the run", isCheck: true, expected: "completed", actual: "failed" }),
        text({ _tag: "Check", message: "exceeded its budget", expected: "at most 1.00 USD", actual: "1.20 USD" }),
        text({ _tag: "Check", message: "timed out after 30 s", lastRequest: request }),
        text({ _tag: "Service", message: "it is paid", isCheck: true, error: "The cart was empty." }),
        text({ _tag: "Service", message: "RunFailedError", error: "The cart was empty." }),
        text({ _tag: "Service", error: "The cart was empty." }),
        text({ _tag: "Request", ...request }),
        text({ _tag: "Request", ...request, status: null }),
        text({ _tag: "LeakedBrowser" }),
        text({ _tag: "BrokenInvariant", invariant: "created-twice", text: "Two runs." }),
        text({ _tag: "Other", text: "an oracle could not look: no database" })
      ],
      [
        'check "the run": expected completed, got failed',
        "exceeded its budget: expected at most 1.00 USD, got 1.20 USD",
        "timed out after 30 s: last request GET /api/v4/runs/…/status: HTTP 503",
        'check "it is paid": the service says "The cart was empty."',
        'RunFailedError: the service says "The cart was empty."',
        'the service says "The cart was empty."',
        "GET /api/v4/runs/…/status: HTTP 503",
        "GET /api/v4/runs/…/status: no response",
        "leaked a browser",
        "created-twice: Two runs.",
        "an oracle could not look: no database"
      ]
    )
  })

  it("is truncated to 200 characters", () => {
    const failure = { kind: "error" as const, message: "x ".repeat(400), service: "y".repeat(400) }
    assert.isAtMost(CauseText.ofFailure(failure).length, 200)
  })
})
