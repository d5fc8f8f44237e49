import * as HttpSource from "@webagent/harness-api/HttpSource"
import type { Actions, Source, SourceError } from "@webagent/harness-api/Source"
import type { LiveMessage, LiveRequest } from "@webagent/harness-api"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Effect from "effect/Effect"
import { type IncomingHttpHeaders, request } from "node:http"
import { WebSocket } from "ws"
import { type Started, start } from "../cli/program.ts"

/** A response with its body as text. */
export interface Response {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The source of a running command, which has actions. */
type LiveSource = Source & { readonly actions: Actions }

/** A `ui` that runs in a process of its own. */
export interface Served {
  readonly program: Started
  readonly origin: string
  readonly port: number
  readonly token: string
  readonly read: <A>(use: (source: LiveSource) => Effect.Effect<A, SourceError>) => Promise<A>
  /** The error of something that fails. */
  readonly refused: <A>(use: (source: LiveSource) => Effect.Effect<A, SourceError>) => Promise<SourceError>
  /** Sends exactly these headers; `host` is that of the server unless another is named. */
  readonly send: (
    path: string,
    headers?: Readonly<Record<string, string>>,
    options?: { readonly method?: string; readonly body?: string }
  ) => Promise<Response>
  /** The messages of a socket until one is the last. */
  readonly follow: (
    wanted: LiveRequest,
    isLast: (message: LiveMessage) => boolean
  ) => Promise<ReadonlyArray<LiveMessage>>
}

/** Starts `ui` in a folder. */
export const serve = async (
  folder: string,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Promise<Served> => {
  const program = start(["ui", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args], env, folder)
  const text = await program.says("token=")
  const {
    origin = "",
    port = "",
    token = ""
  } = /(?<origin>http:\/\/127\.0\.0\.1:(?<port>\d+))\/ui\/#token=(?<token>\S+)/u.exec(text)?.groups ?? {}
  const use = <A, E>(one: (source: LiveSource) => Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(
      Effect.flatMap(HttpSource.make({ address: origin, token }), (source) => one(source as LiveSource)).pipe(
        Effect.provide(FetchHttpClient.layer)
      )
    )
  return {
    program,
    origin,
    port: Number(port),
    token,
    read: use,
    refused: (one) => use((source) => Effect.flip(one(source))),
    send: (path, headers = {}, { body, method = "GET" } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            host: "127.0.0.1",
            port,
            path,
            method,
            headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers }
          },
          (response) => {
            let received = ""
            response.setEncoding("utf8").on("data", (chunk: string) => (received += chunk))
            response.on("end", () =>
              resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received })
            )
          }
        )
        sent.on("error", reject).end(body)
      }),
    follow: (wanted, isLast) =>
      new Promise((resolve, reject) => {
        const messages: Array<LiveMessage> = []
        const socket = new WebSocket(`ws://127.0.0.1:${port}/ui/api/socket`, { headers: { "x-webagent-token": token } })
        socket.on("open", () => socket.send(JSON.stringify(wanted)))
        socket.on("error", reject).on("close", () => resolve(messages))
        socket.on("message", (data) => {
          for (const message of JSON.parse(String(data)) as ReadonlyArray<LiveMessage>) {
            messages.push(message)
            if (isLast(message)) socket.close()
          }
        })
      })
  }
}
