/**
 * A process with one client in it, told what to do by messages of its parent:
 * `node client-worker.mjs MODULE '{"name", "url", "apiKey", "polls"}'`
 */
import { Session } from "node:inspector/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"

const [module, settings] = process.argv.slice(2)
const { make } = await import(pathToFileURL(module).href)
const client = make(JSON.parse(settings))
const tell = (message) => process.send(message)

/** Weighed after a collection that gives memory back: a start of thousands leaves much behind. */
const memory = async () => {
  const session = new Session()
  session.connect()
  await session.post("HeapProfiler.collectGarbage")
  session.disconnect()
  await sleep(500)
  const { heapUsed, rss } = process.memoryUsage()
  return { heap_MB: heapUsed / 1e6, rss_MB: rss / 1e6 }
}

/** CPU time of the whole process, all of its threads. */
const called = async ({ concurrency, duration_ms, work }) => {
  const before = process.cpuUsage()
  const began = performance.now()
  const calls = await client[work](concurrency, duration_ms)
  const { system, user } = process.cpuUsage(before)
  return { calls, cpu_us: system + user, took_ms: performance.now() - began }
}

const wait = (ids) => {
  client.wait(
    ids,
    ({ finishedAt }) => tell({ ended: Date.now() - Date.parse(finishedAt) }),
    (error) => tell({ failed: String(error) })
  )
}

process.on("disconnect", () => process.exit())
process.on("message", async (message) => {
  if (message.work !== undefined) tell({ result: await called(message) })
  else if (message.wait !== undefined) {
    wait(message.wait)
    tell({ result: true })
  } else tell({ result: await memory() })
})
tell({ result: "ready" })
