import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { RealClock } from "../simulation/RealClock.ts"

/** What an outage is of: a server that listens, and every connection to it. */
export interface OutageOptions {
  readonly node: Server
  readonly host: string
  readonly sockets: ReadonlySet<Socket>
}

const listen = (node: Server, host: string, port: number): Effect.Effect<void, Error> =>
  Effect.callback((resume) => {
    const onError = (error: Error) => resume(Effect.fail(error))
    const onListening = () => {
      node.off("error", onError)
      resume(Effect.void)
    }
    node.once("error", onError)
    node.once("listening", onListening)
    node.listen({ host, port })
    return Effect.sync(() => {
      node.off("error", onError)
      node.off("listening", onListening)
      // the port is asked for already, and whoever interrupts wants it closed
      node.once("error", () => undefined)
      node.once("listening", () => node.close())
    })
  })

/**
 * What refuses connections: nobody listens at the port for so long, and every connection is reset. Outages that
 * overlap are one that lasts as long as the last of them.
 */
export const make = Effect.fnUntraced(function* ({ host, node, sockets }: OutageOptions) {
  const scope: Scope.Scope = yield* Effect.scope
  const real = yield* RealClock
  let until_ms = Number.NEGATIVE_INFINITY
  let out = false

  const again = (port: number) =>
    listen(node, host, port).pipe(
      Effect.tapError((error) => Effect.logWarning(`Cannot listen at port ${port} again yet: ${error.message}`)),
      // whoever took the port has it in real time
      Effect.retry(Schedule.spaced("100 millis")),
      Effect.provideService(Clock.Clock, real),
      Effect.orDie
    )

  const over: Effect.Effect<void> = Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
    now_ms < until_ms ? Effect.andThen(Effect.sleep(Duration.millis(until_ms - now_ms)), over) : Effect.void
  )

  return (span: Duration.Duration): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      until_ms = Math.max(until_ms, now_ms + Duration.toMillis(span))
      if (out) return Effect.void
      out = true
      const { port } = node.address() as AddressInfo
      for (const socket of sockets) socket.resetAndDestroy()
      node.close()
      return over.pipe(
        Effect.andThen(
          Effect.suspend(() => {
            out = false
            return again(port)
          })
        ),
        Effect.interruptible,
        Effect.forkIn(scope),
        Effect.asVoid
      )
    })
})
