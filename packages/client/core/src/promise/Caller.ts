import * as Signals from "#signals"
import type { ApiVersion } from "@webagent/contract/Wire"
import type { Polling } from "@webagent/polling"
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CallOptions from "../CallOptions.ts"
import type { ClientConfig } from "../ClientConfig.ts"
import { checkNames } from "../OptionNames.ts"
import * as Raw from "../Raw.ts"
import * as Responses from "../Responses.ts"
import type { Transport } from "../Transport.ts"
import { heed } from "./Abort.ts"
import { checkOptions, inputOf, record, signalOf, valueOf } from "./CheckOptions.ts"
import type { SendRequest } from "./Client.ts"
import { WebAgentClosedError } from "./Errors.ts"
import type { Answer, CallOptions as Options, ResponseInfo, WaitOptions, WebAgentOptions } from "./Options.ts"
import * as Rejection from "./Rejection.ts"
import * as Runner from "./Runner.ts"
import { configOf, layerAll } from "./Surroundings.ts"

/** Returns the rejection of a promise whose effect fails with this cause. */
export type RejectionOf = (cause: Cause.Cause<unknown>) => unknown

/** Options for making a call. */
export interface How {
  /** True if an abort waits for the cleanup of the effect. */
  readonly patient?: boolean
  /** True if the call is a wait, which handles its own `timeout`. */
  readonly wait?: boolean
}

/** Lets a promise tell the last response of its call; a subclass of Promise would make each `await` slower. */
const answering = <A>(promise: Promise<A>, last: Responses.Last): Answer<A> =>
  Object.defineProperty(promise as Answer<A>, "withResponse", {
    value: () => heeded(promise.then((data) => ({ data, response: last.response() as ResponseInfo })))
  })

/** A promise that is rejected before it is awaited must not end the process: who awaits it later sees the rejection. */
const heeded = <A>(promise: Promise<A>): Promise<A> => {
  promise.catch(ignore)
  return promise
}

/** Converts the options of a call to those of the effects. */
const choicesOf = (options: Options | undefined, isWait: boolean) => {
  // as for fetch, null is none
  if (!options) return undefined
  const { headers, requestId, retries, timeout } = options
  return {
    headers: headers ?? undefined,
    requestId: requestId ?? undefined,
    retries: retries ?? undefined,
    // a text that is no time is refused with the call
    timeout: isWait ? undefined : ((timeout ?? undefined) as Duration.Input | undefined)
  }
}

/** Runs the effects of one client as promises. */
export interface Caller<R> {
  /**
   * Runs an effect as a promise. An abort rejects the promise at once and interrupts the effect, which may still clean
   * up in the background; `close` waits for it. With `patient`, the rejection waits for it as well.
   *
   * @param effect - Returns the effect.
   * @param options - A signal, and headers, retries and the timeout of this call.
   * @param how - True for `patient` if an abort waits for the cleanup, and for `wait` if the call is a wait.
   * @returns The promise of the result. It's rejected with the errors of the effect.
   * @example
   * ```ts
   * import type { Caller } from "@webagent/core/promise/Caller"
   * import { Runs } from "@webagent/v4"
   *
   * export const status = (caller: Caller<Runs>, id: string, signal: AbortSignal) =>
   *   caller.call(() => Runs.use((runs) => runs.status(id)), { signal })
   * ```
   */
  readonly call: <A, E>(
    effect: (rejectionOf: RejectionOf) => Effect.Effect<A, E, R>,
    options?: Options,
    how?: How
  ) => Answer<A>
  /**
   * Iterates over the values of a stream. Leaving the loop interrupts the stream, and each loop runs it again.
   *
   * @param stream - Returns the stream.
   * @param options - A signal, and headers and retries of its calls.
   * @returns The iterable.
   * @example
   * ```ts
   * import type { Caller } from "@webagent/core/promise/Caller"
   * import { Runs } from "@webagent/v4"
   * import * as Effect from "effect/Effect"
   * import * as Stream from "effect/Stream"
   *
   * export const list = (caller: Caller<Runs>) =>
   *   caller.iterate(() => Stream.unwrap(Effect.map(Runs, (runs) => runs.list())))
   * ```
   */
  readonly iterate: <A, E>(stream: () => Stream.Stream<A, E, R>, options?: WaitOptions) => AsyncIterable<A>
  /**
   * Interrupts running calls, releases connections and browsers, and refuses further calls.
   *
   * @returns A promise that resolves once everything is released.
   * @example
   * ```ts
   * import type { Caller } from "@webagent/core/promise/Caller"
   * import type { Runs } from "@webagent/v4"
   *
   * export const stop = (caller: Caller<Runs>) => process.once("SIGTERM", () => void caller.close())
   * ```
   */
  readonly close: () => Promise<void>
  /** The resources that `close` releases, last added first. */
  readonly scope: Scope.Scope
  readonly baseUrls: ClientConfig["Service"]["baseUrls"]
  /**
   * Makes the function that sends requests that the packages don't list.
   *
   * @param version - The API version whose address is used.
   * @returns The function.
   * @example
   * ```ts
   * import type { Caller } from "@webagent/core/promise/Caller"
   * import type { Runs } from "@webagent/v4"
   *
   * export const models = (caller: Caller<Runs>) => caller.request("v4")("GET", "/models")
   * ```
   */
  readonly request: (version: ApiVersion) => SendRequest
}
/** One for all: a wait is a promise, and there may be thousands. */
const ignore = () => undefined
/**
 * Makes a promise client from services for Effect. It reads the configuration at once. Connections are opened by the
 * first call.
 *
 * @param services - Returns the layer of the services.
 * @param options - The address, the key, and limits for time, retries and polling.
 * @returns The caller.
 * @throws `ClientConfigError` if an option is invalid, or the address or the key is missing.
 * @example
 * ```ts
 * import { make } from "@webagent/core/promise/Caller"
 * import { Polling } from "@webagent/polling"
 * import { Runs } from "@webagent/v4"
 * import * as Layer from "effect/Layer"
 *
 * export const connect = (baseUrl: string, apiKey: string) =>
 *   make((polling) => Layer.provideMerge(Runs.layer, Polling.layer(polling)), { baseUrl, apiKey })
 * ```
 */
