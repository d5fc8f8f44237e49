import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Tracer from "effect/Tracer"
import { most, TrialLog } from "./TrialLog.ts"

/** Keeps the spans of each trial in its log; an attempt's own is not kept, since its exchange tells more. */
const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    const log = options.kind === "client" ? undefined : Fiber.getCurrent()?.getRef(TrialLog)
    if (log !== undefined && log.spans.length < most) log.spans.push(span)
    else if (log !== undefined) log.spansDropped++
    return span
  }
})

const within = Context.make(Tracer.Tracer, tracer).pipe(Context.add(HttpClient.TracerDisabledWhen, () => true))

/** Lets the spans of trials in `effect` go to their logs. */
export const traced: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideContext(within)
