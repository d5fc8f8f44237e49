import { SimulatedService } from "@webagent/simulation"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Dice from "./Dice.ts"
import type { World } from "./World.ts"

/** A request as it left the client. */
export interface Sent {
  readonly at_ms: number
  readonly method: string
  readonly origin: string
  readonly path: string
  readonly requestId: string
  readonly idempotencyKey: string | undefined
  readonly body: string
  readonly intent: number | undefined
  /** Whether its connection was refused. */
  refused: boolean
  answered_ms: number | undefined
  status: number | undefined
  retryAfter: string | undefined
  date: string | undefined
}

/** Which intent the program at work has. */
export const CurrentIntent = Context.Reference<number | undefined>("simulation/CurrentIntent", {
  defaultValue: () => undefined
})

/** What happens to the program that has an intent. */
export type Event = "sent" | "answered" | "writing" | "written"

/** What lies between the client and the service, and sees all that passes. */
export class Network extends Context.Service<
  Network,
  {
    readonly sent: ReadonlyArray<Sent>
    /** Calls at each event of an intent: a request leaves or is answered, a write to the ledger begins or ends. */
    readonly onEvent: (listener: (event: Event, intent: number) => void) => void
    readonly tell: (event: Event, intent: number | undefined) => void
  }
>()("simulation/Network") {}

class Refused extends Error {
  readonly code = "ECONNREFUSED"
}

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** The network of a world, around the service's own client. */
export const layer = (world: World): Layer.Layer<HttpClient.HttpClient | Network, never, HttpClient.HttpClient> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const service = yield* HttpClient.HttpClient
      const dice = Dice.make(world.seed, "network")
      const sent: Array<Sent> = []
      const listeners: Array<(event: Event, intent: number) => void> = []
      const tell = (event: Event, intent: number | undefined) => {
        if (intent !== undefined) for (const listener of listeners) listener(event, intent)
      }

      const client = HttpClient.make((request, url) =>
        Effect.withFiber((fiber) => {
          const clock = fiber.getRef(Clock.Clock)
          const intent = fiber.getRef(CurrentIntent)
          const entry: Sent = {
            at_ms: clock.currentTimeMillisUnsafe(),
            method: request.method,
            origin: url.origin,
            path: url.pathname,
            requestId: request.headers["x-request-id"] ?? "",
            idempotencyKey: request.headers["idempotency-key"],
            body: bodyOf(request),
            intent,
            refused: entryIsRefused(clock.currentTimeMillisUnsafe()),
            answered_ms: undefined,
            status: undefined,
            retryAfter: undefined,
            date: undefined
          }
          sent.push(entry)
          tell("sent", intent)
          if (entry.refused) {
            const cause = new Refused("connect ECONNREFUSED")
            return Effect.fail(
              new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
            )
          }
          const outgoing =
            world.keys === "honoured" ? request : HttpClientRequest.removeHeader(request, "idempotency-key")
          return Effect.map(service.execute(outgoing), (response) => {
            entry.answered_ms = clock.currentTimeMillisUnsafe()
            entry.status = response.status
            entry.retryAfter = response.headers["retry-after"]
            entry.date = response.headers["date"]
            tell("answered", intent)
            return response
          })
        })
      )
      const entryIsRefused = (now_ms: number) => now_ms < world.lull_ms && dice.chance(world.refused)

      return Context.make(HttpClient.HttpClient, client).pipe(
        Context.add(Network, { sent, onEvent: (listener) => void listeners.push(listener), tell })
      )
    })
  )

/** Where the service of every world is. */
export const { address } = SimulatedService
