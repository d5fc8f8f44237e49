import type { ApiVersion } from "@webagent/contract/Wire"
import * as Cause from "effect/Cause"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as LogLevelName from "effect/LogLevel"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CallOptions from "../CallOptions.ts"
import { ClientConfig, ClientConfigError } from "../ClientConfig.ts"
import { layerHttp } from "../HttpDefault.ts"
import * as HttpFetch from "../HttpFetch.ts"
import * as Ledger from "../Ledger.ts"
import * as Raw from "../Raw.ts"
import * as Responses from "../Responses.ts"
import * as RetryPolicy from "../RetryPolicy.ts"
import * as Settings from "../Settings.ts"
import { Transport } from "../Transport.ts"
import type { SendRequest } from "./Client.ts"
import { WebAgentClosedError } from "./Errors.ts"
import type {
  Answer,
  CallOptions as Options,
  CreateOptions,
  LogLevel,
  OwnWaitOptions,
  ResponseInfo,
  WaitOptions,
  WebAgentOptions,
  WithResult
} from "./Options.ts"
import { checkCallOptions, checkOptions, functionOf, recordOf, signalOf, timeOf } from "./CheckOptions.ts"
import * as Rejection from "./Rejection.ts"

export { functionOf, numberOf } from "./CheckOptions.ts"

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
    timeout: isWait ? undefined : (timeout ?? undefined)
  }
}

/** Runs the effects of one client as promises. */
export interface Caller<R> {
  /**
   * Starts an effect. An abort rejects the promise at once and interrupts the effect, which may still have something
   * to clean up: that goes on by itself, and `close` waits for it. With `patient` the rejection waits for it as well.
   */
  readonly call: <A, E>(
    effect: (rejectionOf: RejectionOf) => Effect.Effect<A, E, R>,
    options?: Options,
    how?: How
  ) => Answer<A>
  /** Iterates over the values of a stream; leaving the loop interrupts it. Each loop runs the stream again. */
  readonly iterate: <A, E>(stream: () => Stream.Stream<A, E, R>, options?: WaitOptions) => AsyncIterable<A>
  /** Interrupts what is at work, releases what is held, and refuses further calls. */
  readonly close: () => Promise<void>
  readonly baseUrls: ClientConfig["Service"]["baseUrls"]
  /** Sends a request that the packages do not list. */
  readonly request: (version: ApiVersion) => SendRequest
}

