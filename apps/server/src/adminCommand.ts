import { AdminClient, type NotFoundError } from "@webagent/admin"
import { usage } from "@webagent/cli/UserError"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { layerFetch, makeAsk } from "./adminRequest.ts"
import { program } from "./program.ts"
import { from, serverOf } from "./recordsOf.ts"
import { asServerAddress } from "./serverAddress.ts"

/** `--server` with its key, for records that only a running server can read and change. */
export const atServer = {
  server: Flag.String("server").pipe(Flag.withDescription("Use a running server at this URL"), asServerAddress),
  adminKey: from.adminKey
}

/** The values of `atServer`. */
interface AtServer {
  readonly server: string
  readonly adminKey: Option.Option<string>
}

/** A server's admin API. */
export interface Admin {
  readonly address: string
  readonly admin: AdminClient.AdminClient
  readonly ask: ReturnType<typeof makeAsk>
}

/** The id of a record, as an argument. */
export const idOf = (what: string, name = "id") =>
  Argument.String(name).pipe(Argument.withDescription(`The id of the ${what}`))

/** Runs a command over a server's admin API. */
export const withAdmin = <A, E, R>({ adminKey, server }: AtServer, use: (server: Admin) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const target = yield* serverOf({ adminKey, server: Option.some(server) })
    // never: a server is given
    if (target === undefined) return yield* usage("Add --server URL.")
    const admin = yield* AdminClient.make({ baseUrl: target.address, apiKey: target.key })
    return yield* use({ address: target.address, admin, ask: makeAsk(target) })
  }).pipe(Effect.provide(layerFetch))

/** The sentence for an id that the server doesn't know, or for a server without such records. */
export const notFound =
  (command: string, { address }: Admin) =>
  ({ detail }: NotFoundError) =>
    Effect.fail(usage(`${detail}. List them: ${program} ${command} --server ${address}`))

/** The sentences for refusals of a command. Names the command that lists the records, if the request names one by id. */
export const refusals = (server: Admin, listing?: string) => ({
  NotFoundError: (error: NotFoundError) =>
    listing === undefined
      ? Effect.fail(usage(`${server.address}: ${error.detail}.`))
      : notFound(listing, server)(error),
  ConflictError: ({ detail }: { readonly detail: string }) => Effect.fail(usage(`${detail}.`))
})