export const make = <R>(
  services: (polling: Polling.PollingOptions | undefined) => Layer.Layer<R, never, Transport>,
  options: WebAgentOptions
): Caller<R> => {
  checkOptions(options)
  const config = configOf(options)
  const { close, fork, scope } = Runner.make(layerAll(services, options, config))
  let closing: Promise<void> | undefined
  /** Ends that a signal closes the client, which it does from the first call on. */
  let unwatch: (() => void) | undefined
  // in the next turn: then a call whose own hook closes the client is among those at work
  const closeOnce = () =>
    (closing ??= Promise.resolve()
      .then(() => close(isKilled ? Exit.interrupt() : Exit.void))
      .finally(unwatch))
  let isKilled = false
  const closeBySignal = () => {
    isKilled = true
    return closeOnce()
  }

  const start = <A, E>(
    effect: (rejectionOf: RejectionOf) => Effect.Effect<A, E, R | Transport>,
    options: Options | undefined,
    { patient = false, wait = false }: How,
    site: Error,
    depth: number
  ): Answer<A> => {
    // there may be thousands of waits, which tell no response
    const last = wait ? undefined : new Responses.Last()
    const promise = new Promise<A>((resolve, reject) => {
      if (options) checkNames(options)
      const signal = signalOf(options?.signal)
      if (closing !== undefined) return reject(new WebAgentClosedError())
      if (signal?.aborted === true) return reject(signal.reason)
      unwatch ??= Signals.add(closeBySignal)
      const rejectionOf: RejectionOf = (cause) => Rejection.make(cause, site, depth)
      // options are read now: the first call waits for the services, and its caller may change them meanwhile
      const called = CallOptions.provide(choicesOf(options, wait))(effect(rejectionOf))
      let unheed: (() => void) | undefined
      const fiber = fork(called, last, (exit) => {
        unheed?.()
        // the signal is what ends the process, and not an uncaught error
        if (isKilled) return
        if (Exit.isSuccess(exit)) resolve(exit.value)
        else reject(signal?.aborted === true ? signal.reason : rejectionOf(exit.cause))
      })
      if (signal !== undefined && fiber.pollUnsafe() === undefined) unheed = heed(signal, fiber, patient, reject)
    })
    heeded(promise)
    return last === undefined ? (promise as Answer<A>) : answering(promise, last)
  }

  async function* iterate<A, E>(
    stream: () => Stream.Stream<A, E, R>,
    options: WaitOptions | undefined,
    left: AbortController,
    site: Error
  ) {
    const signal = signalOf(options?.signal)
    const values: Array<A> = []
    let wake = () => {}
    let over = false
    const offer = (value: A) =>
      Effect.sync(() => {
        values.push(value)
        wake()
      })
    const signals = signal === undefined ? left.signal : AbortSignal.any([left.signal, signal])
    const ended = start(
      () => Stream.runForEach(stream(), offer),
      { ...options, signal: signals },
      { wait: true },
      site,
      2
    )
    const end = () => {
      over = true
      wake()
    }
    ended.then(end, end)
    try {
      while (true) {
        if (left.signal.aborted) return
        if (signal?.aborted === true) throw signal.reason
        const value = values.shift()
        if (value !== undefined) yield value
        else if (over) return await ended
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      left.abort()
    }
  }

  return {
    call: (effect, options, how = {}) => {
      // a call would cost a fifth more with all frames: these are two of ours and four of the caller
      const limit = Error.stackTraceLimit
      Error.stackTraceLimit = Math.min(limit, 6)
      const site = new Error()
      Error.stackTraceLimit = limit
      return start(effect, options, how, site, 2)
    },
    iterate: (stream, options) => {
      const site = new Error()
      return {
        [Symbol.asyncIterator]: () => {
          const left = new AbortController()
          const values = iterate(stream, options, left, site)
          return {
            next: () => values.next(),
            // a generator would first wait for what its last next waits for, which may never come
            return: () => {
              left.abort()
              return values.return()
            }
          }
        }
      }
    },
    close: closeOnce,
    scope,
    baseUrls: config.baseUrls,
    request: (version) => (method, path, options) =>
      start(
        () =>
          Raw.request(version)(method, path, {
            ...options,
            timeout: options?.timeout as Duration.Input | undefined,
            query: valueOf("query", record, options?.query ?? undefined),
            body: inputOf(options?.body)
          }),
        options,
        {},
        new Error(),
        2
      )
  }
}
