import { basePath } from "@webagent/contract/Wire"
import http from "k6/http"
import type { RefinedResponse } from "k6/http"
import { type Operation, wireOf } from "./Operation.ts"
import type { Settings } from "./Settings.ts"

/** An answer as text. */
export type Answer = RefinedResponse<"text">

/** Options of a request besides its operation. */
export interface Request {
  readonly id?: string
  readonly body?: object
  /** Names a create, so that it can be repeated where the service knows such keys. */
  readonly key?: string
}

/** The service that the load goes to. */
export interface Service {
  readonly send: (operation: Operation, request?: Request) => Answer
  /** Sends the same operation several times at once; answers come in the order of the requests. */
  readonly sendAll: (operation: Operation, requests: ReadonlyArray<Request>) => ReadonlyArray<Answer>
}

/** The longest time that one request may take. */
export const requestTimeout_ms = 10_000

/** Sends operations of the contract, each under its own name in every metric; `hear` gets to see each answer. */
export const make = (settings: Settings, hear: (operation: Operation, answer: Answer) => void): Service => {
  const requestOf = (operation: Operation, { body, id = "", key }: Request) => {
    const { method, path, version } = wireOf(operation)
    const url = settings.address + basePath[version] + path.replace(/\{\w+\}/u, encodeURIComponent(id))
    const params = {
      headers: {
        [settings.apiKeyHeader]: settings.apiKey,
        "Content-Type": "application/json",
        ...(key === undefined ? {} : { "Idempotency-Key": key })
      },
      tags: { name: operation },
      responseType: "text",
      timeout: requestTimeout_ms,
      // the key goes to this service only
      redirects: 0
    } as const
    return [method, url, body === undefined ? null : JSON.stringify(body), params] as const
  }
  return {
    send: (operation, request = {}) => {
      const answer = http.request(...requestOf(operation, request))
      hear(operation, answer)
      return answer
    },
    sendAll: (operation, requests) =>
      http.batch(
        requests.map((request) => {
          const [method, url, body, params] = requestOf(operation, request)
          return { method, url, body, params }
        })
      ) as Array<Answer>
  }
}

/** Returns whether the service carried out the request. */
export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status <= 299

/** The object in a successful answer, or undefined: a bad answer is counted, it does not end the iteration. */
export const record = (answer: Answer | undefined): Readonly<Record<string, unknown>> | undefined => {
  if (answer === undefined || !isSuccess(answer)) return undefined
  try {
    const value: unknown = answer.json()
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** A text in the object of a successful answer, or undefined. */
export const text = (answer: Answer | undefined, name: string): string | undefined => {
  const value = record(answer)?.[name]
  return typeof value === "string" && value !== "" ? value : undefined
}
