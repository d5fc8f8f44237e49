import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type * as Responses from "../Responses.ts"
import * as Settings from "../Settings.ts"
import type { Transport } from "../Transport.ts"

/** Runs the effects of one client. */
export interface Runner<R> {
  /** Starts an effect, the first one once the services are made. `onEnd` receives its exit. */
  readonly fork: <A, E>(
    effect: Effect.Effect<A, E, R | Transport>,
    last: Responses.Last | undefined,
    onEnd: (exit: Exit.Exit<A, E>) => void
  ) => Fiber.Fiber<A, E>
  /** Interrupts the running effects, waits for their cleanup, and releases the services with the exit. */
  readonly close: (exit: Exit.Exit<void>) => Promise<void>
  /** Closed with the runner, and made before the services. */
  readonly scope: Scope.Scope
}

/** Makes a runner over services, which the first effect builds. */
export const make = <R>(layer: Layer.Layer<R | Transport>): Runner<R> => {
  const scope = Scope.makeUnsafe()
  // an array: the tables of a Map or a Set, such as a ManagedRuntime has, keep what has left them from being collected
  const atWork: Array<{ at: number; readonly fiber: Fiber.Fiber<unknown, unknown> }> = []
  /** The settings around each call, once they exist. */
  let built: Settings.Settings | undefined
  let building: Fiber.Fiber<Settings.Settings> | undefined

  const fork = <A, E>(
    effect: Effect.Effect<A, E, R | Transport>,
    last: Responses.Last | undefined,
    onEnd: (exit: Exit.Exit<A, E>) => void
  ) => {
    building ??= Effect.runFork(
      Effect.map(Layer.buildWithScope(layer, scope), (context) => (built = Settings.of(context)))
    )
    const contextOf = (settings: Settings.Settings) =>
      (last === undefined ? settings.context : Settings.telling(settings, last)) as Context.Context<R | Transport>
    const fiber =
      built === undefined
        ? Effect.runFork(
            Effect.flatMap(Fiber.join(building), (settings) => Effect.provideContext(effect, contextOf(settings)))
          )
        : Effect.runForkWith(contextOf(built))(effect)
    const entry = { at: atWork.length, fiber }
    atWork.push(entry)
    fiber.addObserver((exit) => {
      const last = atWork.pop() ?? entry
      if (last !== entry) {
        atWork[entry.at] = last
        last.at = entry.at
      }
      onEnd(exit)
    })
    return fiber
  }

  const close = (exit: Exit.Exit<void>): Promise<void> => {
    const fibers = [...atWork.map(({ fiber }) => fiber), ...(building === undefined ? [] : [building])]
    return Effect.runPromise(Effect.andThen(Fiber.interruptAll(fibers), Scope.close(scope, exit)))
  }

  return { fork, close, scope }
}
