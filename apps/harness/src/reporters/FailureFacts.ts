import { duration } from "@webagent/cli/Text"
import type { Failure, SentRequest } from "@webagent/report/Trial"

/**
 * Lists the facts of a failure, one line each: the service's message, the expected and the actual value, the request
 * and the place.
 */
export const lines = ({ actual, expected, request, service, where }: Failure): ReadonlyArray<string> => {
  const sent = request && `${request.method} ${request.path} ${request.status ?? "no response"}`
  return Object.entries({ service, expected, got: actual, request: sent, where }).flatMap(([word, text]) =>
    text === undefined ? [] : [`${word.padEnd(9)} ${text}`]
  )
}

/** A request with its response, in a line. */
export const requestLine = ({ duration_ms, method, path, status }: SentRequest): string =>
  `${method} ${path}   ${status ?? "no response"}   ${duration(duration_ms)}`

/** Place of a failed check, in the form that CI systems link. */
export const placeOf = (failure: Failure | undefined): { readonly file?: string; readonly line?: string } => {
  const [, file, line] = /^(.+):(\d+)$/u.exec(failure?.where ?? "") ?? []
  return file === undefined || line === undefined ? {} : { file, line }
}
