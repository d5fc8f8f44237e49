import type * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Dispatcher } from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as WholeAnswer from "./WholeAnswer.ts"

const joined = (value: string | ReadonlyArray<string> | undefined) =>
  typeof value === "object" ? value.join(", ") : value

/** Sends with undici's dispatch: no stream, no promise and no signal is made for an answer that is read whole. */
export const sendBy =
  (dispatcher: NodeHttpClient.Dispatcher["Service"]): WholeAnswer.SendWhole =>
  (request, _context, { onEnd, onHeaders }) => {
    let controller: Dispatcher.DispatchController | undefined
    let interrupted: Error | undefined
    let status = 0
    let headers: Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2] = {}
    const chunks: Array<Buffer> = []

    const fail = (cause: unknown) =>
      onEnd(
        Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
        )
      )
    try {
      const { origin, pathname, search } = new URL(request.url)
      dispatcher.dispatch(
        {
          origin,
          path: `${pathname}${search}`,
          method: request.method,
          headers: request.headers,
          body: request.body._tag === "Uint8Array" ? request.body.body : null,
          // whoever sends bounds the time
          headersTimeout: 0,
          bodyTimeout: 0
        },
        {
          onRequestStart: (started) => {
            controller = started
            if (interrupted !== undefined) started.abort(interrupted)
          },
          onResponseStart: (_, code, received) => {
            if (code < 200) return
            status = code
            headers = received
            onHeaders()
          },
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd: () =>
            onEnd(
              Effect.succeed({
                status,
                header: (name) => joined(headers[name]),
                headers: () =>
                  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, joined(value) ?? ""])),
                body: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
              })
            ),
          onResponseError: (_, cause) => fail(cause)
        }
      )
    } catch (cause) {
      fail(cause)
    }
    return () => {
      interrupted = new Error("The request was interrupted")
      controller?.abort(interrupted)
    }
  }
