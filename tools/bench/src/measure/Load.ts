import { join } from "node:path"
import type { Pinning } from "./Pinning.ts"
import { type Timed, timed } from "./TimedProcess.ts"

/** What is asked of a server, over and over: one path; creates; or create, status, status, fetch. */
export type Work =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "create"; readonly amount: number }
  | { readonly kind: "flow" }

/** One window of load. */
export interface LoadRequest {
  readonly url: string
  readonly apiKey: string
  readonly connections: number
  /** Length of the window; of no meaning where the work has an amount. */
  readonly duration_s: number
  readonly work: Work
}

/** What came back in a window. */
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

/** autocannon in a process of its own, on the core for load, with what it cost. */
export const autocannon =
  (installed: string, pinning: Pinning) =>
  async ({ work, ...request }: LoadRequest): Promise<LoadResult & Pick<Timed, "cpu_s" | "peak_MB">> => {
    const args = [join(installed, "load.mjs"), JSON.stringify({ ...request, ...work })]
    const { cpu_s, exitCode, peak_MB, stderr, stdout } = await timed(
      pinning.onLoadCore({ file: process.execPath, args })
    )
    if (exitCode !== 0) throw new Error(`The load ended with ${exitCode}: ${stderr.trim()}`)
    return { ...(JSON.parse(stdout) as LoadResult), cpu_s, peak_MB }
  }
