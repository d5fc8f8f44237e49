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

  it("accepts times as text and in milliseconds, in faults and in profiles", async () => {
    await using service = await simulate({
      profile: { duration: { uniform: { min: 1, max: "2 millis" } } },
      faults: [{ fault: { kind: "status", status: 429, retryAfter: "3 seconds" }, when: { attempts: [1] } }]
    })
    const { id } = await create(service, "t")
    assert.isUndefined(id)
    await service.setFaults([{ fault: { kind: "status", status: 503, retryAfter: 7000 } }])
    const answer = await fetch(`${service.baseUrls.v4}/runs/1/status`, {
      headers: { "X-Service-API-Key": service.apiKey }
    })
    assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "7"])
    const { message } = await rejection(simulate({ faults: [{ fault: { kind: "hang", for: "soon" } }] }))
    assert.match(message, /^simulate\(\): .*faults.*a length of time such as 200ms/u)
  })

  it("advances its time manually", async () => {
    await using service = await simulate({ time: { mode: "manual" } })
    await create(service, "Find a red mug [simulate output=found duration=1h]")
    for (const by of ["soon", null, -1, Number.NaN]) {
      const error = await rejection(service.advance(by as never))
      assert.match(String(error), /^TypeError: advance needs a length of time, such as "30 minutes" or 5000 \(milli/u)
    }
    await service.advance("30m")
    await service.advance(29 * 60_000)
    assert.deepInclude((await service.runs())[0], { status: "running", result: null })
    await service.advance("1 minute")
    assert.deepInclude((await service.runs())[0], { status: "completed", result: "found" })
  })

  it("reports an app's mistakes, and none after a reset", async () => {
    await using service = await simulate()
    await service.assertClean()
    await post(service, "/browsers")
    const { message } = await rejection(service.assertClean())
    assert.strictEqual(
      message,
      'browsers-left-open: 1 browser is not stopped. Use browsers.use, browsers.stop or PATCH with the action "stop".'
    )
    assert.isFalse((await service.verdict()).holds)
    await service.reset()
    await service.assertClean()
  })

  it("finds a run of an hour that is left running, unless the test allows it", async () => {
    await using service = await simulate()
    const { id } = await create(service, "Find a red mug [simulate duration=1h]")
    const { holds, verdicts } = await service.verdict()
    assert.isFalse(holds)
    assert.deepStrictEqual(
      verdicts.filter((verdict) => !verdict.holds).map(({ findings, oracle }) => [oracle, findings[0]?.resource]),
      [["runs-left-running", id]]
    )
    const { message } = await rejection(service.assertClean())
    assert.strictEqual(
      message,
      "runs-left-running: 1 run is still running. Wait for each run, or cancel it before the test ends."
    )
    await service.assertClean({ allow: ["runs-left-running"] })
    assert.isTrue((await service.verdict({ allow: ["runs-left-running"] })).holds)
    const misspelt = await rejection(service.assertClean(JSON.parse('{ "allow": ["runs-left"] }')))
    assert.match(
      misspelt.message,
      /^assertClean\(\): allow: expected a list of oracles such as \["runs-left-running"\]/u
    )
  })

  it("accepts faults and profiles while it runs", async () => {
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

  const wrong: ReadonlyArray<readonly [options: unknown, lines: ReadonlyArray<string>]> = [
    [{ virtualtime: true }, ['virtualtime: is not a known field; did you mean "virtualTime"?']],
    [{ virtualTime: 1 }, ["virtualTime: expected true or false, got 1."]],
    [
      { virtualTime: true, time: { mode: "manual" } },
      ["virtualTime and time exclude each other: with virtualTime, only advance moves time."]
    ],
    [{ profil: "flaky" }, ['profil: is not a known field; did you mean "profile"?']],
    [{ seed: "abc" }, ['seed: expected a number, got "abc".']],
    [{ seed: NaN }, ["seed: expected a number, got null."]],
    [{ apiKeys: "x" }, ['apiKeys: expected a list of keys such as ["wak_test"], got "x".']],
    [{ apiKeys: [] }, ['apiKeys: expected a list of keys such as ["wak_test"], got [].']],
    [{ port: "80" }, ['port: expected a port from 0 to 65535, got "80".']],
    [{ host: 5 }, ["host: expected an address such as 127.0.0.1, got 5."]],
    [{ allowedHosts: "a" }, ['allowedHosts: expected a list of names such as ["app.test"], got "a".']],
    [{ linkTokens: 5 }, ["linkTokens: expected a Layer of LinkTokens, got 5."]],
    [{ profile: 5 }, ['profile: expected the name of a preset such as "flaky", or a profile, got 5.']],
    [{ profile: { duraton: 5 } }, ['profile.duraton: is not a known field; did you mean "duration"?']],
    [
      { turnDuration: "soon" },
      ['turnDuration: expected a time such as "2 seconds", or milliseconds as a number, got "soon".']
    ],
    [{ failureRate: 2 }, ["failureRate: expected a number from 0 to 1, got 2."]],
    [{ journal: { capacity: -1 } }, ["journal.capacity: expected 0 or more rows, got -1."]],
    [
      { faults: [{ fault: { kind: "hang", fo: "1s" } }] },
      ['faults[0].fault.fo: is not a known field; did you mean "for"?']
    ],
    [{ time: "manual" }, ['time: expected an object such as { mode: "manual" }, got "manual".']],
    [
      { time: { mode: "manul" } },
      ['time.mode: expected one of real, scaled, manual, got "manul"; did you mean "manual"?']
    ],
    [{ control: true }, ["control: expected an object, got true."]],
    ["flaky", ['expected an object, got "flaky".']],
    [
      { seed: "abc", profil: "flaky" },
      ['profil: is not a known field; did you mean "profile"?', 'seed: expected a number, got "abc".']
    ]
  ]

  for (const [options, lines] of wrong) {
    it(`rejects ${JSON.stringify(options)} with a line that names the option and the allowed values`, async () => {
      // @ts-expect-error as plain JavaScript may
      const { message } = await rejection(simulate(options))
      assert.deepStrictEqual(
        message.split("\n"),
        lines.map((line) => `simulate(): ${line}`)
      )
    })
  }

  it("rejects a reset with an invalid seed, and accepts one with a seed", async () => {
    await using service = await simulate()
    // @ts-expect-error as plain JavaScript may
    const { message } = await rejection(service.reset({ seed: "abc" }))
    assert.strictEqual(message, 'reset(): seed: expected a number, got "abc".')
    await service.reset({ seed: 2 })
  })

  it("accepts every option, and treats undefined as omitted", async () => {
    const options = {
      host: "127.0.0.1",
      port: 0,
      allowedHosts: ["app.test"],
      apiKeys: ["wak_dev"],
      seed: 7,
      profile: undefined,
      turnDuration: "1 millis",
      failureRate: 1,
      journal: { capacity: 10 },
      faults: [],
      time: { mode: "scaled", factor: 2 },
      control: { key: "secret" }
    }
    // @ts-expect-error as plain JavaScript may
    await using service = await simulate(options)
    assert.strictEqual(service.apiKey, "wak_dev")
  })

  it("rejects time that isn't manual, an unknown profile, and a port in use, each in a sentence", async () => {
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
