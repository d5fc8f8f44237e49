import type { RunShare } from "@webagent/engine"
import type { LinkTokens } from "./LinkTokens.ts"

/** The path of a run that a link shows, also as a route with `:run_id`. */
export const path = <const Id extends string>(runId: Id) => `/share/runs/${runId}` as const

const purposeOf = (runId: string, { id }: RunShare) => `${path(runId)}/${id}`

/** The token of a run's link. */
export const tokenOf = (tokens: LinkTokens["Service"], runId: string, share: RunShare): string =>
  tokens.of(purposeOf(runId, share))

/** Returns whether a token opens a run at this time. */
export const opens = (
  tokens: LinkTokens["Service"],
  runId: string,
  share: RunShare | null,
  token: unknown,
  now_ms: number
): boolean => share !== null && share.expiresAt_ms > now_ms && tokens.opens(purposeOf(runId, share), token)
