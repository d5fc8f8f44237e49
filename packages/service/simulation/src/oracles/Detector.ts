import type { FaultEntry, MoveEntry, Oracle, RequestEntry, OracleVerdict } from "@webagent/control"
import type { Turn } from "@webagent/engine"
import { type Findings, shown } from "./Findings.ts"

/** Rows as oracles see them. */
export type RequestRow = typeof RequestEntry.Type
export type FaultRow = typeof FaultEntry.Type
export type MoveRow = typeof MoveEntry.Type

/** Inputs of a verdict besides the rows. */
export interface Present {
  readonly now_ms: number
  /** The browsers that are not stopped. */
  readonly browsers: ReadonlyArray<{ readonly id: string; readonly startedAt_ms: number }>
  /** The runs that aren't over. */
  readonly runs: ReadonlyArray<Pick<Turn.Turn, "id" | "sessionId" | "status" | "createdAt_ms">>
}

/** One oracle at work: it sees every row once, in order, keeps a bounded rest of it, and can be asked at any time. */
export interface Detector {
  readonly oracle: Oracle
  /** True if the verdict is about the state, which exists even without a journal. */
  readonly ofState?: true
  /** `intact` says that the caller got the answer whole and as the service meant it. */
  readonly request?: (row: RequestRow, intact: boolean) => void
  readonly move?: (row: MoveRow) => void
  readonly findings: (present: Present) => Pick<Findings, "count" | "list">
  /** The verdict in words when nothing was found. */
  readonly well: string
  /** The verdict in words for this many findings. */
  readonly ill: (count: number) => string
}

/** Timers are early by up to this much. */
export const tolerance_ms = 2

/** Returns whether the response is a success. */
export const succeeded = ({ status }: RequestRow): boolean => status !== null && status >= 200 && status < 300

/** Who asked, for what is said to one caller and not to another. */
export const caller = (row: RequestRow): string => row.apiKey ?? ""

/** Returns the current verdict of an oracle. */
export const verdictOf = ({ findings, ill, oracle, well }: Detector, present: Present): OracleVerdict => {
  const { count, list } = findings(present)
  const finding = count()
  return {
    oracle,
    holds: finding === 0,
    sentence: finding === 0 ? well : ill(finding),
    count: finding,
    findings: list().slice(0, shown)
  }
}
