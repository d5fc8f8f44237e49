import * as Effect from "effect/Effect"
import { ControlServer } from "../../src/control/ControlServer.ts"

export const controlKey = "control_secret"

/** Sends one request to the control API of the server of this test, as raw as fetch lets it be. */
export const asked = Effect.fnUntraced(function* (
  method: string,
  path: string,
  question: {
    readonly key?: string | null
    readonly body?: unknown
    readonly text?: string
    readonly type?: string
  } = {}
) {
  const { address: control } = yield* ControlServer
  const { body, key = controlKey, text, type = "application/json" } = question
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  return yield* Effect.promise(async () => {
    const response = await fetch(`${control}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { "x-control-key": key }),
        ...(sent === undefined ? {} : { "content-type": type })
      },
      ...(sent === undefined ? {} : { body: sent })
    })
    const received = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: received === "" ? {} : (JSON.parse(received) as Readonly<Record<string, unknown>>)
    }
  })
})
