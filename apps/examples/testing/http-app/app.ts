/** An HTTP app that finds offers with the agent. It has no code for tests, and doesn't use Effect. */
import { OperationUnavailableError, TooManyRequestsError, WaitTimeoutError, type WebAgent } from "@webagent/v4/promise"
import { Hono } from "hono"
import { z } from "zod"

const Offer = z.object({ price: z.number().positive(), currency: z.string().length(3) })
const Search = z.object({ item: z.string().min(1) })

/** Returns the app over a client, which the server creates once and a test replaces. */
export const makeApp = (agent: WebAgent, timeout = "2 minutes") =>
  new Hono()
    .post("/offers", async (context) => {
      const search = Search.safeParse(await context.req.json())
      if (!search.success) return context.json({ error: z.prettifyError(search.error) }, 400)
      const run = await agent.runs.createAndWait(
        { task: `Find the cheapest ${search.data.item}. Answer as JSON with price and currency.` },
        // a client that hangs up leaves no run behind, nor does a run that takes too long
        { result: Offer, timeout, signal: context.req.raw.signal, onEnd: "cancel" }
      )
      return context.json({ ...run.result, run: run.id })
    })
    .get("/searches", async (context) => {
      const tasks: Array<string> = []
      for await (const { task } of agent.runs.list({ limit: 20 })) tasks.push(task ?? "")
      return context.json(tasks)
    })
    .onError((error, context) => {
      if (error instanceof TooManyRequestsError) {
        return context.json({ error: "busy" }, 503, {
          "Retry-After": String(Math.ceil((error.retryAfter_ms ?? 1000) / 1000))
        })
      }
      if (error instanceof WaitTimeoutError) return context.json({ error: `search ${error.id} takes too long` }, 504)
      if (error instanceof OperationUnavailableError) return context.json({ error: error.operation }, 501)
      return context.json({ error: error.message }, 502)
    })
