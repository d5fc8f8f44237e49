import { ClientConfig, type ClientOptions, RetryPolicy, Transport } from "@webagent/core"
import { PollBudget, PollSchedule } from "@webagent/polling"
import { basePath } from "@webagent/contract/Wire"
import { Server, SimulatedService } from "@webagent/simulation"
import { V2 } from "@webagent/v2"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import { Events as V4Events } from "@webagent/v4/events"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Conforming from "./Conforming.ts"

/** What the clients stand on: they are held to the same with either. */
export const httpClients = { fetch: FetchHttpClient.layer, undici: NodeHttpClient.layerUndici }

/** Retries and polls as usual, without making a test wait. */
const impatient = Layer.merge(
  Layer.succeed(RetryPolicy.Current, { ...RetryPolicy.standard, base: Duration.millis(1) }),
  Layer.succeed(PollSchedule.Current, PollSchedule.every("5 millis"))
)

/** A machine with much else to do may be slow; a test of a deadline gives its own. */
const patient = { connect: "5 minutes", total: "5 minutes" } as const

const { WEBAGENT_API_KEY: apiKey = "", WEBAGENT_TARGET: address } = process.env

/** A simulated server of this process, or the one at WEBAGENT_TARGET. */
export const server =
  address === undefined
    ? SimulatedService.layerTest
    : Layer.succeed(Server, {
        address,
        baseUrls: { v2: address + basePath.v2, v3: address + basePath.v3, v4: address + basePath.v4 },
        apiKeys: [apiKey]
      })

/** The Transport of the clients, for a service that has an entry of its own. */
const transport = (http: keyof typeof httpClients, options: Partial<ClientOptions> = {}) =>
  Layer.unwrap(
    Effect.map(Server, ({ address, apiKeys }) =>
      Layer.provide(Transport.layer, impatient).pipe(
        Layer.provideMerge(impatient),
        Layer.provide(
          ClientConfig.layer({ baseUrl: address, apiKey: apiKeys[0] ?? "", timeouts: patient, ...options })
        ),
        Layer.provide(Layer.provide(Conforming.layer, httpClients[http]))
      )
    )
  )

/** The clients of every version at a simulated server, polling fast; every answer is held to the contract. */
export const layer = (http: keyof typeof httpClients = "fetch", options: Partial<ClientOptions> = {}) =>
  Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices, V4Events.layer).pipe(
    Layer.provide([PollBudget.layerUnlimited]),
    Layer.provideMerge(transport(http, options)),
    Layer.provideMerge(server)
  )
