import { assert, describe, it } from "@effect/vitest"
import { type RunningService, simulate } from "../src/simulate.ts"

const post = async ({ apiKey, baseUrls }: RunningService, path: string, body: unknown = {}) => {
  const response = await fetch(`${baseUrls.v4}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Service-API-Key": apiKey },
    body: JSON.stringify(body)
  })
  return (await response.json()) as { readonly id: string }
}

const create = (service: RunningService, task: string) => post(service, "/runs", { task })

const rejection = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error("it did not reject")),
    (error: Error) => error
  )

describe("simulate", () => {
  it("starts a service that shows its runs, and stops it at the end of its block", async () => {
    let address = ""
    {
      await using service = await simulate()
      address = service.address
      assert.deepStrictEqual(service.env, { WEBAGENT_BASE_URL: address, WEBAGENT_API_KEY: service.apiKey })
      const { id } = await create(service, "Find a red mug [simulate output=found]")
      const [run, ...others] = await service.runs()
      assert.deepInclude(run, { id, task: "Find a red mug [simulate output=found]", error: null })
      assert.deepStrictEqual(others, [])
      const { counts } = await service.journal({ type: "request" })
      assert.strictEqual(counts.request, 1)
    }
    await rejection(fetch(address))
  })

  it("moves its time by hand", async () => {
    await using service = await simulate({ time: { mode: "manual" } })
    await create(service, "Find a red mug [simulate output=found duration=1h]")
    await service.advance("59 minutes")
    assert.deepInclude((await service.runs())[0], { status: "running", result: null })
    await service.advance("1 minute")
    assert.deepInclude((await service.runs())[0], { status: "completed", result: "found" })
  })

  it("says what an app did wrong, and is clean again after a reset", async () => {
    await using service = await simulate()
    await service.assertClean()
    await post(service, "/browsers")
    const { message } = await rejection(service.assertClean())
    assert.strictEqual(
      message,
      'browsers-left-open: 1 browser is not stopped. Stop a browser with PATCH and the action "stop".'
    )
    assert.isFalse((await service.verdict()).holds)
    await service.reset()
    await service.assertClean()
  })

  it("takes faults and profiles while it runs", async () => {
    await using service = await simulate({ profile: "instant" })
    await service.setFaults([{ fault: { kind: "reset" }, when: { operations: ["v4.createRun"] } }])
    await rejection(create(service, "Find a red mug"))
    await service.setFaults([])
    await service.setProfile("realistic")
    assert.isString((await create(service, "Find a red mug")).id)
    assert.match(
      (await rejection(service.setProfile("quick"))).message,
      /^Unknown preset "quick"\. Use one of instant,/u
    )
  })

  it("rejects time that is not manual, an unknown profile, and a port in use, each in a sentence", async () => {
    await using service = await simulate()
    const port = Number(new URL(service.address).port)
    const rejections = [
      await rejection(service.advance("1 hour")),
      // @ts-expect-error as plain JavaScript may
      await rejection(simulate({ profile: "quick" })),
      await rejection(simulate({ port }))
    ]
    assert.deepStrictEqual(
      rejections.map(({ message }) => message),
      [
        "Service time is real. Set it to manual before you advance it.",
        'Unknown preset "quick". Use one of instant, realistic, flaky, hostile, overloaded.',
        `Port ${port} is in use`
      ]
    )
  })
})
