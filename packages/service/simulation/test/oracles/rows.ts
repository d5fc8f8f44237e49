import type { OracleVerdict } from "@webagent/control"
import { type Detector, type MoveRow, type Present, type RequestRow, verdictOf } from "../../src/oracles/Detector.ts"

type Asked = Partial<RequestRow> & Pick<RequestRow, "operation">

/** A request that is answered at once, without its place in the journal. */
export const request = {
  type: "request",
  resource: null,
  create: null,
  attempt: 1,
  method: "GET",
  path: "/",
  apiKey: "aaaaaaaa",
  idempotencyKey: null,
  userAgent: null,
  status: 200,
  retryAfter_ms: null,
  answered: "whole",
  made: null,
  fault: null,
  duration_ms: 0
} as const

/** Plays rows to one oracle: requests that begin after everything before them and take no time, unless said. */
export const play = (detector: Detector) => {
  let seq = 0
  let now_ms = 0
  return {
    wait: (ms: number) => void (now_ms += ms),
    request: (asked: Asked, intact = true): number => {
      const after = seq
      detector.request?.(
        {
          ...request,
          seq: ++seq,
          at_ms: now_ms,
          realAt_ms: now_ms,
          after,
          ...asked
        },
        intact
      )
      return seq
    },
    move: (moved: Pick<MoveRow, "of" | "id" | "to"> & Partial<MoveRow>): number => {
      detector.move?.({
        type: "move",
        seq: ++seq,
        at_ms: now_ms,
        realAt_ms: now_ms,
        sessionId: null,
        from: null,
        ...moved
      })
      return seq
    },
    verdict: (
      browsers: ReadonlyArray<{ readonly id: string; readonly startedAt_ms: number }> = [],
      runs: Present["runs"] = []
    ): OracleVerdict => verdictOf(detector, { now_ms, browsers, runs })
  }
}
