import type { Need } from "@webagent/scenario"

/** Facts about a service before a scenario runs on it. */
interface Known {
  /** True if it is one of our servers. */
  readonly ours: boolean
  /** True if its agent and browsers are simulated. */
  readonly simulated: boolean
  /** True if runs and browsers may cost money. */
  readonly allowPaid: boolean
  readonly v2SessionId: string | undefined
  /** True if it serves the operations of published clients that the description doesn't show. */
  readonly extended: boolean
  /** True if its control API is available to us. */
  readonly controlled: boolean
}

/** Which needs a target serves. One that is not ours serves what the user vouches for, and nothing else. */
export const of = ({ allowPaid, controlled, extended, ours, simulated, v2SessionId }: Known): ReadonlySet<Need> => {
  const free = simulated || allowPaid
  return new Set<Need>([
    ...(simulated ? (["scriptable-agent"] as const) : []),
    ...(ours ? (["assumptions", "shared-sessions"] as const) : []),
    ...(controlled ? (["control-api"] as const) : []),
    ...(extended ? (["extensions"] as const) : []),
    ...(free ? (["money"] as const) : []),
    ...(v2SessionId !== undefined || (ours && free) ? (["v2-session"] as const) : [])
  ])
}

const reasons: Readonly<Record<Need, string>> = {
  "scriptable-agent": "needs a simulated agent",
  "control-api": "needs the control API of a simulated server: pass --control",
  "v2-session": "needs a v2 session: pass --v2-session-id",
  money: "costs money: pass --allow-paid",
  assumptions: "checks details that the API description leaves open, as our own servers decide it",
  extensions: "needs operations that this service does not offer, such as GET /api/v4/runs",
  "shared-sessions": "reads one session through several API versions, which only our own servers promise"
}

/** The reason why a target with these capabilities doesn't support a need; undefined if it does. */
export const lacking =
  (capabilities: ReadonlySet<Need>) =>
  (need: Need): string | undefined =>
    capabilities.has(need) ? undefined : reasons[need]
