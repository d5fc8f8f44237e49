import { ConsoleControlApi, type ControlOperations } from "@webagent/control"
import { ConsoleAuth, type ConsoleExtensionService } from "@webagent/server"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Journal } from "../journal/Journal.ts"
import { Control } from "./Control.ts"
import * as ControlValidation from "./ControlValidation.ts"
import * as Handlers from "./Handlers.ts"

/** Time between two looks at the journal for the pages that follow it. */
const followPause = "400 millis"

/** Time for the response that begins an outage to arrive: the console is at the port that closes. */
const responsePause = "100 millis"

/** Pages are in real time, even if service time stands still. */
const realClock = Clock.Clock.defaultValue()

const Served = ConsoleControlApi.middleware(ConsoleAuth)

/** The operations for the console, where an outage begins after its response. */
const withLateOutage = Effect.gen(function* () {
  const control = yield* Control
  const scope = yield* Effect.scope
  return Control.of({
    ...control,
    refuseConnections: (span) =>
      Effect.provideService(Effect.sleep(responsePause), Clock.Clock, realClock).pipe(
        Effect.andThen(control.refuseConnections(span)),
        Effect.forkIn(scope),
        Effect.asVoid
      )
  })
})

/**
 * The control of a simulated service as a part of its console: the operations of the control API, and an event for each
 * change of the journal's size.
 */
export const make: Effect.Effect<ConsoleExtensionService, never, Control | Journal> = Effect.gen(function* () {
  const journal = yield* Journal
  const context = yield* Effect.context<Control>()
  const operations = HttpApiBuilder.layer(Served).pipe(
    Layer.provide(Handlers.layer(Served as object as typeof ControlOperations)),
    Layer.provide(ControlValidation.layer),
    Layer.provide(Layer.effect(Control, withLateOutage)),
    Layer.provide(Layer.succeedContext(context))
  )
  return {
    routes: operations,
    events: Stream.tick(followPause).pipe(
      Stream.map(() => journal.lastUnsafe()),
      Stream.changes,
      Stream.map((written) => ({ event: "journal", data: { written } })),
      Stream.provideService(Clock.Clock, realClock)
    )
  }
})
