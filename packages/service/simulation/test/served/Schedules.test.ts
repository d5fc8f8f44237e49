import { assert, describe, it } from "@effect/vitest"
import { type RunningService, simulate } from "../../src/simulate.ts"

interface Schedule {
  readonly id: string
  readonly nextAt: string | null
  readonly lastDueAt: string | null
  readonly lastRunId: string | null
  readonly lastError: string | null
  readonly active: boolean
  readonly run: object
}

const schedules = "/admin/v1/schedules"

const ask = async ({ address, apiKey }: RunningService, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { "Content-Type": "application/json", "X-Service-API-Key": apiKey },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as Schedule }
}

const daily = {
  name: "Prices",
  cron: "0 6 * * *",
  timeZone: "Europe/Berlin",
  run: { task: "Find a red mug [simulate output=found duration=1s]", tags: ["nightly"] }
}

const create = async (service: RunningService, fields: object = {}) => {
  const { body, status } = await ask(service, "POST", schedules, { ...daily, ...fields })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body
}

const read = async (service: RunningService, id: string) => (await ask(service, "GET", `${schedules}/${id}`)).body

const tasksOf = async (service: RunningService) => (await service.runs()).map(({ status, task }) => [status, task])

describe("schedules", () => {
  it("start a run at each time, in their time zone", async () => {
    await using service = await simulate({ time: { mode: "manual" } })
    const schedule = await create(service)
    const first_ms = Date.parse(schedule.nextAt ?? "")
    const hour = new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone: "Europe/Berlin" })
    assert.strictEqual(hour.format(first_ms), "06")
    await service.advance("23 hours")
    await service.advance("1 hours")
    assert.deepStrictEqual(await tasksOf(service), [["completed", daily.run.task]])
    const after = await read(service, schedule.id)
    assert.strictEqual(after.lastDueAt, schedule.nextAt)
    assert.strictEqual(after.lastRunId, (await service.runs())[0]?.id)
    assert.isNull(after.lastError)
    assert.strictEqual(hour.format(Date.parse(after.nextAt ?? "")), "06")
    await service.advance("7 days")
    assert.lengthOf(await service.runs(), 8)
  })

  it("can be paused, changed, started manually and deleted", async () => {
    await using service = await simulate({ time: { mode: "manual" } })
    const { id } = await create(service)
    const path = `${schedules}/${id}`
    const paused = await ask(service, "PATCH", path, { active: false })
    assert.deepInclude(paused.body, { active: false, nextAt: null })
    await service.advance("2 days")
    assert.deepStrictEqual(await service.runs(), [])
    const now = await ask(service, "POST", `${path}/run`)
    assert.strictEqual(now.status, 201)
    await service.advance("2 seconds")
    assert.deepStrictEqual(await tasksOf(service), [["completed", daily.run.task]])
    // times that it missed in the pause don't start runs
    const again = await ask(service, "PATCH", path, { active: true, cron: "*/10 * * * *", run: { task: "Other" } })
    assert.isTrue(again.body.active)
    await service.advance("10 minutes")
    assert.deepStrictEqual((await tasksOf(service)).at(-1)?.[1], "Other")
    assert.lengthOf(await service.runs(), 2)
    assert.strictEqual((await ask(service, "DELETE", path)).status, 204)
    await service.advance("1 hour")
    assert.lengthOf(await service.runs(), 2)
    for (const [method, rest] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/run"]
    ] as const) {
      assert.strictEqual((await ask(service, method, `${path}${rest}`)).status, 404)
    }
  })

  it("report why a time started no run", async () => {
    await using service = await simulate({ time: { mode: "manual" } })
    const profiles = "/api/v4/profiles"
    const { body: profile } = await ask(service, "POST", profiles, {})
    const { id } = await create(service, { run: { task: "t", browserSettings: { profileId: profile.id } } })
    await ask(service, "DELETE", `${profiles}/${profile.id}`)
    await service.advance("1 day")
    const schedule = await read(service, id)
    assert.isNull(schedule.lastRunId)
    assert.include(schedule.lastError ?? "", "The browser profile of the schedule's runs was deleted")
    assert.isNotNull(schedule.nextAt)
  })

  it("are refused with a reason if their fields are invalid", async () => {
    await using service = await simulate()
    for (const [fields, problem] of [
      [{ cron: "0 6 * * * *" }, "Expected five fields"],
      [{ cron: "99 6 * * *" }, "Expected a value between 0 and 59"],
      [{ cron: "0 0 30 2 *" }, "names no time"],
      [{ timeZone: "Mars" }, "There is no time zone Mars"],
      [{ missed: "later" }, "missed"],
      [{ run: {} }, "task"],
      [{ run: { task: "t", maxCostUsd: "abc" } }, '["body","run","maxCostUsd"]'],
      [{ run: { task: "t", attachedFileIds: ["none"] } }, "You have no file with the id none"],
      [{ name: "" }, "name"]
    ] as const) {
      const { body, status } = await ask(service, "POST", schedules, { ...daily, ...fields })
      assert.strictEqual(status, 422, JSON.stringify(fields))
      assert.include(JSON.stringify(body), problem)
    }
    const { id } = await create(service)
    const { status } = await ask(service, "PATCH", `${schedules}/${id}`, { run: { task: "t", tags: "abc" } })
    assert.deepStrictEqual([status, (await read(service, id)).run], [422, daily.run])
  })
})