const textOf = (part: unknown): string => {
  if (Cause.isCause(part)) return textOf(Cause.squash(part))
  return part instanceof Error ? part.message : String(part)
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", off: "None" } as const

const levelOf = (name: LogLevelName.LogLevel): LogLevel =>
  name === "Fatal" ? "error" : ((["info", "warn", "error"] as const).find((level) => levels[level] === name) ?? "debug")

/** From which level on the log is written: WEBAGENT_LOG says it, else all for a function and warnings for the console. */
const minimumOf = (log: WebAgentOptions["log"]): LogLevelName.LogLevel => {
  const chosen = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[
    "WEBAGENT_LOG"
  ]
  if (chosen === undefined || chosen === "") return log === undefined ? "Warn" : "Debug"
  const name = chosen.toLowerCase()
  if (Object.hasOwn(levels, name)) return levels[name as keyof typeof levels]
  throw new ClientConfigError({
    message: `WEBAGENT_LOG must be one of ${Object.keys(levels).join(", ")}; got ${JSON.stringify(chosen)}.`
  })
}

const layerLog = (log: WebAgentOptions["log"]) => {
  const write = log ?? ((_: LogLevel, message: string) => console.warn(message))
  let hasFailed = false
  // a log that throws, at once or later, ends neither a call nor the process
  const complain = (error: unknown) => {
    if (!hasFailed) console.warn(`log has failed, and is overlooked where it does: ${textOf(error)}`)
    hasFailed = true
  }
  const logger = Logger.make<unknown, void>(({ cause, logLevel, message }) => {
    const parts = [...(Array.isArray(message) ? message : [message]), ...(cause.reasons.length === 0 ? [] : [cause])]
    const line = parts.map(textOf).join(": ")
    new Promise<void>((resolve) => resolve(write(levelOf(logLevel), line))).catch(complain)
  })
  return Layer.succeedContext(
    Context.make(Logger.CurrentLoggers, new Set([logger])).pipe(Context.add(References.MinimumLogLevel, minimumOf(log)))
  )
}

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

const configOf = (options: WebAgentOptions): ClientConfig["Service"] => {
  // the environment as it is now: the surrounding provider keeps what it was at the first look
  const environment = ConfigProvider.fromEnv()
  const exit = Effect.runSyncExit(
    Effect.provideService(ClientConfig.resolve(options), ConfigProvider.ConfigProvider, environment)
  )
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

/** One for all: a wait is a promise, and there may be thousands. */
const ignore = () => undefined

interface Heeding {
  readonly aborts: Set<() => void>
  readonly onAbort: () => void
}

/** One listener for all calls with a signal: from the eleventh listener on, Node 20 warns of a leak. */
const heeding = new WeakMap<AbortSignal, Heeding>()

const listen = (signal: AbortSignal): Heeding => {
  const aborts: Heeding["aborts"] = new Set()
  const onAbort = () => aborts.forEach((abort) => abort())
  heeding.set(signal, { aborts, onAbort })
  signal.addEventListener("abort", onAbort, { once: true })
  return { aborts, onAbort }
}

/** Lets an abort interrupt a fiber, and reject at once unless that is to wait; gives what ends this. */
const heed = (
  signal: AbortSignal,
  fiber: Fiber.Fiber<unknown, unknown>,
  patient: boolean,
  reject: (reason: unknown) => void
) => {
  const abort = () => {
    fiber.interruptUnsafe()
    if (!patient) reject(signal.reason)
  }
  const { aborts, onAbort } = heeding.get(signal) ?? listen(signal)
  aborts.add(abort)
  // by a function of the caller's that ran meanwhile, such as its ledger: the signal tells it once
  if (signal.aborted) abort()
  return () => {
    aborts.delete(abort)
    if (aborts.size > 0) return
    heeding.delete(signal)
    signal.removeEventListener("abort", onAbort)
  }
}

/** Returns the services of a client, with the options that surround each call. */
const layerAll = <R>(
  services: (polling: WebAgentOptions["polling"]) => Layer.Layer<R, never, Transport>,
  options: WebAgentOptions,
  config: ClientConfig["Service"]
) => {
  const { polling, retries } = options
  const surroundings = Layer.mergeAll(
    layerLog(options.log),
    retries === undefined ? Layer.empty : Layer.succeed(RetryPolicy.Current, { ...RetryPolicy.standard, retries }),
    options.ledger === undefined ? Layer.empty : layerLedger(options.ledger)
  )
  return services(polling).pipe(
    Layer.provideMerge(Transport.layer),
    Layer.provide(layerSending(options)),
    Layer.provide(Layer.succeed(ClientConfig, config)),
    Layer.provideMerge(surroundings)
  )
}

/** Runs effects over services, which the first effect builds. */
const makeRunner = <R>(layer: Layer.Layer<R | Transport>) => {
  const scope = Scope.makeUnsafe()
  // an array: the tables of a Map or a Set, such as a ManagedRuntime has, keep what has left them from being collected
  const atWork: Array<{ at: number; readonly fiber: Fiber.Fiber<unknown, unknown> }> = []
  /** The settings around each call, once they exist. */
  let built: Settings.Settings | undefined
  let building: Fiber.Fiber<Settings.Settings> | undefined

  /** Starts an effect, the first one once the services are made; tells its end. */
  const fork = <A, E>(
    effect: Effect.Effect<A, E, R | Transport>,
    last: Responses.Last | undefined,
    onEnd: (exit: Exit.Exit<A, E>) => void
  ) => {
    building ??= Effect.runFork(
      Effect.map(Layer.buildWithScope(layer, scope), (context) => (built = Settings.of(context)))
    )
    const contextOf = (settings: Settings.Settings) =>
      (last === undefined ? settings.context : Settings.telling(settings, last)) as Context.Context<R | Transport>
    const fiber =
      built === undefined
        ? Effect.runFork(
            Effect.flatMap(Fiber.join(building), (settings) => Effect.provideContext(effect, contextOf(settings)))
          )
        : Effect.runForkWith(contextOf(built))(effect)
    const entry = { at: atWork.length, fiber }
    atWork.push(entry)
    fiber.addObserver((exit) => {
      const last = atWork.pop() ?? entry
      if (last !== entry) {
        atWork[entry.at] = last
        last.at = entry.at
      }
      onEnd(exit)
    })
    return fiber
  }

  const close = (): Promise<void> => {
    const fibers = [...atWork.map(({ fiber }) => fiber), ...(building === undefined ? [] : [building])]
    return Effect.runPromise(Effect.andThen(Fiber.interruptAll(fibers), Scope.close(scope, Exit.void)))
  }

  return { fork, close }
}

/**
 * A client over services of a version. Reads the configuration at once, and throws a ClientConfigError where it says
 * too little; everything else is made by the first call.
 */
export const make = <R>(
  services: (polling: WebAgentOptions["polling"]) => Layer.Layer<R, never, Transport>,
  options: WebAgentOptions
): Caller<R> => {
  checkOptions(options)
  const config = configOf(options)
  const { close, fork } = makeRunner(layerAll(services, options, config))
  let closing: Promise<void> | undefined

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
      checkCallOptions(options)
      const signal = signalOf(options?.signal)
      if (closing !== undefined) return reject(new WebAgentClosedError())
      if (signal?.aborted === true) return reject(signal.reason)
      const rejectionOf: RejectionOf = (cause) => Rejection.make(cause, site, depth)
      // options are read now: the first call waits for the services, and its caller may change them meanwhile
      const called = CallOptions.provide(choicesOf(options, wait))(effect(rejectionOf))
      let unheed: (() => void) | undefined
      const fiber = fork(called, last, (exit) => {
        unheed?.()
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
    // in the next turn: then a call whose own hook closes the client is among those at work
    close: () => (closing ??= Promise.resolve().then(close)),
    baseUrls: config.baseUrls,
    request: (version) => (method, path, options) =>
      start(
        () =>
          Raw.request(version)(method, path, {
            ...options,
            query: recordOf("query", options?.query ?? undefined),
            body: inputOf(options?.body)
          }),
        options,
        {},
        new Error(),
        2
      )
  }
}

/** Options of a call that is a wait. */
const waiting: How = { wait: true }

/**
 * Copies an input as it is now, because the first call waits for the services, and its caller may change the input
 * meanwhile. An instance of a class isn't copied, because its fields may be getters of its prototype.
 */
export const inputOf = <A>(input: A): A =>
  typeof input === "object" && input !== null && Object.getPrototypeOf(input) === Object.prototype
    ? { ...input }
    : input

/** Returns the additional options of a create. */
export const createOf = (options: CreateOptions | undefined) =>
  options
    ? { idempotencyKey: options.idempotencyKey, extraBody: recordOf("extraBody", options.extraBody ?? undefined) }
    : undefined

/** Returns the options of a wait for `@webagent/polling`. */
const waitOf = (options: WaitOptions | null | undefined) => {
  const every = timeOf("every", options?.every ?? undefined)
  const every_ms = every === undefined ? undefined : Duration.toMillis(every)
  return {
    timeout: timeOf("timeout", options?.timeout ?? undefined),
    first: timeOf("first", options?.first ?? undefined),
    schedule: every_ms === undefined ? undefined : { delay_ms: () => every_ms, jitter: 0 }
  }
}

/** The same with a result of a type, which is typed as if it were asked for: who asks for none gets none. */
const resultOf = (options: (WaitOptions & Partial<WithResult<unknown>>) | undefined) => ({
  ...waitOf(options),
  ...((options?.result === undefined ? {} : { result: options.result }) as WithResult<unknown>)
})

/** The same for a wait for something of one's own making. */
export const ownWaitOf = <Created>(options: (OwnWaitOptions<Created> & Partial<WithResult<unknown>>) | undefined) => {
  const cancel = functionOf("cancel", options?.cancel ?? undefined)
  type End = Parameters<NonNullable<typeof cancel>>[1]
  return {
    ...resultOf(options),
    ...(cancel === undefined
      ? {}
      : { cancel: (created: Created, why: End) => Effect.tryPromise(async () => cancel(created, why)) })
  }
}

/** Makes a promise method from a function that returns the effect of the same name. */
// oxlint-disable-next-line typescript/no-explicit-any
type Method = (caller: Caller<any>, effect: Effect.Effect<Run, never, any>) => (...args: ReadonlyArray<any>) => unknown

// oxlint-disable-next-line typescript/no-explicit-any
type Run = (...args: ReadonlyArray<unknown>) => any

const running = (effect: Parameters<Method>[1], ...args: ReadonlyArray<unknown>) =>
  Effect.flatMap(effect, (run) => run(...args))

/** A read, by id. */
export const reading: Method =
  ({ call }, effect) =>
  (id: string, options) =>
    call(() => running(effect, id), options)

/** A wait, by id. */
export const waitingFor: Method =
  ({ call }, effect) =>
  (id: string, options) =>
    call(() => running(effect, id, resultOf(options)), options, waiting)

/** A stream of the states of a resource, by id. */
export const watching: Method =
  ({ iterate }, effect) =>
  (id: string, options) =>
    iterate(() => Stream.unwrap(Effect.map(effect, (run) => run(id, waitOf(options)))), options)

/** A create with `count` arguments before its options. */
export const creating =
  (count: number, optionsOf: (options: never) => unknown = createOf, how?: How): Method =>
  ({ call }, effect) =>
  (...args) =>
    call(
      () =>
        running(
          effect,
          ...Array.from({ length: count }, (_, index) => inputOf(args[index])),
          optionsOf(args[count] as never)
        ),
      args[count],
      how
    )

/** A create with `count` arguments before its options, and a wait for the created resource. */
export const creatingAndWaiting = (count: number): Method =>
  creating(
    count,
    (options: (OwnWaitOptions<object> & CreateOptions & { readonly interrupt?: boolean }) | undefined) => ({
      ...ownWaitOf(options),
      ...createOf(options),
      interrupt: options?.interrupt
    }),
    waiting
  )

type Emitted<F> = F extends (...args: never) => infer Returned
  ? Returned extends Effect.Effect<infer A, infer _E, infer _R>
    ? A
    : Returned extends Stream.Stream<infer A, infer _E, infer _R>
      ? A
      : never
  : never

type Settled<F> = F extends (...args: never) => Promise<infer A> | AsyncIterable<infer A> ? A : never

/** A method for each of `Promises`, if the effect of the same name emits the same type. */
type Methods<Effects, Promises> = {
  readonly [Name in keyof Promises]: Name extends keyof Effects
    ? [Emitted<Effects[Name]>] extends [Settled<Promises[Name]>]
      ? Method
      : never
    : never
}

/** Makes promise methods for a service. Each runs the effect of the same name. */
export const methodsOf =
  <Promises>() =>
  <R, Effects>(service: Context.Key<R, Effects>, caller: Caller<R>, methods: Methods<Effects, Promises>): Promises =>
    Object.fromEntries(
      Object.entries<Method>(methods).map(([name, method]) => [
        name,
        method(
          caller,
          Effect.map(service, (effects) => effects[name as keyof Effects] as Run)
        )
      ])
    ) as Promises
