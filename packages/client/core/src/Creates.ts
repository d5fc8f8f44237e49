import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type { ClientConfig } from "./ClientConfig.ts"
import { CreateOutcomeUnknown, phaseOf } from "./CreateOutcomeUnknown.ts"
import type { Grace } from "./Grace.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import { Current, type Ledger, LedgerError, none } from "./Ledger.ts"
import type { LedgerEntry } from "./LedgerEntry.ts"
import * as Metrics from "./Metrics.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import { TooManyRequestsError } from "./TooManyRequestsError.ts"
import { isUnsent, refused, TransportError, type TransportErrorReason, UnexpectedStatus } from "./TransportError.ts"

/** A request that makes something which costs money. */
export interface Create<A> {
  /** The kind of resource: `run`, `session`, `browser`. */
  readonly kind: string
  readonly method: string
  readonly path: string
  readonly origin: string
  /** The `X-Request-Id` of its requests. */
  readonly requestId: string
  /** The id of what was made, if the answer has one. */
  readonly idOf: (answer: A) => string | undefined
}

/** Sends creates so that none is made twice, and none is forgotten. */
export interface Creates {
  /**
   * Runs `attempt` with the headers that carry the create's idempotency key. It is tried again only when it was not
   * processed for sure, or when the service is declared to honour the key.
   */
  readonly create: <A, E, R>(
    create: Create<A>,
    attempt: (headers: Readonly<Record<string, string>>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | CreateOutcomeUnknown | TransportError, R>
  /** Notes that what was created is over: a browser that was stopped, a run that is terminal. */
  readonly closed: (kind: string, id: string) => Effect.Effect<void>
  /**
   * The resources that were created and aren't known to be over: kind and id, such as `run 5f2e`, with the response to the
   * create. The newest 10,000, and at most 1,000 more.
   */
  readonly open: Map<string, unknown>
}

/** The effect of a failed create at the service. */
type Effected =
  /** It has not reached it. */
  | "unsent"
  /** It was refused, and did nothing. */
  | "refused"
  /** It was refused for now. Whether it did something depends on the service. */
  | "throttled"
  /** Nothing says whether it did something. */
  | "unknown"

const effectedBy = (error: unknown): Effected => {
  if (error instanceof TooManyRequestsError) return "throttled"
  if (!(error instanceof TransportError)) return "refused"
  const { reason } = error
  switch (reason._tag) {
    case "CircuitOpen":
    case "InvalidRequest":
      return "unsent"
    case "ConnectionFailed":
      return isUnsent(reason) ? "unsent" : "unknown"
    case "Timeout":
      return reason.phase === "connect" ? "unsent" : "unknown"
    case "UndecodableAnswer":
    case "AnswerTooLarge":
      return "unknown"
    case "UnexpectedStatus":
      // a 303 is how a service answers what it has done; other redirects ask to do it elsewhere
      return reason.status >= 500 || reason.status === 408 || reason.status === 303 || reason.status === 0
        ? "unknown"
        : "refused"
  }
}

/**
 * Returns whether the service may have done what a failed DELETE or purge asked for, as when its response was lost. A 503
 * is a refusal here: if the service has acted, the next response says that the resource is gone.
 */
export const mayHaveActed = (error: unknown): boolean =>
  effectedBy(error) === "unknown" &&
  !(error instanceof TransportError && error.reason._tag === "UnexpectedStatus" && error.reason.status === 503)

type Opening = Omit<Create<never>, "idOf"> & { readonly key: string }

/** An entry of the ledger that has yet to be given its time. */
type Happening = LedgerEntry extends infer Entry ? (Entry extends LedgerEntry ? Omit<Entry, "at_ms"> : never) : never

const now = (event: Happening) => Effect.map(Clock.currentTimeMillis, (at_ms) => ({ at_ms, ...event }) as LedgerEntry)

interface Progress {
  sent: number
  inFlight: boolean
  /** The reason why a sent attempt leaves the outcome open, regardless of later attempts. */
  doubt: TransportErrorReason | undefined
}

/** Stores whether a failed attempt leaves the outcome open. A 429 does, if the service may act before it refuses. */
const learn = (progress: Progress, error: unknown, mayActFirst: boolean) => {
  progress.inFlight = false
  if (error instanceof TransportError && effectedBy(error) === "unknown") {
    progress.doubt = error.reason
  } else if (error instanceof TooManyRequestsError && mayActFirst) {
    const { detail, retryAfter } = error
    progress.doubt ??= new UnexpectedStatus({
      status: 429,
      body: detail,
      ...(retryAfter === undefined ? {} : { retryAfter })
    })
  }
}

/** Limits the time of a ledger write: a ledger that never responds must not keep a client from being closed. */
const write_time = Duration.seconds(10)

/**
 * Writes to a ledger for at most 10 seconds. It is a fiber of its own that writes: what is under way on a disk cannot be
 * interrupted, and who waits for it can. `late` runs when the entry is written after all.
 */
const writeInTime = (
  ledger: Ledger,
  entry: LedgerEntry,
  late: Effect.Effect<void> = Effect.void
): Effect.Effect<void, LedgerError> =>
  Effect.flatMap(Effect.forkDetach(ledger.write(entry), { startImmediately: true }), (writing) => {
    const done = writing.pollUnsafe()
    if (done !== undefined) return done
    const slow = () =>
      Effect.fail(new LedgerError({ message: `The ledger did not respond within ${Duration.format(write_time)}.` }))
    return Fiber.join(writing).pipe(
      Effect.timeoutOrElse({ duration: write_time, orElse: slow }),
      Effect.onExit((exit) =>
        Exit.isFailure(exit) && writing.pollUnsafe() === undefined
          ? Effect.forkDetach(
              Effect.flatMap(Fiber.await(writing), (exit) => (Exit.isSuccess(exit) ? late : Effect.void))
            )
          : Effect.void
      )
    )
  })

/** Creates of one client. */
export const make = (options: {
  readonly target: ClientConfig["Service"]["target"]
  readonly retrier: RetryPolicy.Retrier
  readonly ledger: Ledger
  readonly keys: Effect.Effect<string>
  readonly grace: Grace
}): Creates => {
  const { grace, ledger, retrier, target } = options
  const honoured = target.idempotency === "honoured"
  const refusedFirst = target.refusals === "before-acting"
  const mayActFirst = target.refusals === "after-acting"
  const open = new Map<string, unknown>()

  /** Deletes the oldest entries together, because a map finds its first key behind all that were deleted before it. */
  const keepNewest = (map: Map<string, unknown>, most: number) => {
    if (map.size > most * 1.1) for (const key of map.keys()) if (map.size > most) map.delete(key)
  }

  const ledgerOf = (context: Context.Context<never>) => Context.getOrUndefined(context, Current) ?? ledger

  /** Writes down what has happened, or logs it if that fails: failing the call can't undo it. */
  const note = (event: Happening) =>
    Effect.withFiber(({ context }) => {
      const ledger = ledgerOf(context)
      if (ledger === none) return Effect.void
      return Effect.flatMap(now(event), (entry) =>
        writeInTime(ledger, entry).pipe(
          Effect.catch((error) =>
            Effect.logError(`${error.message} The ledger lacks this entry: ${JSON.stringify(entry)}`)
          )
        )
      )
    })

  /** The last ends, and the ledger that was told: what is read of them again is no news to it. */
  const lastEnds = new Map<string, Ledger>()
  const isNews = (ledger: Ledger, name: string) => {
    if (lastEnds.get(name) === ledger) return false
    keepNewest(lastEnds, 1000)
    return lastEnds.set(name, ledger)
  }

  const made = (key: string, kind: string, id: string | undefined, response?: unknown) =>
    Effect.gen(function* () {
      yield* note({ _tag: "opened", key, ...(id === undefined ? {} : { id }) })
      if (id !== undefined) {
        // the same key sent again may bring the same id
        lastEnds.delete(`${kind} ${id}`)
        yield* grace.remember(id, response)
        yield* Effect.annotateCurrentSpan(`${kind}.id`, id)
      }
      // a message without a run has nothing to cancel or to name yet
      if (id !== undefined || kind === "browser") open.set(`${kind} ${id ?? key}`, response)
      keepNewest(open, 10_000)
      if (kind === "browser") yield* Metric.modify(Metrics.browsersOpen, 1)
    })

  const mayPass = (error: unknown): RetryPolicy.Transient | undefined => {
    const failure = RetryPolicy.transient(error)
    if (failure === undefined || honoured) return failure
    const effected = effectedBy(error)
    return effected === "unsent" || (effected === "throttled" && refusedFirst) ? failure : undefined
  }

  /** Reports a failed create to its caller and to the ledger. */
  const settle = <E>(create: Opening, cause: Cause.Cause<E>, progress: Progress) =>
    Effect.gen(function* () {
      const { key, kind, requestId } = create
      const { doubt, inFlight, sent: attempts } = progress
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (
        error instanceof TransportError &&
        error.reason._tag === "UndecodableAnswer" &&
        error.reason.id !== undefined
      ) {
        // it says which one was made, and nothing else that can be read
        yield* made(key, kind, error.reason.id)
      } else if (error === undefined && inFlight) {
        yield* note({ _tag: "unknown", key, reason: "interrupted" })
        yield* Effect.logWarning(
          `The ${kind} may have been created, and may cost: its create was interrupted. ` +
            `Look for it at the service. Idempotency key ${JSON.stringify(key)}, request id ${JSON.stringify(requestId)}.`
        )
      } else if (doubt !== undefined) {
        const lost = new CreateOutcomeUnknown({
          ...create,
          attempts,
          phase: phaseOf(doubt),
          idempotency: target.idempotency,
          reason: doubt
        })
        yield* note({ _tag: "unknown", key, reason: lost.message })
        if (error !== undefined) return yield* lost
        yield* Effect.logWarning(lost.message)
      } else {
        yield* note({ _tag: "refused", key })
        if (error instanceof TooManyRequestsError) error.refused(key)
      }
      return yield* Effect.failCause(cause)
    })

  const create: Creates["create"] = (create, attempt) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { idOf, kind, ...request } = create
        const context = yield* Effect.context<never>()
        const { attempts, pauses } = Context.get(context, RetryPolicy.Interruption)
        const key = yield* Context.getOrUndefined(context, IdempotencyKey.Current) ?? options.keys
        const opening = { ...request, kind, key }
        const notSent = (issue: string) => refused(request, issue)
        const issue = IdempotencyKey.issueOf(key)
        if (issue !== undefined) return yield* notSent(issue)
        const current = ledgerOf(context)
        if (current !== none) {
          const entry = yield* now({ _tag: "opening", ...opening })
          yield* restore(pauses(writeInTime(current, entry, note({ _tag: "refused", key })))).pipe(
            Effect.catch((error) => notSent(error.message))
          )
        }

        const progress: Progress = { sent: 0, inFlight: false, doubt: undefined }
        const once = Effect.suspend(() => {
          progress.sent++
          progress.inFlight = true
          return attempts(attempt({ "idempotency-key": key }))
        }).pipe(Effect.tapError((error) => Effect.sync(() => learn(progress, error, mayActFirst))))
        // an interruption that has come by now is heard before the first attempt
        const sent = Effect.andThen(pauses(Effect.void), retrier.retry(once, mayPass))
        const exit = yield* Effect.exit(restore(sent))
        if (Exit.isFailure(exit)) return yield* settle(opening, exit.cause, progress)
        yield* made(key, kind, idOf(exit.value), exit.value)
        return exit.value
      })
    )

  return {
    create,
    open,
    closed: (kind, id) =>
      Effect.withFiber(({ context }) => {
        const ledger = ledgerOf(context)
        const name = `${kind} ${id}`
        const noted = ledger !== none && isNews(ledger, name) ? note({ _tag: "closed", kind, id }) : Effect.void
        return open.delete(name) && kind === "browser"
          ? Effect.andThen(Metric.modify(Metrics.browsersOpen, -1), noted)
          : noted
      })
  }
}
