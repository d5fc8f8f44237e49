/** Requests of an API key to the nodes of a service: to any of them, and to another one if that gives no response. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Member } from "./Cluster.ts"

/** The JSON of a response. */
export type Body = Readonly<Record<string, unknown>>

/** A response. */
export interface Response {
  readonly status: number
  readonly body: Body
}

/** A request. */
export interface Request {
  readonly method: string
  /** Path below `/api/v4`, or one that begins with `/admin`. */
  readonly path: string
  readonly body?: unknown
  /** Its idempotency key. */
  readonly key?: string
  /** Time after which the client closes the connection; that of all requests by default. */
  readonly patience_ms?: number
}

/** The requests of one API key. */
export interface Requests {
  /** Sends a request to a node; fails without a response. */
  readonly send: (member: Member, request: Request) => Promise<Response>
  /** The same; undefined if the node is gone, frozen, full or without its database. */
  readonly attempt: (member: Member, request: Request) => Promise<Response | undefined>
  /** Sends a request to one node after the other until there is a response. */
  readonly insist: (request: Request) => Promise<Response>
  /** Sends bytes to a link, or reads those of one, at any node; undefined without a response. */
  readonly link: (url: string, method: "GET" | "PUT", content?: string) => Promise<LinkResponse | undefined>
  /** A node of chance. */
  readonly any: () => Member
}

interface LinkResponse {
  readonly status: number
  readonly text: string
}

/** A field of a response as text; an empty one if it's missing. */
export const textOf = (body: Body | undefined, name: string): string => {
  const value = body?.[name]
  return typeof value === "string" ? value : ""
}

/** A response that isn't the answer: the node drains, is full, has no database, or is too slow to read the request. */
const isTemporary = (status: number) => [408, 429, 503].includes(status)

export const makeRequests = (
  members: ReadonlyArray<Member>,
  { apiKey, draw, patience_ms }: { readonly apiKey: string; readonly draw: () => number; readonly patience_ms: number }
): Requests => {
  const any = () => members[Math.floor(draw() * members.length)] ?? (members[0] as Member)

  const send: Requests["send"] = async (member, { body, key, method, path, patience_ms: limit_ms = patience_ms }) => {
    const response = await fetch(`${member.url}${path.startsWith("/admin") ? "" : "/api/v4"}${path}`, {
      method,
      signal: AbortSignal.timeout(limit_ms),
      headers: {
        "x-service-api-key": apiKey,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text === "" ? "{}" : text) as Body }
  }

  const attempt: Requests["attempt"] = async (member, request) => {
    const response = await send(member, request).catch(() => undefined)
    return response === undefined || isTemporary(response.status) ? undefined : response
  }

  return {
    any,
    send,
    attempt,
    insist: async (request) => {
      for (;;) {
        const response = await attempt(any(), request)
        if (response !== undefined) return response
        await sleep(20 + draw() * 200)
      }
    },
    link: async (url, method, content) => {
      const { pathname, search } = new URL(url)
      const signal = AbortSignal.timeout(patience_ms)
      try {
        const response = await fetch(`${any().url}${pathname}${search}`, {
          method,
          signal,
          ...(content === undefined ? {} : { body: content })
        })
        const text = await response.text()
        return isTemporary(response.status) ? undefined : { status: response.status, text }
      } catch {
        return undefined
      }
    }
  }
}
