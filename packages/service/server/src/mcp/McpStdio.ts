import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as McpServer from "effect/ai/McpServer"
import * as Redacted from "effect/Redacted"
import { about } from "./about.ts"
import { Operations, over } from "./Operations.ts"
import * as Tools from "./Tools.ts"

/** The operations of a server as MCP tools on standard input and output. */
export const layer = ({
  address,
  apiKey,
  version
}: {
  /** Where the server is, such as `http://127.0.0.1:4400`. */
  readonly address: string
  readonly apiKey: Redacted.Redacted
  readonly version: string
}) =>
  McpServer.layerStdio({
    ...about(version),
    registrations: Layer.provide(
      Tools.layer,
      Layer.effect(
        Operations,
        Effect.map(HttpClient.HttpClient, (client) => over(client, address, Effect.succeed(Redacted.value(apiKey))))
      )
    )
  })
