import type { Polling } from "@webagent/polling"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { ClientConfig, type GivenOptions } from "../ClientConfig.ts"
import { layerHttp } from "../HttpDefault.ts"
import * as HttpFetch from "../HttpFetch.ts"
import * as Ledger from "../Ledger.ts"
import * as RetryPolicy from "../RetryPolicy.ts"
import { Transport } from "../Transport.ts"
import { layerLog, textOf } from "./Log.ts"
import type { WebAgentOptions } from "./Options.ts"

const layerLedger = (write: NonNullable<WebAgentOptions["ledger"]>) =>
  Layer.succeed(Ledger.Current, {
    write: (entry) =>
      Effect.tryPromise({
        try: async () => write(entry),
        catch: (error) => new Ledger.LedgerError({ message: `The ledger cannot be written: ${textOf(error)}` })
      }),
    open: Effect.succeed([])
  })

const layerSending = ({
  fetch,
  httpClient
}: WebAgentOptions): Layer.Layer<HttpClient.HttpClient, never, ClientConfig> => {
  if (httpClient !== undefined) {
    return httpClient.layer as Layer.Layer<HttpClient.HttpClient, never, ClientConfig>
  }
  return fetch === undefined
    ? layerHttp
    : Layer.provide(HttpFetch.layerHttp, Layer.succeed(FetchHttpClient.Fetch, fetch))
}
/**
 * Returns the configuration that the options and the environment give.
 *
 * @throws `ClientConfigError` if an option is invalid, or the address or the key is missing.
 */
export const configOf = (options: WebAgentOptions): ClientConfig["Service"] => {
  const exit = Effect.runSyncExit(ClientConfig.resolve(options as GivenOptions))
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
/** Returns the services of a client, with the options that surround each call. */
export const layerAll = <R>(
  services: (polling: Polling.PollingOptions | undefined) => Layer.Layer<R, never, Transport>,
  options: WebAgentOptions,
  config: ClientConfig["Service"]
) => {
  const { polling, retries } = options
  const surroundings = Layer.mergeAll(
    layerLog(options.log),
    (options.events?.layer ?? Layer.empty) as Layer.Layer<never>,
    retries === undefined ? Layer.empty : Layer.succeed(RetryPolicy.Current, { ...RetryPolicy.standard, retries }),
    options.ledger === undefined ? Layer.empty : layerLedger(options.ledger)
  )
  // checkOptions has refused texts that are no times
  return services(polling as Polling.PollingOptions | undefined).pipe(
    Layer.provideMerge(Transport.layer),
    // what sends may have a clock, as a service in virtual time has: calls and waits go by it
    Layer.provideMerge(layerSending(options)),
    Layer.provide(Layer.succeed(ClientConfig, config)),
    Layer.provideMerge(surroundings)
  )
}
