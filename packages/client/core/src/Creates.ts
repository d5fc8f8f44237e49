import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { ClientConfig } from "./ClientConfig.ts"
import { CreateOutcomeUnknown } from "./CreateOutcomeUnknown.ts"
import type { Grace } from "./Grace.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import { type Ledger, none } from "./Ledger.ts"
import type { LedgerEntry } from "./LedgerEntry.ts"
import * as Metrics from "./Metrics.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import { TooManyRequestsError } from "./TooManyRequestsError.ts"
import {
  InvalidRequest,
  isUnsent,
  TransportError,
  type TransportErrorReason,
  UnexpectedStatus
} from "./TransportError.ts"

/** A request that makes something which costs money. */
export interface Create<A> {
  /** What it makes: `run`, `session`, `browser`. */
  readonly kind: string
  readonly method: string
  readonly path: string
  readonly origin: string
  /** What its requests carry as `X-Request-Id`. */
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
}

/** What a failed attempt of a create has done at the service. */
type Effected =
  /** It has not reached it. */
  | "unsent"
  /** It was refused, and did nothing. */
  | "refused"
  /** It was refused for now, and may or may not have done something. */
  | "throttled"
  /** It was answered, but not understood. */
  | "done"
  /** The create may have happened or not. */
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
      return "done"
    case "UnexpectedStatus":
      // a 303 is how a service answers what it has done; other redirects ask to do it elsewhere
      return reason.status >= 500 || reason.status === 408 || reason.status === 303 || reason.status === 0
        ? "unknown"
        : "refused"
  }
}

type Opening = Omit<Create<never>, "idOf"> & { readonly key: string }

/** An entry of the ledger that has yet to be given its time. */
type Happening = LedgerEntry extends infer Entry ? (Entry extends LedgerEntry ? Omit<Entry, "at_ms"> : never) : never

const now = (event: Happening) => Effect.map(Clock.currentTimeMillis, (at_ms) => ({ at_ms, ...event }) as LedgerEntry)

interface Progress {
  sent: number
  inFlight: boolean
  /** Why an attempt that was made leaves the outcome open, whatever comes after it. */
  doubt: TransportErrorReason | undefined
  /** The same of an attempt that was answered 429, where that may come after the service has acted. */
  throttled: TransportErrorReason | undefined
}

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
  const browsers = new Set<string>()

  /** What has happened is written down, or said: it cannot be undone by failing. */
  const note = (event: Happening) =>
    ledger === none
      ? Effect.void
      : Effect.flatMap(now(event), (entry) =>
          ledger
            .write(entry)
            .pipe(Effect.catch((error) => Effect.logError(`${error.message} It lacks: ${JSON.stringify(entry)}`)))
        )

  const made = (key: string, kind: string, id: string | undefined) =>
    Effect.gen(function* () {
      yield* note({ _tag: "opened", key, ...(id === undefined ? {} : { id }) })
      if (id !== undefined) yield* grace.remember(id)
      if (kind !== "browser") return
      browsers.add(id ?? key)
      yield* Metrics.add(Metrics.browsersOpen, 1)
    })

  const mayPass = (error: unknown): RetryPolicy.Transient | undefined => {
    const failure = RetryPolicy.transient(error)
    if (failure === undefined || honoured) return failure
    const effected = effectedBy(error)
    return effected === "unsent" || (effected === "throttled" && refusedFirst) ? failure : undefined
  }

  /** Notes what an attempt that has failed leaves open. */
  const learn = (progress: Progress, error: unknown) => {
    progress.inFlight = false
    const effected = effectedBy(error)
    if (error instanceof TransportError && (effected === "unknown" || effected === "done")) {
      progress.doubt = error.reason
    } else if (error instanceof TooManyRequestsError && !refusedFirst) {
      const { detail: body, retryAfter } = error
      progress.throttled = new UnexpectedStatus({
        status: 429,
        body,
        ...(retryAfter === undefined ? {} : { retryAfter })
      })
    }
  }

  /** What a create that has failed tells its caller and the ledger. */
  const settle = <E>(create: Opening, cause: Cause.Cause<E>, progress: Progress) =>
    Effect.gen(function* () {
      const { key, kind } = create
      const unknown = (reason: string) => note({ _tag: "unknown", key, reason })
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      const isThrottled = error instanceof TooManyRequestsError && !refusedFirst
      const reason = progress.doubt ?? (isThrottled ? undefined : progress.throttled)
      if (error instanceof TransportError && error.reason._tag === "UndecodableAnswer") {
        yield* made(key, kind, error.reason.id)
      } else if (reason !== undefined && error !== undefined) {
        const { sent: attempts } = progress
        const lost = new CreateOutcomeUnknown({ ...create, attempts, idempotency: target.idempotency, reason })
        yield* unknown(lost.message)
        return yield* lost
      } else if (error === undefined) {
        const refused = !progress.inFlight && reason === undefined
        yield* refused ? note({ _tag: "refused", key }) : unknown("interrupted, or a defect")
      } else if (isThrottled) {
        yield* unknown("status 429, which the service may send before or after it acts")
      } else {
        yield* note({ _tag: "refused", key })
      }
      return yield* Effect.failCause(cause)
    })

  const create: Creates["create"] = (create, attempt) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { idOf, ...request } = create
        const context = yield* Effect.context<never>()
        const key = yield* Context.getOrUndefined(context, IdempotencyKey.Current) ?? options.keys
        const opening = { ...request, key }
        const notSent = (issue: string) => {
          const { kind: _, ...rest } = request
          return Effect.fail(new TransportError({ ...rest, attempts: 0, reason: new InvalidRequest({ issue }) }))
        }
        const issue = IdempotencyKey.issueOf(key)
        if (issue !== undefined) return yield* notSent(issue)
        yield* Effect.flatMap(now({ _tag: "opening", ...opening }), ledger.write).pipe(
          Effect.catch((error) => notSent(error.message))
        )

        const progress: Progress = { sent: 0, inFlight: false, doubt: undefined, throttled: undefined }
        const once = Effect.suspend(() => {
          progress.sent++
          progress.inFlight = true
          return attempt({ "idempotency-key": key })
        }).pipe(Effect.tapError((error) => Effect.sync(() => learn(progress, error))))
        const exit = yield* Effect.exit(restore(retrier.retry(once, mayPass)))
        if (Exit.isFailure(exit)) return yield* settle(opening, exit.cause, progress)
        yield* made(key, create.kind, idOf(exit.value))
        return exit.value
      })
    )

  return {
    create,
    closed: (kind, id) =>
      Effect.andThen(
        note({ _tag: "closed", kind, id }),
        Effect.suspend(() =>
          kind === "browser" && browsers.delete(id) ? Metrics.add(Metrics.browsersOpen, -1) : Effect.void
        )
      )
  }
}
