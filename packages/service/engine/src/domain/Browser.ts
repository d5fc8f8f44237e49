import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ActiveOrStopped, Moment, OptionalMoment, OptionalText } from "./Fields.ts"
import { invalidTransition, type InvalidTransition } from "./InvalidTransition.ts"

/** A hosted browser that client code drives itself over CDP. */
export const Browser = Schema.Struct({
  id: Schema.String,
  status: ActiveOrStopped,
  proxyCountryCode: OptionalText,
  startedAt_ms: Moment,
  finishedAt_ms: OptionalMoment
})

export type Browser = typeof Browser.Type

/** A new browser, active. */
export const make = (fields: Pick<Browser, "id" | "proxyCountryCode" | "startedAt_ms">): Browser => ({
  ...fields,
  status: "active",
  finishedAt_ms: null
})

/** The stopped browser; a browser stops once. */
export const stop = (browser: Browser, at_ms: number): Result.Result<Browser, InvalidTransition> =>
  browser.status === "stopped"
    ? Result.fail(invalidTransition(browser.status, "Stopped"))
    : Result.succeed({ ...browser, status: "stopped", finishedAt_ms: at_ms })
