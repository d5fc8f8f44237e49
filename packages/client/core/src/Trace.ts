import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"

/** Returns whether a tracer exports spans. Effect's default tracer keeps spans without exporting them, at a cost. */
export const isOn = (context: Context.Context<never>): boolean =>
  Context.getOrUndefined(context, Tracer.Tracer) !== undefined && Context.get(context, References.TracerEnabled)

/** Adds a span around an effect if the application has installed a tracer. */
export const span =
  (name: string, options?: Tracer.SpanOptionsNoTrace) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber(({ context }) =>
      isOn(context)
        ? (Effect.withSpan(effect, name, { ...options, captureStackTrace: false }) as Effect.Effect<A, E, R>)
        : effect
    )

/** Adds a span around a stream if the application has installed a tracer. */
export const streamSpan =
  (name: string, options?: Tracer.SpanOptionsNoTrace) =>
  <A, E, R>(stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    Stream.unwrap(
      Effect.contextWith((context: Context.Context<R>) =>
        isOn(context)
          ? Effect.map(Effect.makeSpanScoped(name, options), (span) =>
              Stream.provideContext(stream, Context.add(context, Tracer.ParentSpan, span))
            )
          : Effect.succeed(stream)
      )
    ) as Stream.Stream<A, E, R>
