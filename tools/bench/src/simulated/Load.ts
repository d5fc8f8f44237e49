import { spawn } from "node:child_process"
import { join } from "node:path"
import type { Pinning } from "../measure/Pinning.ts"

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

/** autocannon in a process of its own, on the core for load. */
export const autocannon =
  (installed: string, pinning: Pinning): Load =>
  ({ work, ...request }) =>
    new Promise((resolve, reject) => {
      const { args, file } = pinning.onLoadCore({
        file: process.execPath,
        args: [join(installed, "load.mjs"), JSON.stringify({ ...request, ...work })]
      })
      const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] })
      let text = ""
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      child.once("error", reject)
      child.once("close", (code) =>
        code === 0 ? resolve(JSON.parse(text) as LoadResult) : reject(new Error(`The load ended with ${code}`))
      )
    })
