import { type CdpClient, CdpError, type CdpSession, connect } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Socket from "effect/socket/Socket"

export type { CdpError } from "@webagent/cdp"

/** A connection to a browser over the Chrome DevTools Protocol. It closes with its scope, which doesn't stop the browser. */
export interface CdpConnection extends Pick<CdpSession, "send">, Pick<CdpClient, "closed"> {}

const Endpoint = Schema.Struct({ webSocketDebuggerUrl: Schema.String })

/** Returns the WebSocket address of a browser, which a Chromium's HTTP address leads to. */
const webSocketUrl = (client: HttpClient.HttpClient, url: string): Effect.Effect<string, CdpError> =>
  url.startsWith("http")
    ? client.get(`${url.replace(/\/$/u, "")}/json/version`).pipe(
        Effect.flatMap((response) => response.json),
        Effect.flatMap(Schema.decodeUnknownEffect(Endpoint)),
        Effect.map((endpoint) => endpoint.webSocketDebuggerUrl),
        Effect.mapError(
          ({ message }) =>
            new CdpError({ method: "connect", message: `No CDP endpoint at ${url}: ${message}`, reason: "closed" })
        )
      )
    : Effect.succeed(url)

/** Connects to a `cdpUrl`. Each command may take ten seconds. */
export const open = (
  client: HttpClient.HttpClient,
  url: string
): Effect.Effect<CdpConnection, CdpError, Scope.Scope | Socket.WebSocketConstructor> =>
  Effect.flatMap(webSocketUrl(client, url), (address) => connect(address, { timeout: "10 seconds" }))
