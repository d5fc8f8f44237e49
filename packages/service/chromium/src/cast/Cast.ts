import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Pacing from "./Pacing.ts"

/** A tab that can be looked at. Pictures are base64 texts of JPEGs. */
export interface Screen<E> {
  /** Each frame is acknowledged at once: a screencast whose acknowledgements are late drops frames. */
  readonly startScreencast: Effect.Effect<void, E>
  readonly stopScreencast: Effect.Effect<void, E>
  readonly capture: Effect.Effect<string, E>
}

/** A capture that is under way while the page navigates may never be answered. */
const captureTimeout_ms = 1000

/**
 * Shows what a tab looks like until it is interrupted. `signals` gives it the frames of the screencast as `Changed`. The
 * last picture that it shows is what the tab looks like in the end, whatever frames were dropped.
 */
export const run = Effect.fnUntraced(function* <E>(
  screen: Screen<E>,
  signals: Queue.Queue<Pacing.Signal>,
  show: (picture: string) => void
) {
  const capture = screen.capture.pipe(
    Effect.timeout(captureTimeout_ms),
    Effect.map((picture): Pacing.Signal => ({ _tag: "Captured", picture })),
    Effect.orElseSucceed((): Pacing.Signal => ({ _tag: "CaptureFailed" })),
    Effect.flatMap((signal) => Queue.offer(signals, signal))
  )
  const act = (action: Pacing.Action): Effect.Effect<unknown> => {
    switch (action._tag) {
      case "Show":
        return Effect.sync(() => show(action.picture))
      case "Capture":
        return Effect.forkChild(capture)
      case "StartScreencast":
        return Effect.forkChild(Effect.ignore(screen.startScreencast))
      case "StopScreencast":
        return Effect.forkChild(Effect.ignore(screen.stopScreencast))
    }
  }

  yield* act({ _tag: "StartScreencast" })
  let pacing = Pacing.start(yield* Clock.currentTimeMillis)
  while (true) {
    const wait_ms = Math.max(0, Pacing.wakeAt_ms(pacing) - (yield* Clock.currentTimeMillis))
    const next = Queue.take(signals)
    const signal = Number.isFinite(wait_ms)
      ? Option.getOrElse(yield* Effect.timeoutOption(next, wait_ms), (): Pacing.Signal => ({ _tag: "Woken" }))
      : yield* next
    const [moved, actions] = Pacing.move(pacing, signal, yield* Clock.currentTimeMillis)
    pacing = moved
    yield* Effect.forEach(actions, act, { discard: true })
  }
})
