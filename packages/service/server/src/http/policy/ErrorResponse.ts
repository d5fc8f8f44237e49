import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** An error response outside of the contract's operations, in the shape of all errors: `{ "detail": ... }`. */
export const make = (
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe({ detail }, { status, headers })
