import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isNeed, type Scenario, scenario, Suite } from "../src/index.ts"

const nothing = function* () {
  yield* Effect.void
}

describe("scenario", () => {
  it("has defaults, and records its place in the source", () => {
    const { run: _, source, where, ...rest } = scenario("buys a mug", nothing)
    assert.deepStrictEqual(rest, {
      name: "buys a mug",
      tags: [],
      owner: undefined,
      needs: [],
      trials: 1,
      budget_usd: undefined,
      maxDuration: undefined,
      maxCost_usd: undefined,
      timeout: undefined,
      allows: [],
      only: false,
      skip: undefined
    })
    assert.strictEqual(source, String(nothing))
    assert.match(where ?? "", /^test\/Suite\.test\.ts:\d+$/u)
  })

  it("keeps its options", () => {
    const made = scenario(
      "x",
      { tags: ["a"], needs: ["money"], trials: 5, budget: "0.50 USD", timeout: "2 minutes" },
      nothing
    )
    assert.deepStrictEqual([made.tags, made.needs, made.trials, made.budget_usd], [["a"], ["money"], 5, "0.50"])
    assert.strictEqual(made.timeout && Duration.toMillis(made.timeout), 120_000)
    const limited = scenario("x", { maxDuration: "20 seconds", maxCost: "0.10 USD" }, nothing)
    assert.deepStrictEqual(
      [limited.maxDuration && Duration.toMillis(limited.maxDuration), limited.maxCost_usd],
      [20_000, "0.10"]
    )
  })

  it("refuses invalid options with a sentence", () => {
    assert.throws(() => scenario("  ", nothing), "its name is empty")
    assert.throws(() => scenario("x", { trials: 0 }, nothing), 'Scenario "x": trials must be 1 or more, not 0.')
    assert.throws(
      () => scenario("x", JSON.parse('{ "allows": ["leaks"] }'), nothing),
      'Scenario "x": allows "leaks" is not one of results-never-fetched, runs-left-running, polls-after-terminal'
    )
    // what a plain JavaScript suite may write
    for (const timeout of ["2", "0 seconds", ""] as ReadonlyArray<string>)
      assert.throws(
        () => Reflect.apply(scenario, undefined, ["x", { timeout }, nothing]),
        `Scenario "x": timeout: expected a time such as "30s", "500ms", "5 minutes", or milliseconds as a number, got ${JSON.stringify(timeout)}.`
      )
    const bad = (options: string, sentence: string) =>
      assert.throws(() => scenario("x", JSON.parse(options), nothing), `Scenario "x": ${sentence}`)
    bad('{ "trails": 5 }', '"trails" is not an option of a scenario. Use one of: tags, owner, needs, trials, budget')
    bad('{ "needs": ["mony"] }', 'needs "mony" is not one of scriptable-agent, control-api')
    bad('{ "tags": "nightly" }', 'tags must be a list, not "nightly".')
    assert.throws(() => scenario("x", JSON.parse("{}"), JSON.parse("null")), "it has no body: its last argument")
    for (const name of ["two\nlines", "red \u001b[31m", "turned \u202e"])
      assert.throws(() => scenario(name, nothing), `Scenario ${JSON.stringify(name)}: its name has a line break, or `)
    bad('{ "skip": "" }', 'skip must be a reason, such as "waits for the new checkout", not "".')
    bad('{ "only": "yes" }', 'only must be true or false, not "yes".')
    bad('{ "maxCost": "10 cents" }', 'maxCost "10 cents" is not written like "0.50 USD".')
    bad('{ "maxDuration": "2" }', 'maxDuration: expected a time such as "30s", "500ms", "5 minutes", or milliseconds')
    assert.throws(() => scenario("x", { budget: "-1 USD" }, nothing), 'budget "-1 USD" is not written like "0.50 USD"')
  })
})

describe("scenario.each", () => {
  it("makes a named scenario of each row, whose history depends on the row", () => {
    const rows = [
      { color: "red", size: 1 },
      { color: "blue", size: 2 }
    ]
    const made = scenario.each(rows)("buys a $color mug", { tags: ["mugs"] }, function* (_, { size }) {
      yield* Effect.succeed(size)
    })
    assert.deepStrictEqual(
      made.map(({ name, tags }) => [name, tags]),
      [
        ["buys a red mug", ["mugs"]],
        ["buys a blue mug", ["mugs"]]
      ]
    )
    assert.notStrictEqual(made[0]?.source, made[1]?.source)
    assert.deepStrictEqual(
      scenario
        .each([1, 2])("page %s", nothing)
        .map(({ name }) => name),
      ["page 1", "page 2"]
    )
    assert.lengthOf(Suite.make("mugs", [made, scenario("x", nothing)]).scenarios, 3)
  })

  it("refuses rows with the same name", () => {
    assert.throws(
      () => Suite.make("mugs", [scenario.each(["red", "blue"])("buys a mug", nothing)]),
      'Suite "mugs" has two scenarios named "buys a mug".'
    )
  })
})

describe("a body", () => {
  it.effect("that is not a generator is refused", () =>
    Effect.gen(function* () {
      for (const body of [() => Effect.void, () => undefined, () => Promise.resolve()]) {
        const made: Scenario = Reflect.apply(scenario, undefined, ["x", body])
        const { message } = yield* Effect.flip(
          Effect.sandbox(Effect.scoped(made.run(JSON.parse("{}")))).pipe(
            Effect.mapError((cause) => Cause.squash(cause) as Error)
          )
        )
        assert.strictEqual(
          message,
          'Scenario "x": its body is not a generator. Write function*, or take scenario from @webagent/scenario/promise for an async function.'
        )
      }
    })
  )
})

describe("Suite", () => {
  it("refuses a name that can't be shown", () => {
    assert.throws(() => Suite.make("", []), 'Suite "": its name is empty.')
    assert.throws(() => Suite.make("a\tb", []), 'Suite "a\\tb": its name has a line break, or another character')
  })

  it("refuses two scenarios with the same name", () => {
    const twice = [scenario("x", nothing), scenario("x", nothing)]
    assert.throws(() => Suite.make("s", twice), 'Suite "s" has two scenarios named "x".')
  })

  it("refuses an unknown option", () => {
    assert.throws(
      () => Suite.make("s", [], JSON.parse('{ "beforAll": 1 }')),
      'Suite "s": "beforAll" is not an option of a suite. Use one of: owner, beforeAll, afterAll.'
    )
  })

  it("is distinguished from any other value", () => {
    assert.isTrue(Suite.isSuite(Suite.make("s", [])))
    for (const other of [undefined, null, {}, { name: "s", scenarios: [] }, "s"]) assert.isFalse(Suite.isSuite(other))
  })
})

describe("Need", () => {
  it("has known values", () => {
    assert.isTrue(isNeed("money"))
    assert.isFalse(isNeed("toString"))
  })
})
