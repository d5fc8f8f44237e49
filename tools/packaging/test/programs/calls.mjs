/**
 * Calls of a v4 client with their results, which are the same in every runtime: through promises and through Effect.
 * `address` answers, `refused` does not.
 */
import { ClientConfig, layerHttp, Transport } from "@webagent/core"
import { Runs, V4 } from "@webagent/v4"
import { WebAgent } from "@webagent/v4/promise"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const task = "say hello [simulate output=hello duration=10ms]"

/** Returns the error of a promise as text without ids. */
const failure = async (promise) => {
  try {
    return await promise
  } catch (error) {
    return [error.name, error.reason?._tag ?? error.detail ?? error.message].join(": ")
  }
}

const throughPromises = async ({ address, apiKey, refused }) => {
  const options = { baseUrl: address, apiKey, retries: 0, log: () => undefined }
  const agent = new WebAgent(options)
  const inSteps = new WebAgent({ ...options, timeouts: { headers: "10 minutes" } })
  const { browsers, runs } = agent

  const run = await runs.createAndWait({ task }, { first: 0, every: 20 })
  const statuses = []
  for await (const { status } of runs.watch(run.id, { every: 20 })) statuses.push(status)
  const browser = await browsers.create()
  const stopped = await browsers.stop(browser.id)
  const used = await browsers.use(undefined, ({ cdpUrl }) => typeof cdpUrl)

  const reason = new Error("enough")
  const controller = new AbortController()
  const aborted = runs.get("hangs", { signal: controller.signal }).catch((error) => error === reason)
  controller.abort(reason)

  const said = {
    run: [run.status, run.result],
    statuses,
    browser: [stopped.status, used],
    absent: await failure(runs.get("none")),
    stranger: await failure(new WebAgent({ ...options, apiKey: "wrong" }).runs.get(run.id)),
    moved: await failure(runs.get("moved")),
    hangs: await failure(new WebAgent({ ...options, timeouts: { total: 300 } }).runs.get("hangs")),
    cut: await failure(runs.get("cut")),
    half: await failure(runs.get("half")),
    aborted: await aborted,
    // goes over the connection of the call before it, which some runtimes take for a reason to send it twice
    again: (await runs.status(run.id)).status,
    lost: await failure(runs.create({ task: `lose the answer, ${task}` })),
    // with a time for the headers there are two steps
    againInSteps: (await inSteps.runs.status(run.id)).status,
    lostInSteps: await failure(inSteps.runs.create({ task: `lose the answer, ${task}` })),
    refusedRead: await failure(new WebAgent({ ...options, baseUrl: refused }).runs.get("1")),
    refusedCreate: await failure(new WebAgent({ ...options, baseUrl: refused }).runs.create({ task }))
  }
  await agent.close()
  await inSteps.close()
  return said
}

const throughEffect = ({ address, apiKey }) =>
  Effect.gen(function* () {
    const runs = yield* Runs
    const run = yield* runs.createAndWait({ task }, { first: 0 })
    const absent = yield* Effect.flip(runs.get("none"))
    return [run.status, run.result, absent._tag]
  }).pipe(
    Effect.provide(V4.layerServices),
    Effect.provide(Transport.layer),
    Effect.provide(Layer.provideMerge(layerHttp, ClientConfig.layer({ baseUrl: address, apiKey }))),
    Effect.runPromise
  )

export const calls = async (where) => ({
  ...(await throughPromises(where)),
  effect: await throughEffect(where)
})
