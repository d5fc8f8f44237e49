import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as ErrorResponse from "./ErrorResponse.ts"

/** Returns true for a request to open a WebSocket. */
export const isWebSocket = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["upgrade"]?.toLowerCase() === "websocket"

/** The response to a request without the upgrade that its endpoint requires. */
export const required = (detail: string) =>
  ErrorResponse.make(426, detail, { connection: "Upgrade", upgrade: "websocket" })
