import { assert, describe, it } from "@effect/vitest"
import type { FaultCondition, FaultPlan, Route } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Faults, makeMatcher } from "../../src/faults/Faults.ts"
import type { Identity } from "../../src/journal/Requests.ts"

const request = (operation: Route, resource: string | null, attempt = 1, create: string | null = null): Identity => ({
  operation,
  resource,
  create,
  attempt,
  creates: create !== null,
  reads: operation.includes(".get")
})

const read = (resource: string, attempt = 1) => request("v4.getRun", resource, attempt)

const reset = (when: FaultCondition, name?: string): FaultPlan[number] => ({
  fault: { kind: "reset" },
  when,
  ...(name === undefined ? {} : { name })
})

const hits = (...plan: FaultPlan) => makeMatcher(plan, 1, 0)

const tenThousand = Array.from({ length: 10_000 }, (_, index) => read(`r${index}`))

describe("Faults", () => {
  it("match by operation, resource and attempt", () => {
    const some = hits(reset({ operations: ["v4.getRun"], resource: "A", attempts: [2, 3] }, "f"))
    assert.strictEqual(some.of(read("a", 2), 0)?.rule, "f")
    assert.isUndefined(some.of(read("a", 1), 0))
    assert.isUndefined(some.of(read("b", 2), 0))
    assert.isUndefined(some.of(request("v4.getRunStatus", "a", 2), 0))
  })

  it("apply only the first matching rule", () => {
    const some = hits(reset({ attempts: [1] }, "first"), reset({}, "second"))
    assert.strictEqual(some.of(read("a", 1), 0)?.rule, "first")
    assert.strictEqual(some.of(read("a", 2), 0)?.rule, "second")
  })

  it("name a rule without a name by its fault and place", () => {
    assert.strictEqual(hits(reset({ resource: "b" }), reset({})).of(read("a"), 0)?.rule, "reset-2")
  })

  it("count matching requests for nth in order of arrival, including those that another rule hits", () => {
    const some = hits(reset({ resource: "a" }, "other"), reset({ operations: ["v4.getRun"], nth: [2, 4] }, "nth"))
    const found = ["b", "a", "b", "c"].map((resource) => some.of(read(resource), 0)?.rule)
    assert.deepStrictEqual(found, [undefined, "other", undefined, "nth"])
    assert.isUndefined(some.of(read("b"), 0))
  })

  it("count from and until since the plan was set", () => {
    const some = makeMatcher([reset({ from: Duration.seconds(10), until: Duration.seconds(20) })], 1, 5000)
    const at = [14_999, 15_000, 24_999, 25_000].map((at_ms) => some.of(read("a"), at_ms) !== undefined)
    assert.deepStrictEqual(at, [false, true, true, false])
  })

  it("hit the given share of requests, and the same ones in any order", () => {
    const hit = (requests: ReadonlyArray<Identity>) => {
      const some = hits(reset({ rate: 0.2 }))
      return new Set(requests.filter((one) => some.of(one, 0) !== undefined).map(({ resource }) => resource))
    }
    const inOrder = hit(tenThousand)
    assert.closeTo(inOrder.size, 2000, 150)
    assert.deepStrictEqual(hit(tenThousand.toReversed()), new Set([...inOrder].toReversed()))
  })

  it("draw differently for another seed, rule, operation or attempt", () => {
    const share = (one: (request: Identity) => boolean, other: (request: Identity) => boolean) =>
      tenThousand.filter((request) => one(request) && other(request)).length
    const by = (seed: number, name: string, change: Partial<Identity> = {}) => {
      const some = makeMatcher([reset({ rate: 0.5 }, name)], seed, 0)
      return (request: Identity) => some.of({ ...request, ...change }, 0) !== undefined
    }
    const one = by(1, "f")
    assert.closeTo(share(one, one), 5000, 200)
    for (const other of [
      by(2, "f"),
      by(1, "g"),
      by(1, "f", { operation: "v4.getRunStatus" }),
      by(1, "f", { attempt: 2 })
    ]) {
      assert.closeTo(share(one, other), 2500, 200)
    }
  })

  it("draw creates by their key, not by their task", () => {
    const some = hits(reset({ rate: 0.5 }))
    const drawn = tenThousand.map((_, index) => [
      some.of(request("v4.queueMessage", "s1", 1, `c${index}`), 0) === undefined,
      some.of(request("v4.queueMessage", "s2", 1, `c${index}`), 0) === undefined
    ])
    assert.isTrue(drawn.every(([one, other]) => one === other))
  })

  it("hit nothing at rate 0 and everything at rate 1", () => {
    const [never, always] = [hits(reset({ rate: 0 })), hits(reset({ rate: 1 }))]
    assert.isTrue(tenThousand.every((one) => never.of(one, 0) === undefined && always.of(one, 0) !== undefined))
  })

  it("hit all described operations by default, and only reads with stale reads", () => {
    const some = hits({ fault: { kind: "stale-read", lag: Duration.seconds(3) } }, reset({}))
    assert.strictEqual(some.of(read("a"), 0)?.rule, "stale-read-1")
    assert.strictEqual(some.of(request("v4.createRun", null, 1, "c"), 0)?.rule, "reset-2")
    assert.isUndefined(some.of(request("unrouted", null), 0))
    assert.strictEqual(some.lag_ms, 3000)
  })

  it.effect("restart the counts of a plan when it is set or reset, and change its draws with the seed", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      assert.isUndefined(faults.matcherUnsafe())
      yield* TestClock.adjust("1 minute")
      const plan = [reset({ nth: [1], until: Duration.seconds(1) })]
      const hit = () => faults.matcherUnsafe()?.of(read("a"), 60_000) !== undefined
      yield* faults.set(plan)
      assert.deepStrictEqual([hit(), hit()], [true, false])
      yield* faults.reset()
      assert.deepStrictEqual([hit(), hit()], [true, false])
      assert.deepStrictEqual(yield* faults.plan, plan)
      yield* faults.set([reset({ rate: 0.5 })])
      const those = () => tenThousand.filter((one) => faults.matcherUnsafe()?.of(one, 60_000) !== undefined)
      const before = those()
      yield* faults.reset(2)
      assert.notDeepEqual(those(), before)
      yield* faults.set([])
      assert.isUndefined(faults.matcherUnsafe())
    }).pipe(Effect.provide(Faults.layer(), { local: true }))
  )
})
