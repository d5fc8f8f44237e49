import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as McpServer from "effect/ai/McpServer"
import * as Redacted from "effect/Redacted"
import { apiKeyHeader, basePath } from "@webagent/contract/Wire"
import { about } from "./about.ts"
import { nothing, Operations, over } from "./Operations.ts"
import * as Tools from "./Tools.ts"

interface Target {
  /** Address of the server, such as `http://127.0.0.1:4400`. */
  readonly address: string
  readonly apiKey: Redacted.Redacted
}

/** Time limit for the server to check the key, because an MCP client waits for this program meanwhile. */
const patience = "5 seconds"

/** True if the server accepts the key; fails if it doesn't respond. */
export const takesKey = ({
  address,
  apiKey
}: Target): Effect.Effect<boolean, HttpClientError.HttpClientError | Cause.TimeoutError, HttpClient.HttpClient> =>
  HttpClient.get(`${address}${basePath.v4}${nothing}`, { headers: { [apiKeyHeader]: Redacted.value(apiKey) } }).pipe(
    Effect.map(({ status }) => status !== 401 && status !== 403),
    Effect.scoped,
    Effect.timeout(patience)
  )

/** The operations of a server as MCP tools on standard input and output. */
export const layer = ({ address, apiKey, version }: Target & { readonly version: string }) =>
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
