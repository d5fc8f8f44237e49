/** A program that creates a browser at a service which never answers, and says when its request has arrived. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { V4Operations } from "@webagent/contract/v4"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ClientConfig, ContractClient, LedgerFile, Transport } from "../src/index.ts"
import { layerUndici } from "../src/node.ts"

const server = createServer(() => console.log("arrived")).listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  const [, , directory = ""] = process.argv
  const client = Transport.layer.pipe(
    Layer.provide(layerUndici),
    Layer.provide(ClientConfig.layer({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "wak_test" })),
    Layer.provide(LedgerFile.layer({ directory, owner: "child" })),
    Layer.provide(NodeFileSystem.layer)
  )
  void Effect.runPromise(
    Effect.flatMap(ContractClient.make("v4", V4Operations), (api) => api.browsers.create({ payload: {} })).pipe(
      Effect.provide(client)
    )
  )
})
