import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import * as Breaker from "./Breaker.ts"
import * as CallOptions from "./CallOptions.ts"
import { Elapsed } from "@webagent/polling"
import * as RequestId from "./RequestId.ts"
import * as Responses from "./Responses.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Trace from "./Trace.ts"

/** Settings that the context of a call gives its requests. */
export interface Settings {
  readonly context: Context.Context<never>
  readonly attempt: number
  readonly breaker: CircuitBreaker.CircuitBreaker | undefined
  readonly clock: Clock.Clock
  readonly fetch: typeof globalThis.fetch | undefined
  readonly init: RequestInit | undefined
  readonly isDebugging: boolean
  readonly isTraced: boolean
  readonly options: (typeof CallOptions.Current)["Service"]
  readonly requestId: string | undefined
  readonly slot: (typeof Responses.Slot)["Service"]
}

const read = (context: Context.Context<never>): Settings => ({
  context,
  attempt: Context.get(context, RetryPolicy.Attempt),
  breaker: Context.getOrUndefined(context, Breaker.Current),
  clock: Context.get(context, Clock.Clock),
  fetch: Context.getOrUndefined(context, FetchHttpClient.Fetch),
  init: Context.getOrUndefined(context, FetchHttpClient.RequestInit),
  isDebugging: !LogLevel.isGreaterThan(Context.get(context, References.MinimumLogLevel), "Debug"),
  isTraced: Trace.isOn(context),
  options: Context.get(context, CallOptions.Current),
  requestId: Context.get(context, RequestId.Current),
  slot: Context.get(context, Responses.Slot)
})

let last: Settings | undefined

/** The context of a call that tells its responses. Its other settings are those around it. */
export const telling = (around: Settings, slot: Responses.Last): Context.Context<never> => {
  slot.began_ms = Elapsed.nowUnsafe_ms(around.clock)
  last = { ...around, context: Context.add(around.context, Responses.Slot, slot), slot }
  return last.context
}

/** The settings of a context, looked up once for calls that follow each other with the same one. */
export const of = (context: Context.Context<never>): Settings =>
  last?.context === context ? last : (last = read(context))
