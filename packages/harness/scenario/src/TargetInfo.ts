import type { ApiVersion } from "@webagent/contract/Wire"
import type { Need } from "./Need.ts"

/** Facts about the service that a scenario runs against. */
export interface TargetInfo {
  /** For a person: `simulated service`, or the address. */
  readonly name: string
  /** Scheme, host and port, without a trailing slash. */
  readonly address: string
  /** The base address of each version, without a trailing slash. */
  readonly baseUrls: Readonly<Record<ApiVersion, string>>
  readonly apiKeyHeader: string
  readonly capabilities: ReadonlySet<Need>
  /** A session that API v2 shows, when one was given. */
  readonly v2SessionId?: string
}
