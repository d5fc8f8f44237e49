import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { OptionalText } from "./Fields.ts"

/** A secret that the agent of one turn may type, on some sites only. Its record never has the value as plain text. */
export const BoundSecret = Schema.Struct({
  /** The name that the task and the agent use, as in `<secret:alias>`. */
  alias: Schema.String,
  /** The sites on which it may be typed: `example.com`, `*.example.com` or `localhost:8080`. */
  domains: Schema.Array(Schema.String),
  /** Name of a secret of the server; null for a value of the caller. */
  server: OptionalText,
  /** The encrypted value of the caller; null for a secret of the server, and as soon as the turn is over. */
  sealed: OptionalText
})

export type BoundSecret = typeof BoundSecret.Type

/** A secret that a request binds to a turn: a value, or the name of a secret of the server. */
export interface SecretToBind extends Pick<BoundSecret, "alias" | "domains"> {
  readonly source:
    | { readonly type: "inline"; readonly value: Redacted.Redacted<string> }
    | { readonly type: "server"; readonly name: string }
}

/** A secret of a turn as its agent uses it. */
export interface OpenedSecret extends Pick<BoundSecret, "alias" | "domains" | "server"> {
  /** The value of the caller; null for a secret of the server. */
  readonly value: Redacted.Redacted<string> | null
}

/** The secrets of a turn without their values. */
export const withoutValues = (secrets: ReadonlyArray<BoundSecret>): ReadonlyArray<BoundSecret> =>
  secrets.map((secret) => (secret.sealed === null ? secret : { ...secret, sealed: null }))
