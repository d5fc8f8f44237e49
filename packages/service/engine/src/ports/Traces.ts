import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Tracer from "effect/Tracer"

/** The export of a server's spans. */
export interface Export {
  readonly tracer: Tracer.Tracer
  /** The spans of runs at this node, by session. */
  readonly runs: Map<string, Tracer.Span>
  /** Adds what agents and models said to their spans. */
  readonly hasContents: boolean
}

/**
 * The export of a server's spans; null if the server exports none. It isn't Effect's own `Tracer`, so that only spans made
 * by `traced` and `startSpan` are exported: the spans that libraries make have addresses, headers and SQL.
 */
export const Traces: Context.Reference<Export | null> = Context.Reference("@webagent/engine/Traces", {
  defaultValue: (): Export | null => null
})

/** The span around the current effect; null without one. */
export const CurrentSpan: Context.Reference<Tracer.AnySpan | null> = Context.Reference("@webagent/engine/CurrentSpan", {
  defaultValue: (): Tracer.AnySpan | null => null
})

/** Options of a span. Attributes must have neither secrets nor the contents of tasks. */
export interface SpanOptions {
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
  readonly kind?: Tracer.SpanKind
  /** By default, the current span, or otherwise the run of `sessionId` at this node. */
  readonly parent?: Tracer.AnySpan | null | undefined
  readonly sessionId?: string | null | undefined
}

/** Starts a span. */
export const startSpan = (
  tracer: Tracer.Tracer,
  name: string,
  startTime: bigint,
  { attributes = {}, kind = "internal", parent }: SpanOptions
): Tracer.Span => {
  const span = tracer.span({
    name,
    parent: Option.fromNullishOr(parent),
    annotations: Context.empty(),
    links: [],
    startTime,
    kind,
    root: parent == null,
    // a client that doesn't record its own trace doesn't want this part of it either
    sampled: parent?.sampled ?? true
  })
  for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
  return span
}

/** An error with the tag of a failure only, because messages can have secrets and contents of tasks. */
const failed = (tag: string) => {
  const error = new Error(tag)
  error.stack = tag
  return Exit.fail(error)
}

/** Finishes a span with the tag of its failure; undefined if it succeeded. */
export const endSpan = (span: Tracer.Span, endTime: bigint, failure?: string): void => {
  if (failure !== undefined) span.attribute("error.type", failure)
  span.end(endTime, failure === undefined ? Exit.void : failed(failure))
}

const tagOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "interrupted"
  const error = Cause.squash(cause)
  return Predicate.hasProperty(error, "_tag") ? String(error._tag) : "defect"
}

/** Adds a span around an effect if the server exports traces. */
export const traced =
  (name: string, options: SpanOptions = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const traces = fiber.getRef(Traces)
      if (traces === null) return effect
      const clock = fiber.getRef(Clock.Clock)
      const parent = options.parent ?? fiber.getRef(CurrentSpan) ?? traces.runs.get(options.sessionId ?? "")
      const span = startSpan(traces.tracer, name, clock.currentTimeNanosUnsafe(), { ...options, parent })
      return Effect.onExit(Effect.provideService(effect, CurrentSpan, span), (exit) =>
        Effect.sync(() =>
          endSpan(span, clock.currentTimeNanosUnsafe(), Exit.isSuccess(exit) ? undefined : tagOf(exit.cause))
        )
      )
    })

/** The `traceparent` of a span, as W3C Trace Context writes it. */
export const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`
