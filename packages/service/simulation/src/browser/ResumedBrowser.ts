import type { LaunchedBrowser, LaunchFailed } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Launches a browser in the background. Its connections wait for the launch; a stop ends the launch or the browser. */
export const make = Effect.fnUntraced(function* (
  launch: Effect.Effect<LaunchedBrowser, LaunchFailed>
): Effect.fn.Return<LaunchedBrowser> {
  const launching = yield* Effect.forkDetach(Effect.orDie(launch), { startImmediately: true })
  const launched = Fiber.join(launching)
  return {
    connect: Effect.flatMap(launched, ({ connect }) => connect),
    connectPage: (page) => Effect.flatMap(launched, ({ connect, connectPage }) => connectPage?.(page) ?? connect),
    stop: Effect.suspend(() => {
      const exit = launching.pollUnsafe()
      return exit?._tag === "Success" ? exit.value.stop : Fiber.interrupt(launching)
    })
  }
})
