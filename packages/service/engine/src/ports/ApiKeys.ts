import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { StoreUnavailable } from "./Store.ts"

/** Scopes that a key has unless told otherwise: reading, runs and messages, browsers; for its own records. */
export const defaultKeyScopes = ["read", "runs", "browsers"] as const

/** All scopes. `admin` includes the others, and the records of every key in the admin API. */
export const keyScopes = [...defaultKeyScopes, "admin"] as const

/** Scope of an API key. */
export type KeyScope = (typeof keyScopes)[number]

/** Limits of an API key; null is unlimited. */
export interface KeyLimits {
  /** Runs at once, waiting ones too. */
  readonly runs: number | null
  /** Browsers at once. */
  readonly browsers: number | null
  readonly requestsPerMinute: number | null
  /** USD that runs may cost in a day, by UTC. What runs at midnight counts for both days. */
  readonly usdPerDay: number | null
  /** Megabytes that the files of its workspaces may take, expected ones included; the server's own limit holds, too. */
  readonly fileMegabytes?: number | null
  /**
   * Days that its files are kept after their last change, fewer or more than the server's own setting; null for that
   * setting. It counts after the key is revoked, until there is another one with the name.
   */
  readonly fileDays?: number | null
}

/** An API key without its secret. */
export interface ApiKey {
  /** Of the keys that are not revoked, one has it. Records belong to the name: the next key with it sees them. */
  readonly name: string
  /** First characters of the secret. */
  readonly prefix: string
  readonly scopes: ReadonlyArray<KeyScope>
  readonly limits: KeyLimits
  readonly createdAt_ms: number
  readonly revokedAt_ms: number | null
  /** Time of its last request, up to a minute late; null for one that wasn't used since this is stored. */
  readonly lastUsedAt_ms: number | null
}

/** Usage of a key. */
export interface KeyUsage {
  /** Runs that are not over. */
  readonly runs: number
  /** Browsers that are not stopped. */
  readonly browsers: number
  /** Cost of runs that are unfinished, or finished since then. */
  readonly usd: number
}

/** A key with this name is there and not revoked. */
export class KeyNameTaken extends Data.TaggedError("KeyNameTaken")<{ readonly name: string }> {}

/** No key that is not revoked has this name. */
export class KeyNotFound extends Data.TaggedError("KeyNotFound")<{ readonly name: string }> {}

/** The port to whatever knows the API keys of a server. Secrets are not kept, only what recognizes them. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** A new key with its secret, which is told this once. */
    readonly create: (
      request: Pick<ApiKey, "name" | "scopes" | "limits">
    ) => Effect.Effect<{ readonly key: ApiKey; readonly secret: Redacted.Redacted }, KeyNameTaken | StoreUnavailable>
    /** All of them, also those that are revoked, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<ApiKey>, StoreUnavailable>
    /** Revokes a key and creates one with its name, scopes and limits, in one step: links of the name stay open. */
    readonly rotate: (
      name: string
    ) => Effect.Effect<{ readonly key: ApiKey; readonly secret: Redacted.Redacted }, KeyNotFound | StoreUnavailable>
    /** Sets the limits of a key, from its next request on. */
    readonly setLimits: (name: string, limits: KeyLimits) => Effect.Effect<ApiKey, KeyNotFound | StoreUnavailable>
    /** The next request with it is refused. */
    readonly revoke: (name: string) => Effect.Effect<ApiKey, KeyNotFound | StoreUnavailable>
    /** The names whose keys are all revoked. A name that never had a key is not in the set. */
    readonly revokedOf: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /** The key with this secret, unless it is revoked. */
    readonly find: (secret: string) => Effect.Effect<Option.Option<ApiKey>, StoreUnavailable>
    /** The key with this name that isn't revoked. */
    readonly named: (name: string) => Effect.Effect<Option.Option<ApiKey>, StoreUnavailable>
    /**
     * Reads the current usage from the owner's records. Inside a commit, that includes the commit's own writes, and no
     * other commit of the owner that reads the usage runs in the meantime, on any node.
     */
    readonly usage: (name: string, since_ms: number) => Effect.Effect<KeyUsage, StoreUnavailable>
    /** Counts a request of a key: 0, or how long it has to wait, in milliseconds, when there were too many. */
    readonly countRequest: (name: string, perMinute: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("@webagent/engine/ApiKeys") {}
