import { targetOf } from "../../src/harness/run/again.ts"
import { assert, describe, it } from "@effect/vitest"
import { groupSize, groupsOf } from "../../src/harness/scenario/trend.ts"
import { after, countsOf, nothing, type Progress } from "../../src/harness/state/progress.ts"
import { noteState, version } from "../../src/harness/state/source.ts"
import { commandOf, filtersOf, fits, runOf, scenariosOf, textOf } from "../../src/harness/suites/choice.ts"
import { registry } from "../../src/state/react.ts"
import { makeWorld } from "../harness/World.ts"
import { liveRun, nameOf } from "../harness/world/Facts.ts"

const world = makeWorld()

describe("changes of records", () => {
  it("are read again if a connection has another state than the one before", () => {
    const count = () => registry.get(version("load"))
    const before = count()
    noteState("load", 1)
    noteState("load", 1)
    assert.strictEqual(count(), before)
    noteState("load", 2)
    assert.strictEqual(count(), before + 1)
  })
})

describe("progress of a run", () => {
  const { name, suite } = nameOf(2)
  const event = (position: number, of: Parameters<typeof after>[1] & { readonly _tag: "Event" }) => ({
    ...of,
    position
  })
  const started = event(1, {
    _tag: "Event",
    run: liveRun,
    position: 1,
    at: "2026-11-27T09:00:00Z",
    event: { _tag: "TrialStarted", suite, scenario: name, index: 0 }
  })
  const [trial] = world.run.report?.results[2]?.trials ?? []
  const finished = event(2, {
    ...started,
    event: trial === undefined ? assert.fail() : { _tag: "TrialFinished", suite, scenario: name, trial }
  })
  const of = (messages: ReadonlyArray<Parameters<typeof after>[1]>): Progress => messages.reduce(after, nothing)

  it("counts running and finished trials", () => {
    assert.deepInclude(countsOf(of([started])), { running: 1, done: 0, failed: 0 })
    assert.deepInclude(countsOf(of([started, finished])), { running: 0, done: 1, failed: 1 })
  })

  it("ignores an event that it already has", () => {
    const progress = of([started, finished])
    assert.strictEqual(after(progress, started), progress)
  })

  it("restarts a trial that an outage ended", () => {
    assert.deepInclude(countsOf(of([started, finished, { ...started, position: 3 }])), { running: 1, done: 0 })
  })

  const exchange = (id: number, change: object = {}) => ({
    _tag: "Exchange" as const,
    run: liveRun,
    exchange: {
      id,
      title: `${suite} › ${name}`,
      index: 0,
      at_ms: id,
      duration_ms: 3,
      method: "GET",
      path: "/",
      status: 200,
      failure: null,
      ...change
    }
  })

  it("keeps the latest 300 requests of a running trial, and drops those of others", () => {
    const requests = Array.from({ length: 320 }, (_, n) => exchange(n))
    const progress = of([started, ...requests, exchange(400, { title: "other › one" }), exchange(401, { index: 1 })])
    assert.deepStrictEqual(
      progress.scenarios[0]?.trials[0]?.requests.map(({ id }) => id),
      Array.from({ length: 300 }, (_, n) => n + 20)
    )
    assert.lengthOf(progress.scenarios, 1)
    assert.lengthOf(progress.scenarios[0]?.trials ?? [], 1)
  })

  it("shows a request in flight once, and how it ended, whichever message comes last", () => {
    const [began, ended] = [exchange(1, { duration_ms: null, status: null }), exchange(1)]
    for (const messages of [
      [began, ended],
      [ended, began]
    ]) {
      const { requests } = of([started, ...messages]).scenarios[0]?.trials[0] ?? assert.fail()
      assert.deepStrictEqual(
        requests.map(({ duration_ms }) => duration_ms),
        [3]
      )
    }
  })

  it("has each step of an agent once in its current state, and the latest picture of its browser", () => {
    const step = (number: number, outcome: string | null) => ({
      number,
      beganAt: "2026-11-27T09:00:01Z",
      address: null,
      summary: `step ${number}`,
      outcome
    })
    const steps = (position: number, ...some: ReadonlyArray<ReturnType<typeof step>>) =>
      event(position, {
        ...started,
        event: {
          _tag: "StepsSeen",
          suite,
          scenario: name,
          index: 0,
          agent: { runId: "a", liveUrl: null, recordingUrl: null, count: some.length, steps: some }
        }
      })
    const picture = (number: number) => ({
      _tag: "Picture" as const,
      run: liveRun,
      suite,
      scenario: name,
      index: 0,
      picture: { runId: "a", number, summary: "", jpeg: "" }
    })
    const messages = [
      started,
      steps(2, step(1, null)),
      picture(1),
      steps(3, step(1, "failed"), step(2, null)),
      picture(2)
    ]
    const { agents, pictures } = of(messages).scenarios[0]?.trials[0] ?? assert.fail()
    assert.deepStrictEqual(
      agents.map((agent) => agent.steps.map(({ number, outcome }) => [number, outcome])),
      [
        [
          [1, "failed"],
          [2, null]
        ]
      ]
    )
    assert.deepStrictEqual(
      pictures.map(({ number }) => number),
      [2]
    )
  })
})

