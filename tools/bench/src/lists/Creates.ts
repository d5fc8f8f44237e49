import { headers } from "../measure/Ask.ts"
import { startOurs } from "../measure/ServerProcess.ts"

/** Creates per second with lists and without them, by round. */
export interface Creates {
  readonly listed: ReadonlyArray<number>
  readonly unlisted: ReadonlyArray<number>
}

/** Creates runs of 20 ms for a while, by eight clients, and returns how many per second. */
const creates = async (url: string, duration_ms: number): Promise<number> => {
  const body = JSON.stringify({ task: "Find a red mug in the shop [simulate output=found keepAlive=false]" })
  const began = performance.now()
  let count = 0
  const client = async () => {
    while (performance.now() - began < duration_ms) {
      const answer = await fetch(`${url}/api/v4/runs`, { method: "POST", headers, body })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`POST /runs: ${answer.status}`)
      count++
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return (1000 * count) / (performance.now() - began)
}

/**
 * Measures creates of a server in turns, with the triggers that write lists and without them, as in the version before.
 */
export const measureCreates = async (
  bundle: string,
  data: string,
  change: (isListed: boolean) => Promise<void>,
  rounds: number,
  duration_ms: number
): Promise<Creates> => {
  const flags = ["--data", data, "--browsers", "simulated", "--turn-duration", "20ms"]
  const { stop, url } = await startOurs([bundle, "serve"], flags)
  try {
    const listed: Array<number> = []
    const unlisted: Array<number> = []
    await creates(url, duration_ms)
    for (let round = 0; round < rounds; round++) {
      listed.push(await creates(url, duration_ms))
      await change(false)
      unlisted.push(await creates(url, duration_ms))
      await change(true)
    }
    return { listed, unlisted }
  } finally {
    await stop()
  }
}
