import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"

/**
 * Returns whether a tracer exports spans. Effect's default tracer keeps spans without exporting them, at a cost.
 *
 * @param context - The context of the fiber.
 * @returns True if the application has installed a tracer.
 * @example
 * ```ts
 * import { Trace } from "@webagent/core"
 * import type * as Context from "effect/Context"
 * import * as Effect from "effect/Effect"
 *
 * export const isTraced = Effect.contextWith((context: Context.Context<never>) => Effect.succeed(Trace.isOn(context)))
 * ```
 */
export const isOn = (context: Context.Context<never>): boolean =>
  Context.getOrUndefined(context, Tracer.Tracer) !== undefined && Context.get(context, References.TracerEnabled)

/**
 * Adds a span around an effect if the application has installed a tracer.
 *
 * @param name - The name of the span, such as `v4.Runs.create`.
 * @param options - Attributes and links of the span.
 * @returns A function that adds the span to an effect.
 * @example
 * ```ts
 * import { Trace } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 *
 * export const buy = (task: string, order: string) =>
 *   Runs.use((runs) => runs.createAndWait({ task })).pipe(Trace.span("shop.buy", { attributes: { order } }))
 * ```
 */
export const span =
  (name: string, options?: Tracer.SpanOptionsNoTrace) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber(({ context }) =>
      isOn(context)
        ? (Effect.withSpan(effect, name, { ...options, captureStackTrace: false }) as Effect.Effect<A, E, R>)
        : effect
    )

/**
 * Adds a span around a stream if the application has installed a tracer.
 *
 * @param name - The name of the span, such as `v4.Runs.watch`.
 * @param options - Attributes and links of the span.
 * @returns A function that adds the span to a stream. It ends with the stream.
 * @example
 * ```ts
 * import { Trace } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const watch = (id: string) =>
 *   Effect.map(Runs, (runs) => runs.watch(id).pipe(Trace.streamSpan("shop.watch", { attributes: { "run.id": id } })))
 * ```
 */
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
