import { assert, it } from "@effect/vitest"
import { basePath } from "@webagent/contract/Wire"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { Picture } from "@webagent/report/Trace"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as TrialLog from "../../src/observe/TrialLog.ts"
import * as LiveSteps from "../../src/run/LiveSteps.ts"
import { apiKey, live } from "./inspected.ts"
import { serveSteps, targetAt } from "./stepService.ts"

/** A service whose agent takes a step whenever the test says so. It holds requests for events, as ours does. */
const service = Effect.suspend(() => {
  const reads: Array<string> = []
  const waiting: Array<() => void> = []
  const state = { steps: 0, isOver: false, position: 0 }
  const served = serveSteps((incoming, { jpeg, json }) => {
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://x")
    reads.push(`${pathname} ${String(incoming.headers["prefer"])}`)
    if (pathname.startsWith("/pictures/")) return jpeg(200, Buffer.from(`picture ${pathname.slice(10)}`))
    if (pathname === `${basePath.v4}/runs/agent/steps`) {
      const numbers = Array.from({ length: state.steps }, (_, index) => index + 1)
      return json(200, {
        runId: "agent",
        liveUrl: "https://service.example/live/1/token",
        recordingUrl: null,
        steps: numbers.map((number) => ({
          number,
          beganAt: "2026-11-21T09:12:44.000Z",
          address: null,
          summary: `types ${apiKey}`,
          outcome: number < state.steps || state.isOver ? "succeeded" : null,
          pictureUrl: `http://${incoming.headers.host}/pictures/${number}`
        }))
      })
    }
    if (pathname !== `${basePath.v4}/runs/agent/events`) return json(404, { detail: "Not Found" })
    const page = () =>
      json(200, {
        events: state.isOver ? [{ type: "run.completed" }] : [{ type: "run.step.started" }],
        nextAfter: state.position
      })
    return Number(searchParams.get("after")) < state.position ? page() : void waiting.push(page)
  })
  const happens = (change: Partial<typeof state>) => {
    Object.assign(state, change, { position: state.position + 1 })
    for (const respond of waiting.splice(0)) respond()
  }
  return Effect.map(served, ({ address }) => ({ address, happens, reads }))
})

const soon = Schedule.max([Schedule.spaced("20 millis"), Schedule.recurs(250)])

it.live("the steps of a running agent are emitted as they happen, with the latest picture, by long polling", () =>
  Effect.gen(function* () {
    const { address, happens, reads } = yield* service
    const target = yield* targetAt(address)
    const events: Array<RunEvent & { readonly _tag: "StepsSeen" }> = []
    const pictures: Array<Picture> = []
    const watch = LiveSteps.make({
      target,
      emit: (event) => Effect.sync(() => void (event._tag === "StepsSeen" && events.push(event))),
      onPicture: (_, picture) => Effect.sync(() => void pictures.push(picture))
    })
    const numbers = () => events.map(({ agent }) => agent.steps.map(({ number, outcome }) => `${number} ${outcome}`))
    const until = (isSo: () => boolean) =>
      Effect.retry(
        Effect.suspend(() => (isSo() ? Effect.void : Effect.fail(new Error(JSON.stringify(numbers()))))),
        soon
      )
    const log = TrialLog.make("shop › pays", 3)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* watch({ suite: "shop", scenario: "pays", index: 3, log })
        // a run that the service doesn't know, and a browser, which has no agent
        log.made.set("unknown", { kind: "run", sessionId: undefined, at_ms: 0 })
        log.made.set("browser", { kind: "browser", sessionId: undefined, at_ms: 0 })
        log.made.set("agent", { kind: "run", sessionId: undefined, at_ms: 0 })
        yield* until(() => reads.some((read) => read.includes("/events")))
        happens({ steps: 1 })
        yield* until(() => pictures.length === 1)
        happens({ steps: 2 })
        yield* until(() => pictures.length === 2)
      })
    )
    assert.deepStrictEqual(numbers(), [["1 null"], ["1 succeeded", "2 null"]])
    assert.deepInclude(events[0], { suite: "shop", scenario: "pays", index: 3 })
    assert.deepInclude(events[1]?.agent, { runId: "agent", count: 2, liveUrl: "https://service.example/live/1/token" })
    assert.deepStrictEqual(
      pictures.map(({ jpeg, number }) => `${number} ${Buffer.from(jpeg, "base64").toString()}`),
      ["1 picture 1", "2 picture 2"]
    )
    assert.notInclude(JSON.stringify([events, pictures]), apiKey)
    assert.notInclude(JSON.stringify(events), "/pictures/")
    // the service holds the requests for events: their number doesn't grow with the time
    assert.isAtMost(reads.filter((read) => read.includes("/events")).length, 4)
    assert.isTrue(reads.every((read) => !read.includes("/events") || read.endsWith(" wait=20")))
    assert.lengthOf(
      reads.filter((read) => read.includes("/runs/unknown/")),
      // once while it runs, and once at its end
      2
    )
    assert.isFalse(reads.some((read) => read.includes("/runs/browser/")))
    // the trial's log has none of these requests
    assert.deepStrictEqual([log.requests, log.exchanges.length], [0, 0])
  }).pipe(live)
)

it.live("steps that finished with the trial are read once more", () =>
  Effect.gen(function* () {
    const { address, happens } = yield* service
    const target = yield* targetAt(address)
    const seen: Array<string> = []
    const watch = LiveSteps.make({
      target,
      emit: (event) =>
        Effect.sync(() => {
          if (event._tag === "StepsSeen")
            seen.push(...event.agent.steps.map(({ number, outcome }) => `${number} ${outcome}`))
        }),
      onPicture: () => Effect.void
    })
    const log = TrialLog.make("shop › pays")
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* watch({ suite: "shop", scenario: "pays", index: 0, log })
        happens({ steps: 1 })
        log.made.set("agent", { kind: "run", sessionId: undefined, at_ms: 0 })
        yield* Effect.retry(
          Effect.suspend(() => (seen.length > 0 ? Effect.void : Effect.fail("not yet" as const))),
          soon
        )
        happens({ isOver: true })
      })
    )
    assert.deepStrictEqual(seen, ["1 null", "1 succeeded"])
  }).pipe(live)
)
