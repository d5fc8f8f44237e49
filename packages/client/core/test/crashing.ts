/** A program that does not catch what its call fails with, and dies of it: `crashing.ts <address> <key> <get | post>`. */
import { V4Operations } from "@webagent/contract/v4"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ClientConfig, ContractClient, Transport } from "../src/index.ts"
import { layerUndici } from "../src/node.ts"

const [, , baseUrl = "", apiKey = "", method] = process.argv

const client = Transport.layer.pipe(Layer.provide(layerUndici), Layer.provide(ClientConfig.layer({ baseUrl, apiKey })))

const call = Effect.flatMap(ContractClient.make("v4", V4Operations), (api) =>
  Effect.asVoid<unknown, unknown, never>(
    method === "get" ? api.runs.get({ params: { run_id: "r" } }) : api.runs.create({ payload: { task: "t" } })
  )
)

await Effect.runPromise(Effect.provide(call, client))
