import { Server, SimulatedService } from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Socket } from "node:net"

/** What a server holds that it has to give back. */
interface Held {
  /** Connections that the server has accepted and that are still there on its side. */
  readonly connections: number
  /** Fibers that are at work. */
  readonly fibers: number
}

/** Looks into a server of this process from outside: nothing in it knows that it is observed. */
export class Observer extends Context.Service<
  Observer,
  {
    readonly held: Effect.Effect<Held>
    /** Waits until no connection is left and no more fibers are at work than there were; what it saw last if not. */
    readonly settled: (before: Held) => Effect.Effect<Held>
  }
>()("conformance/Observer") {}

const isSocketMessage = (message: unknown): message is { readonly socket: Socket } =>
  typeof message === "object" && message !== null && "socket" in message

const patience_ms = 10_000
const step_ms = 10

/** A server of its own, whose turns end at once, and its observer. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    let fibers = 0
    const sockets = new Set<Socket>()
    const counting: Metric.FiberRuntimeMetricsService = {
      recordFiberStart: () => void fibers++,
      recordFiberEnd: () => void fibers--
    }
    const context = yield* Layer.build(Layer.fresh(Layer.orDie(SimulatedService.layer({ turnDuration: 0 })))).pipe(
      Effect.provideService(Metric.FiberRuntimeMetrics, counting)
    )
    const port = Number(new URL(Context.get(context, Server).address).port)
    const accepted = (message: unknown) => {
      if (!isSocketMessage(message) || message.socket.localPort !== port) return
      sockets.add(message.socket)
      message.socket.once("close", () => sockets.delete(message.socket))
    }
    subscribe("net.server.socket", accepted)
    yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe("net.server.socket", accepted)))
    const held = Effect.sync(() => ({ connections: sockets.size, fibers }))
    const settled = (before: Held, left_ms = patience_ms): Effect.Effect<Held> =>
      Effect.flatMap(held, (now) =>
        left_ms <= 0 || (now.connections === 0 && now.fibers <= before.fibers)
          ? Effect.succeed(now)
          : Effect.andThen(Effect.sleep(step_ms), settled(before, left_ms - step_ms))
      )
    return Context.add(context, Observer, { held, settled })
  })
)
