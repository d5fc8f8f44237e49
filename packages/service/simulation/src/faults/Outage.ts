import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { NodeListener } from "@webagent/server"
import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { RealClock } from "../time/RealClock.ts"
import { elapsed_ms } from "./Waits.ts"

const cut = new WeakSet<Socket>()

/** Returns whether an outage closed this connection, rather than its client. */
export const isCut = (socket: Socket): boolean => cut.has(socket)

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
      // the port is asked for already, and an interruption means to close it
      node.once("error", () => undefined)
      node.once("listening", () => node.close())
    })
  })

/** One outage, that others that overlap it make longer. */
interface Out {
  readonly cut: Deferred.Deferred<void>
  readonly listening: Deferred.Deferred<void>
}

/** An outage lasts until it is ended, or as long as the last of those that overlap. */
export const make = Effect.fnUntraced(function* ({ host, node, sockets }: NodeListener["Service"]) {
  const scope = yield* Effect.scope
  const real = yield* RealClock
  let until_ms = Number.NEGATIVE_INFINITY
  let out: Out | undefined

  const again = (port: number) =>
    listen(node, host, port).pipe(
      Effect.tapError((error) => Effect.logWarning(`Cannot listen at port ${port} again yet: ${error.message}`)),
      // another process may hold the port, and frees it in real time
      Effect.retry(Schedule.spaced("100 millis")),
      Effect.provideService(Clock.Clock, real),
      Effect.orDie
    )

  const over: Effect.Effect<void> = Effect.flatMap(elapsed_ms, (now_ms) =>
    now_ms < until_ms ? Effect.andThen(Effect.sleep(Duration.millis(until_ms - now_ms)), over) : Effect.void
  )

  const close = () => {
    const { port } = node.address() as AddressInfo
    for (const socket of sockets) {
      cut.add(socket)
      socket.resetAndDestroy()
    }
    node.close()
    return port
  }

  /** Waits for the end of the outage. Outages that begin before the port is open again postpone it. */
  const last = (mine: Out, port: number): Effect.Effect<void> =>
    Effect.raceFirst(over, Deferred.await(mine.cut)).pipe(
      Effect.andThen(again(port)),
      Effect.andThen(elapsed_ms),
      Effect.flatMap((now_ms) => {
        if (now_ms < until_ms) return Effect.suspend(() => last(mine, close()))
        out = undefined
        return Effect.asVoid(Deferred.succeed(mine.listening, undefined))
      })
    )

  return {
    /** Closes the port for this long and resets every connection. Ends as soon as that is done. */
    begin: (span: Duration.Duration): Effect.Effect<void> =>
      Effect.flatMap(elapsed_ms, (now_ms) => {
        until_ms = Math.max(until_ms, now_ms + Duration.toMillis(span))
        if (out !== undefined) return Effect.void
        const mine = { cut: Deferred.makeUnsafe<void>(), listening: Deferred.makeUnsafe<void>() }
        out = mine
        return last(mine, close()).pipe(Effect.interruptible, Effect.forkIn(scope), Effect.asVoid)
      }),
    /** Clients can connect again when this effect has ended. */
    end: Effect.suspend(() => {
      if (out === undefined) return Effect.void
      until_ms = Number.NEGATIVE_INFINITY
      return Effect.andThen(Deferred.succeed(out.cut, undefined), Deferred.await(out.listening))
    })
  }
})
