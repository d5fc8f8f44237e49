import type { UnauthorizedError } from "@webagent/contract"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type AdmissionRefused, type ApiKey, type KeyScope, type StoreUnavailable } from "@webagent/engine"
import * as Data from "effect/Data"
import type { Refusal } from "./Refusal.ts"

/** The caller of a request of the admin API. */
export interface Caller {
  /** Name of the key. */
  readonly name: string
  /** True if it sees and changes the records of every key. */
  readonly isAdmin: boolean
  /** The owner of the records that it creates; null on a server whose records have no owners. */
  readonly owner: string | null
  /** Its scopes and limits; null for a key that was given to the server, which has none. */
  readonly key: ApiKey | null
}

/** The caller on a server whose check of keys tells nothing about it. */
export const unknownCaller: Caller = { name: "unknown", isAdmin: false, owner: "unknown", key: null }

/** The caller of the current request. */
export const Caller: Context.Reference<Caller> = Context.Reference("@webagent/server/Caller", {
  defaultValue: () => unknownCaller
})

/** A request for an operation, and the scope that it needs. */
export interface Use<E, R, A = HttpServerResponse.HttpServerResponse> {
  readonly scope: KeyScope
  readonly method: string
  readonly app: Effect.Effect<A, E, R>
}

/** A key may not use an operation: it lacks a scope, or makes too many requests. Nothing was carried out. */
export class UseRefused extends Data.TaggedError("UseRefused")<{
  readonly reason: AdmissionRefused | { readonly _tag: "ScopeMissing"; readonly scope: KeyScope } | StoreUnavailable
}> {}

/** Finds who makes a request, and carries it out within the scopes and limits of the key. */
export interface CallersService {
  /** Fails for an unknown or revoked key; then counts the failure for the client's address. */
  readonly find: (secret: string) => Effect.Effect<Caller, UnauthorizedError | Refusal>
  /** The caller with a valid key of this name, which was found by its secret before; undefined if there is none any more. */
  readonly named: (name: string) => Effect.Effect<Caller | undefined, StoreUnavailable>
  /** Carries out an operation within the scopes and limits of a caller, who owns its records. */
  readonly within: <A, E, R>(caller: Caller, use: Use<E, R, A>) => Effect.Effect<A, E | UseRefused, R>
}

/** The callers of the admin API. Null for a server without one. */
export const Callers: Context.Reference<CallersService | null> = Context.Reference("@webagent/server/Callers", {
  defaultValue: (): CallersService | null => null
})
