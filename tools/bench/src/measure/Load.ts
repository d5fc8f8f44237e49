import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Pinning } from "./Pinning.ts"

/** Requests that are sent to a server repeatedly: one path; creates; or create, status, status, fetch. */
export type Work =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "create"; readonly amount: number }
  | { readonly kind: "flow" }

/** One window of load. */
export interface LoadRequest {
  /** Several: each connection has one of them. */
  readonly url: string | ReadonlyArray<string>
  readonly apiKey: string
  readonly connections: number
  /** Length of the window; of no meaning where the work has an amount. */
  readonly duration_s: number
  readonly work: Work
}

/** Responses in a window. */
interface LoadResult {
  /** 2xx. */
  readonly answers: number
  /** Every other status. */
  readonly others: number
  /** Connections lost and time-outs. */
  readonly errors: number
  readonly duration_s: number
  readonly p50_ms: number
  readonly p99_ms: number
}

/** Makes load; the bench brings autocannon, a test something smaller. */
export type Load = (request: LoadRequest) => Promise<LoadResult>

const run = promisify(execFile)

/** autocannon in a process of its own, on the core for load. */
export const autocannon =
  (installed: string, pinning: Pinning): Load =>
  async ({ work, ...request }) => {
    const args = [join(installed, "load.mjs"), JSON.stringify({ ...request, ...work })]
    const { args: words, file } = pinning.onLoadCore({ file: process.execPath, args })
    const { stdout } = await run(file, [...words])
    return JSON.parse(stdout)
  }
