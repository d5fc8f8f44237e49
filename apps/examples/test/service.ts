import { ClientConfig, Transport } from "@webagent/core"
import { PollSchedule } from "@webagent/polling"
import { Server, SimulatedService } from "@webagent/simulation"
import { V2 } from "@webagent/v2"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** Environment variables, for whatever is provided with it. */
export const environment = (env: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnv({ env }))

/** The environment in which an example is run by hand, with the server of the surroundings. */
const layerEnvironment = Layer.unwrap(
  Effect.map(Server, ({ address, apiKeys }) =>
    environment({ WEBAGENT_BASE_URL: address, WEBAGENT_API_KEY: apiKeys[0] ?? "" })
  )
)

/** Turns of the test server take 5 ms. */
export const impatient = Layer.succeed(PollSchedule.Current, PollSchedule.every("5 millis"))

/** The clients of every version, configured as by hand. */
export const clients = Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(
  Layer.provideMerge(Transport.layer),
  Layer.provide([ClientConfig.layerConfig, FetchHttpClient.layer])
)

/** A simulated service on a real socket, and its clients. */
export const layer = clients.pipe(
  Layer.provideMerge(Layer.merge(layerEnvironment, impatient)),
  Layer.provideMerge(SimulatedService.layerTest)
)

/** Where a service that answers in one way listens. */
export const answering = (answer: (response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
      const server = createServer((_, response) => answer(response))
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }))
      )
    }),
    ({ close }) => Effect.sync(close)
  )
