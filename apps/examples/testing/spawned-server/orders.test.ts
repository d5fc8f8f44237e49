import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { place, withBrowser } from "./orders.ts"
import { type SimulatedService, startService } from "./service.ts"

let service: SimulatedService

// start one service for the file, 20 times as fast as real time
beforeAll(async () => {
  service = await startService("--profile", "flaky", "--seed", "10", "--time-scale", "20")
})
afterAll(() => service?.stop())
beforeEach(() => service.control("POST", "/reset", {}))

const numbers = Array.from({ length: 20 }, (_, index) => `2026-${index + 1}`)

interface Request {
  readonly operation: string
  readonly status: number | null
  readonly fault: string | null
  readonly made: string | null
}

const requests = async () => {
  const path = "/journal?type=request"
  return (await service.control<{ readonly entries: ReadonlyArray<Request> }>("GET", path)).entries
}

const startProfile = () => service.control("PUT", "/profile", { preset: "flaky" })

/** Loses the response to the first request of every create: the service acts, and resets the connection. */
const loseAnswers = () =>
  service.control("PUT", "/faults", [
    {
      name: "answer-lost",
      fault: { kind: "reset", placement: "after-apply" },
      when: { operations: ["v4.createRun", "v4.createBrowser"], attempts: [1] }
    }
  ])

describe("on a bad day", () => {
  it("twenty orders are twenty runs, and each is read after it finished", async () => {
    const runs = await Promise.all(numbers.map((number) => place(service, number, `mug number ${number}`)))
    expect(new Set(runs.map(({ id }) => id)).size).toBe(20)
    expect(runs.every(({ status }) => ["completed", "failed", "cancelled"].includes(status))).toBe(true)
    // with this seed, two of the creates meet a fault, always the same two
    const creates = (await requests()).filter(({ operation }) => operation === "v4.createRun")
    expect(creates.flatMap(({ fault }) => fault ?? []).toSorted()).toEqual(["bad-gateway", "reset"])
    // no run was created twice, lost, or polled after it finished
    expect(await service.violations()).toEqual({})
  })

  it("a browser is stopped even if its use fails", async () => {
    const use = withBrowser(service, "1", () => Promise.reject(new Error("The page has changed.")))
    await expect(use).rejects.toThrow("The page has changed.")
    expect(await service.violations()).toEqual({})
  })
})

describe("when the response to a create is lost", () => {
  beforeAll(loseAnswers)
  afterAll(startProfile)

  it("the order is placed once", async () => {
    const { id } = await place(service, "2026-1", "the red mug")
    const creates = (await requests()).filter(({ operation }) => operation === "v4.createRun")
    expect(creates.map(({ made, status }) => [status, made])).toEqual([
      [null, id],
      [201, null]
    ])
    expect(await service.violations()).toEqual({})
  })

  it("reports an app that retries without a key", async () => {
    const create = () =>
      fetch(`${service.baseUrl}/runs`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Service-API-Key": service.apiKey },
        body: JSON.stringify({ task: "Buy the red mug" })
      })
    await expect(create()).rejects.toThrow("fetch failed")
    await create()
    expect(await service.violations()).toHaveProperty("created-twice")
  })
})

it("reports a browser that is not stopped", async () => {
  await fetch(`${service.baseUrl}/browsers`, { method: "POST", headers: { "X-Service-API-Key": service.apiKey } })
  expect(await service.violations()).toEqual({
    "browsers-left-open": '1 browser is not stopped. Use browsers.use, browsers.stop or PATCH with the action "stop".'
  })
})
