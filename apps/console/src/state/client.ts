import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as AtomHttpApi from "effect/reactivity/AtomHttpApi"
import * as Option from "effect/Option"
import { registry } from "./react.ts"

const sessionKey = "session"

/** The end of the address of the sign-in. */
const sessionPath = "/session"

/** After a 401, the sign-in state is read again: the session ended on the server. */
const httpClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.tap(client, (response) =>
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

/** The keys to read again after a sign-in or sign-out. */
export const signInKeys = [sessionKey]

/** Facts about the server and the parts that it has. */
export const serverInfo = Console.query("server", "get", { reactivityKeys: [sessionKey], timeToLive: "5 minutes" })

const errorOf = (result: AsyncResult.AsyncResult<unknown, unknown>): unknown =>
  Option.getOrUndefined(AsyncResult.error(result))

const sentenceOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null || !("detail" in error)) {
    return "The server doesn't respond. It may be restarting, or the network is down."
  }
  const { detail } = error
  if (typeof detail === "string") return /[.!?]$/u.test(detail) ? detail : `${detail}.`
  // a 422 lists each field that is wrong
  if (!Array.isArray(detail)) return "The server refused the request."
  return detail
    .map((issue: { readonly loc?: ReadonlyArray<unknown>; readonly msg?: unknown }) =>
      [issue.loc?.slice(1).join("."), String(issue.msg ?? "is wrong")].filter(Boolean).join(": ")
    )
    .join(". ")
    .concat(".")
}

/** Returns the error of a result as a sentence. */
export const reason = (result: AsyncResult.AsyncResult<unknown, unknown>): string => sentenceOf(errorOf(result))

/** Returns the tag of an error of the contract, such as `NotFoundError`. */
export const errorTag = (result: AsyncResult.AsyncResult<unknown, unknown>): string | undefined => {
  const error = errorOf(result)
  return typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : undefined
}
