import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** An error response outside of the contract's operations, in the shape of all errors: `{ "detail": ... }`. */
export const detail = (
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe({ detail: sentence }, { status, headers })
