import { type BrowserCreate, BrowserExtensions, V4Operations } from "@webagent/contract/v4"
import {
  Browsers as Shared,
  CallOptions,
  ContractClient,
  type CreateOptions,
  Trace,
  type Transport
} from "@webagent/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export type { BrowserCalls, BrowserListError, BrowserListOptions } from "@webagent/core"

const make = Effect.gen(function* () {
  const { browsers: api } = yield* ContractClient.make("v4", V4Operations)
  return yield* Shared.make<never>("v4", {
    ...api,
    ...(yield* ContractClient.makeOptional("v4", "Browsers", BrowserExtensions)),
    create: (input: BrowserCreate = {}, options?: CreateOptions) =>
      api.create({ payload: input }).pipe(CallOptions.provide(options), Trace.span("v4.Browsers.create"))
  })
})

/**
 * Hosted browsers, controlled over the Chrome DevTools Protocol at their `cdpUrl`. One runs, and costs, until it is
 * stopped: closing a CDP connection does not stop it.
 *
 * @example
 * ```ts
 * import { Browsers, V4 } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const browsers = yield* Browsers
 *   // stopped at the end, whatever happens in between
 *   return yield* browsers.use({ proxyCountryCode: "no" }, (browser) => Effect.succeed(browser.cdpUrl))
 * }).pipe(Effect.provide(V4.layer()))
 * ```
 */
export class Browsers extends Context.Service<Browsers, Shared.BrowserCalls<never>>()("@webagent/v4/Browsers") {
  static readonly layer: Layer.Layer<Browsers, never, Transport> = Layer.effect(this, make)
}
