import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

const clock = (seconds: number) =>
  `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`

/** How far a load test is: `  t 00:41/01:00`. What was begun in its time may take longer. */
export const line = (elapsed_s: number, total_s: number): string =>
  `  t ${clock(Math.min(elapsed_s, total_s))}/${clock(total_s)}${elapsed_s < total_s ? "" : "   waiting for what has begun"}`

/** Shows the time, every second in one line of a terminal, else every ten seconds in a line of its own. Never ends. */
export const show = Effect.fnUntraced(function* (
  duration: Duration.Duration,
  output: { readonly live: boolean; readonly write: (text: string) => Effect.Effect<void> }
) {
  const start_ms = yield* Clock.currentTimeMillis
  const draw = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
    const text = line((now_ms - start_ms) / 1000, Duration.toSeconds(duration))
    return output.write(output.live ? `\r\u001B[2K${text}` : `${text}\n`)
  })
  if (output.live) yield* Effect.addFinalizer(() => output.write("\r\u001B[2K"))
  const pause = Effect.sleep(output.live ? "1 second" : "10 seconds")
  return yield* Effect.forever(output.live ? Effect.andThen(draw, pause) : Effect.andThen(pause, draw))
}, Effect.scoped)
