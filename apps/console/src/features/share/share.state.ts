import { type RunShare, sharePathOf } from "@webagent/admin"
import * as Atom from "effect/reactivity/Atom"
import { Console } from "../../state/client.ts"
import { pagesOf } from "../../state/pages.ts"

const sharesKey = "shares"

/** The keys to read again after a link is created or revoked. */
export const shareKeys = [sharesKey]

/** The link of a run; a NotFoundError if it has none. */
export const shareOf = Atom.family((id: string) =>
  Console.query("shares", "get", { params: { run_id: id }, reactivityKeys: shareKeys })
)

/** The links of all runs that the key sees. */
export const shares = pagesOf((client, at) => client.shares.list({ query: { limit: 100, ...at } })).pipe(
  Atom.withReactivity(shareKeys)
)

/** Creates the link of a run; the one from before stops working. */
export const createShare = Console.mutation("shares", "create")

/** Revokes the link of a run. */
export const revokeShare = Console.mutation("shares", "revoke")

/** The address of the page that a link opens, at the public address of the server. */
export const addressOf = (share: RunShare): string => `${new URL(share.url).origin}${sharePathOf(share)}`