describe("a selection of scenarios", () => {
  const { files } = world.suites
  const all = files.flatMap(scenariosOf)
  const selected = (chosen: typeof all) => ({ files, chosen, target: undefined, trials: undefined, record: false })

  const command = (of: Parameters<typeof commandOf>[0]) => commandOf(of, "npx webagent-harness")

  it("is one command if a name selects them", () => {
    assert.strictEqual(command(selected(all)), "npx webagent-harness run")
    assert.strictEqual(
      command(selected(all.filter(({ suite }) => suite === "bank"))),
      "npx webagent-harness run suites/bank.suite.ts"
    )
    assert.strictEqual(
      command(selected(all.filter(({ tags }) => tags.includes("smoke")))),
      "npx webagent-harness run --tag smoke"
    )
  })

  it("is otherwise one command per scenario, with names that are quoted for a shell", () => {
    const hostile = all.filter(({ name }) => name === nameOf(7).name)
    const [other] = all
    assert.strictEqual(
      command({ ...selected(hostile), target: "staging", trials: 3, record: true }),
      `npx webagent-harness run suites/bank.suite.ts --name '${nameOf(7).name}' --target staging --trials 3 --record`
    )
    assert.lengthOf(command(selected([...hostile, ...(other === undefined ? [] : [other])])).split("\n"), 2)
  })

  it("starts only the selected scenarios, or all without names", () => {
    assert.deepStrictEqual(runOf(selected(all)), {})
    const { name, suite } = nameOf(2)
    assert.deepStrictEqual(
      runOf({ ...selected(all.filter((one) => one.name === name)), target: "staging", trials: 2 }),
      { suites: ["suites/bank.suite.ts"], scenarios: [{ suite, name }], target: "staging", trials: 2 }
    )
  })

  it("matches words, tag, owner and last result", () => {
    const count = (search: string) => all.filter((one) => fits(one, filtersOf(search))).length
    assert.strictEqual(count(""), 40)
    assert.strictEqual(count("?status=failed"), 1)
    assert.strictEqual(count("?status=never"), 1)
    assert.strictEqual(count("?status=quarantined"), 1)
    assert.strictEqual(
      count("?text=BANK+card&owner=payments"),
      all.filter(({ name, owner, suite }) => suite === "bank" && name.includes("card") && owner === "payments").length
    )
    assert.strictEqual(textOf(filtersOf("?tag=smoke&text=a+b")), "?text=a+b&tag=smoke")
  })
})

describe("a trend", () => {
  const { points } = world.trend(nameOf(3).name, nameOf(3).suite)

  it("merges the nights of a year, so that a chart has at most sixty points", () => {
    assert.deepStrictEqual([groupSize(30), groupSize(60), groupSize(61), groupSize(365)], [1, 1, 2, 7])
  })

  it("has an interval that contains the pass rate", () => {
    for (const { high, low, value } of groupsOf(points, "pass rate", String)) {
      assert.isTrue(low <= value && value <= high)
      // five trials don't show a rate exactly
      assert.isAbove(high - low, 0.2)
    }
  })

  it("omits nights without measurements", () => {
    const some = points.map((point, index) =>
      index === 0 ? { ...point, duration_ms: null, scored: 0, passed: 0 } : point
    )
    assert.lengthOf(groupsOf(some, "duration", String), points.length - 1)
    assert.lengthOf(groupsOf(some, "pass rate", String), points.length - 1)
  })
})

describe("the target of a rerun", () => {
  const targets = [
    { name: "simulated", address: null, isSimulated: true },
    { name: "staging", address: "https://agents.example.com/api/v4/", isSimulated: false },
    { name: "local", address: "http://127.0.0.1:8080", isSimulated: false }
  ]
  // as a report has them
  const of = (address: string, simulated: boolean) =>
    targetOf({ name: simulated ? "simulated service" : address, address, simulated }, targets)

  it("is the project's target with its address, and the service in the process otherwise", () => {
    assert.strictEqual(of("https://agents.example.com", false), "staging")
    assert.strictEqual(of("http://127.0.0.1:8080", true), "local")
    assert.strictEqual(of("http://127.0.0.1:41561", true), "simulated")
  })

  it("is an address that the command refuses if the project no longer has it", () => {
    assert.strictEqual(of("https://gone.example.com", false), "https://gone.example.com")
  })
})
