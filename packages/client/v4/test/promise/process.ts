// What a test of WebAgent runs as a process of its own: the first argument names one of these programs.
import { WebAgent } from "../../src/promise/index.ts"

const [, , program = "", baseUrl, action] = process.argv

const agent = new WebAgent({
  baseUrl,
  retries: 0,
  onInterrupt: program === "creates" && action === "cancel" ? "cancel" : undefined
})

const programs: Record<string, () => Promise<unknown>> = {
  /** A create is rejected long before the program awaits it. */
  eager: async () => {
    const run = agent.runs.create({ task: "t" })
    const browser = agent.browsers.create()
    await new Promise((resolve) => setTimeout(resolve, 300))
    try {
      await run
    } catch (error) {
      console.log("caught", error instanceof Error && error.name)
    }
    await browser.catch(() => console.log("and again"))
  },
  /** What is left behind: a loop, a wait and a browser that the program no longer uses. */
  idle: async () => {
    for await (const _ of agent.runs.watch("r-1", { every: "1 hour" })) break
    const controller = new AbortController()
    const waiting = agent.runs.untilTerminal("r-1", { every: "1 hour", signal: controller.signal })
    await agent.browsers.create()
    controller.abort()
    await waiting.catch(() => undefined)
    setTimeout(() => {
      console.log("still alive", process.getActiveResourcesInfo())
      process.exit(3)
    }, 30_000).unref()
  },
  /** A script that waits for its run when Ctrl-C comes. With a third argument, the run is canceled. */
  waits: () =>
    agent.runs.createAndWait(
      { task: "t" },
      { first: 0, every: 5, onAbort: action === "cancel" ? "cancel" : "continue" }
    ),
  /** A script that creates three runs, sees the end of one, and does something else when Ctrl-C comes. */
  creates: async () => {
    const ids = await Promise.all([1, 2, 3].map(() => agent.runs.create({ task: "t" })))
    await agent.runs.status("r-1")
    for (const { id } of ids) await agent.runs.status(id)
    setInterval(() => undefined, 1000)
  },
  /** The program does not catch. */
  uncaught: () => agent.runs.get("r-1")
}

await programs[program]?.()
