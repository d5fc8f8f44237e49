import * as Result from "effect/Result"
import { refused, type RefusedMove } from "./RefusedMove.ts"

/** A hosted browser that client code drives itself over CDP. */
export interface Browser {
  readonly id: string
  readonly status: "active" | "stopped"
  readonly proxyCountryCode: string | null
  readonly startedAt_ms: number
  readonly finishedAt_ms: number | null
}

/** A new browser, active. */
export const make = (fields: Pick<Browser, "id" | "proxyCountryCode" | "startedAt_ms">): Browser => ({
  ...fields,
  status: "active",
  finishedAt_ms: null
})

/** The stopped browser; a browser stops once. */
export const stop = (browser: Browser, at_ms: number): Result.Result<Browser, RefusedMove> =>
  browser.status === "stopped"
    ? Result.fail(refused(browser.status, "Stopped"))
    : Result.succeed({ ...browser, status: "stopped", finishedAt_ms: at_ms })
