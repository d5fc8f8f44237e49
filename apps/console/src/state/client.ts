import { ConsoleApi, consoleIdleHeader, type ServerInfo } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as AtomHttpApi from "effect/reactivity/AtomHttpApi"
import { registry } from "./react.ts"

export { errorTag, reason } from "./errors.ts"

const sessionKey = "session"

/** The end of the address of the sign-in. */
const sessionPath = "/session"

/** Time after a key or a click in which requests count as those of a person. */
const present_ms = 60_000

let used_ms = Date.now()
for (const kind of ["keydown", "pointerdown", "wheel"]) {
  window.addEventListener(kind, () => (used_ms = Date.now()), { capture: true, passive: true })
}

/** Marks what the page reads by itself, because events arrived: it doesn't keep the session from being idle. */
const markIdle = HttpClient.mapRequest((request) =>
  Date.now() - used_ms < present_ms ? request : HttpClientRequest.setHeader(request, consoleIdleHeader, "1")
)

/** After a 401, the sign-in state is read again: the session ended on the server. */
export const httpClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.tap(markIdle(client), (response) =>
      Effect.sync(() => {
        // a wrong key is a 401 of the sign-in itself
        if (response.status === 401 && !response.request.url.endsWith(sessionPath)) registry.refresh(signInState)
      })
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))

/** The server's API as atoms: `Console.query`, `Console.mutation` and `Console.runtime`. */
export class Console extends AtomHttpApi.Service<Console>()("@webagent/console/Console", {
  api: ConsoleApi,
  httpClient,
  baseUrl: location.origin
}) {}

/** The sign-in state of this browser. */
export const signInState = Console.query("signIn", "state", { reactivityKeys: [sessionKey] })

/** Signs in with a key. */
export const signIn = Console.mutation("signIn", "create")

/** Signs out. */
export const signOut = Console.mutation("signIn", "remove")

/** Notes in the audit log that records were saved to a file. */
export const noteExport = Console.mutation("audit", "export")

/** The keys to read again after a sign-in or sign-out. */
export const signInKeys = [sessionKey]

/** Facts about the server and the parts that it has. */
export const serverInfo = Console.query("server", "get", { reactivityKeys: [sessionKey], timeToLive: "5 minutes" })

/** Returns true for a server whose runs are made up. */
export const isSimulated = (info: ServerInfo | undefined): boolean => info?.browsers.startsWith("simulated") ?? false

/** The server's program as one calls it on the server's machine. */
export const programOf = (info: ServerInfo | undefined): string => info?.program ?? "webagent-server"

/** The path of a link on this origin; it may start with a public URL that this page isn't at. */
export const pathOf = (link: string): string | undefined => {
  const url = URL.parse(link)
  return url === null ? undefined : `${url.pathname}${url.search}`
}
