import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type Answered, ConnectionLost, FaultDelivery, type Script } from "./FaultDelivery.ts"
import { elapsed_ms, wait } from "./Waits.ts"

const reset = new ConnectionLost({ code: "ECONNRESET" })
const refused = new ConnectionLost({ code: "ECONNREFUSED" })

const bodyOf = (script: Script): Stream.Stream<Uint8Array, ConnectionLost> =>
  Stream.fromIterable(script.pieces).pipe(
    Stream.mapEffect(({ after_ms, bytes }) => Effect.as(wait(after_ms), bytes)),
    Stream.concat(
      Stream.unwrap(Effect.as(wait(script.pause_ms), script.end === "complete" ? Stream.empty : Stream.fail(reset)))
    )
  )

/** Delivers a fault to a caller without a socket: a failed request, or a body that fails. */
const deliver: FaultDelivery["Service"]["deliver"] = (_request, script, ended) => {
  let over = false
  const end = (answered: Answered) => {
    if (!over) ended(answered)
    over = true
  }
  const { head } = script
  if (head === null) {
    return wait(script.pause_ms).pipe(
      Effect.interruptible,
      Effect.onInterrupt(() => Effect.sync(() => end("left"))),
      Effect.andThen(
        Effect.suspend(() => {
          end("none")
          return Effect.fail(reset)
        })
      )
    )
  }
  const body = Stream.onExit(bodyOf(script), (exit) =>
    Effect.sync(() => end(exit._tag === "Success" ? "whole" : "part"))
  )
  return Effect.succeed(HttpServerResponse.stream(body, head))
}

/** The connections of callers in the same process, which are not there: as good as one for each request. */
export class InProcessConnections extends Context.Service<
  InProcessConnections,
  {
    /** A request over such a connection: refused or cut while connections are. */
    readonly carry: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ConnectionLost, R>
  }
>()("@webagent/simulation/InProcessConnections") {}

/** Delivery to callers in the same process. */
export const layer: Layer.Layer<FaultDelivery | InProcessConnections> = Layer.effectContext(
  Effect.sync(() => {
    let until_ms = Number.NEGATIVE_INFINITY
    let cut = Deferred.makeUnsafe<never, ConnectionLost>()

    const refuseConnections = (span: Duration.Duration) =>
      Effect.flatMap(elapsed_ms, (now_ms) => {
        until_ms = Math.max(until_ms, now_ms + Duration.toMillis(span))
        const before = cut
        cut = Deferred.makeUnsafe()
        return Effect.asVoid(Deferred.fail(before, reset))
      })

    const carry: InProcessConnections["Service"]["carry"] = (request) =>
      Effect.flatMap(elapsed_ms, (now_ms) =>
        now_ms < until_ms ? Effect.fail(refused) : Effect.raceFirst(request, Deferred.await(cut))
      )

    const acceptConnections = Effect.sync(() => void (until_ms = Number.NEGATIVE_INFINITY))

    return Context.make(FaultDelivery, { deliver, refuseConnections, acceptConnections }).pipe(
      Context.add(InProcessConnections, { carry })
    )
  })
)
