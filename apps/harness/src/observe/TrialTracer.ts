import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Tracer from "effect/Tracer"
import { AsyncLocalStorage } from "node:async_hooks"
import { most, TrialLog } from "./TrialLog.ts"

/** The log of the trial whose code runs, also in promises and timers of it; undefined outside of trials. */
export const trialOfCode = new AsyncLocalStorage<TrialLog | undefined>()

const evaluate = "~effect/Effect/evaluate"

const logOf = ({ context }: Fiber.Fiber<unknown, unknown>): TrialLog | undefined =>
  context.mapUnsafe.get(TrialLog.key) as TrialLog | undefined

/** Keeps the spans of each trial in its log; an attempt's own is not kept, since its exchange tells more. */
const tracer = Tracer.make({
  // fibers take turns in one callback, so that each step sets whose it is
  context: (primitive, fiber) => {
    const log = logOf(fiber)
    return trialOfCode.getStore() === log
      ? primitive[evaluate](fiber)
      : trialOfCode.run(log, () => primitive[evaluate](fiber))
  },
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    const log = options.kind === "client" ? undefined : Fiber.getCurrent()?.getRef(TrialLog)
    if (log !== undefined && log.spans.length < most) log.spans.push(span)
    else if (log !== undefined) log.spansDropped++
    return span
  }
})

const within = Context.make(Tracer.Tracer, tracer).pipe(Context.add(HttpClient.TracerDisabledWhen, () => true))

/** Lets the spans of trials in `effect` go to their logs, and what they print and reject be known as theirs. */
export const traced: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideContext(within)
