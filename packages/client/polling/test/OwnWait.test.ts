import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { OwnWait, Waiter } from "../src/index.ts"

/** Interrupted as `create` is: at any time, or not at all where what it makes is cancelled. */
const creating =
  <C, E>(create: Effect.Effect<C, E>) =>
  (restore: OwnWait.Restore, isCancelled: boolean) =>
    isCancelled ? create : restore(create)

const make = () => {
  const mug = { status: "painting", waits: 0, ended: [] as Array<string> }
  const own = {
    kind: "mug",
    create: creating(Effect.succeed({ id: "m-1" })),
    wait: (id: string, options: Waiter.WaitOptions) => {
      mug.waits++
      return Waiter.untilTerminal({
        kind: "mug",
        id,
        check: Effect.sync(() => mug.status),
        isTerminal: (status: string) => status !== "painting",
        ...options
      })
    },
    onEnd: (status: string) => Effect.sync(() => mug.ended.push(status))
  }
  const warnings: Array<string> = []
  const logger = Logger.make(({ message }) => {
    warnings.push(String(Array.isArray(message) ? message[0] : message))
  })
  return { mug, own, warnings, layerLogger: Logger.layer([logger]) }
}

const goesOn = "it may continue and cost money"

describe("OwnWait.createAndWait", () => {
  it.effect("returns the finished resource, and reports its create and its end", () => {
    const { mug, own } = make()
    return Effect.gen(function* () {
      const created: Array<string> = []
      const onCreated = ({ id }: { readonly id: string }) => Effect.sync(() => created.push(id))
      const fiber = yield* Effect.forkChild(OwnWait.createAndWait({ ...own, onCreated }))
      yield* TestClock.adjust("10 seconds")
      mug.status = "dry"
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "dry")
      assert.deepStrictEqual([created, mug.ended], [["m-1"], ["dry"]])
    })
  })

  it.effect.each([{ timeout: Number.NaN }, { timeout: -1 }, { first: Number.NaN }])(
    "creates nothing if the timeout is invalid: %j",
    (options) => {
      const { mug, own } = make()
      let created = 0
      const create = Effect.sync(() => ({ id: `m-${++created}` }))
      return Effect.gen(function* () {
        const name = Object.keys(options)[0] ?? ""
        for (const wait of [
          OwnWait.createAndWait({ ...own, create: creating(create) }, options),
          own.wait("m-1", options)
        ]) {
          const exit = yield* Effect.exit<string, unknown, never>(wait)
          if (Exit.isSuccess(exit)) return assert.fail("it should be refused")
          assert.include(
            String(Cause.squash(exit.cause)),
            `TypeError: ${name} must be a length of time, such as "30 seconds"; got ${Object.values(options)[0]}.`
          )
        }
        assert.deepStrictEqual([created, mug.waits], [0, 1])
      })
    }
  )

  it.effect("fails with the error of the create, without waiting", () => {
    const { mug, own } = make()
    return Effect.gen(function* () {
      const cancel = () => Effect.die("nothing to cancel")
      const wait = OwnWait.createAndWait({ ...own, create: creating(Effect.fail("no clay")) }, { cancel })
      assert.deepStrictEqual(yield* Effect.exit(wait), Exit.fail("no clay"))
      assert.strictEqual(mug.waits, 0)
    })
  })

  it.effect("warns about a resource that continues, unless the error names it", () => {
    const { layerLogger, own, warnings } = make()
    return Effect.gen(function* () {
      const wait = OwnWait.createAndWait(own, { timeout: "1 minute" })
      const late = yield* Effect.forkChild(Effect.flip(wait))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(late)).id, "m-1")
      assert.deepStrictEqual(warnings, [])
      const fiber = yield* Effect.forkChild(wait)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(warnings, [`The wait for mug m-1 has ended: ${goesOn}`])
    }).pipe(Effect.provide(layerLogger))
  })

  it.effect("cancels once, however the wait ends, and returns a resource that has finished by then", () => {
    const { layerLogger, mug, own, warnings } = make()
    return Effect.gen(function* () {
      const whys: Array<string> = []
      const cancel = (_: unknown, why: string) =>
        Effect.sync(() => {
          whys.push(why)
          mug.status = "broken"
        })
      const late = yield* Effect.forkChild(OwnWait.createAndWait(own, { timeout: "1 minute", cancel }))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(late), "broken")
      mug.status = "painting"
      const fiber = yield* Effect.forkChild(OwnWait.createAndWait(own, { cancel }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.interrupt(fiber)
      const failing = { ...own, wait: () => Effect.fail("no key") }
      assert.deepStrictEqual(yield* Effect.exit(OwnWait.createAndWait(failing, { cancel })), Exit.fail("no key"))
      // what is over by then does not hide why the wait has failed
      let waits = 0
      const failingOnce = { ...own, wait: () => (++waits === 1 ? Effect.fail("no key") : Effect.succeed("broken")) }
      assert.deepStrictEqual(yield* Effect.exit(OwnWait.createAndWait(failingOnce, { cancel })), Exit.fail("no key"))
      assert.deepStrictEqual(whys, ["timeout", "interrupted", "failed", "failed"])
      assert.deepStrictEqual(mug.ended, ["broken", "broken", "broken"])
      assert.deepStrictEqual(warnings, [`The mug m-1 was cancelled, but has not ended: ${goesOn}`])
    }).pipe(Effect.provide(layerLogger))
  })

  it.effect("tries to cancel for a minute, then warns and keeps the timeout error", () => {
    const { layerLogger, own, warnings } = make()
    return Effect.gen(function* () {
      for (const cancel of [Effect.never, Effect.fail("no")]) {
        const wait = OwnWait.createAndWait(own, { timeout: "1 minute", cancel: () => cancel })
        const fiber = yield* Effect.forkChild(Effect.flip(wait))
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual((yield* Fiber.join(fiber)).waited_ms, 60_000)
      }
      const warning = `The mug m-1 could not be cancelled: ${goesOn}`
      assert.deepStrictEqual(warnings, [warning, warning])
    }).pipe(Effect.provide(layerLogger))
  })

  it.effect("accounts for the resource even if a callback throws", () => {
    const { layerLogger, own, warnings } = make()
    const throws = () => {
      throw new Error("no")
    }
    return Effect.gen(function* () {
      assert.isTrue(Exit.hasDies(yield* Effect.exit(OwnWait.createAndWait({ ...own, onCreated: throws }))))
      const fiber = yield* Effect.forkChild(
        Effect.flip(OwnWait.createAndWait(own, { timeout: "1 minute", cancel: throws }))
      )
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* Fiber.join(fiber)).waited_ms, 60_000)
      assert.deepStrictEqual(warnings, [
        `The wait for mug m-1 has ended: ${goesOn}`,
        `The mug m-1 could not be cancelled: ${goesOn}`
      ])
    }).pipe(Effect.provide(layerLogger))
  })

  it.effect("interrupts a create at once, unless its resource can be canceled afterwards", () => {
    const { own } = make()
    return Effect.gen(function* () {
      const answer = yield* Deferred.make<{ readonly id: string }>()
      const slow = { ...own, create: creating(Deferred.await(answer)) }
      yield* Fiber.interrupt(yield* Effect.forkChild(OwnWait.createAndWait(slow), { startImmediately: true }))
      const cancelled = yield* Deferred.make<string>()
      const cancel = ({ id }: { readonly id: string }) =>
        Effect.andThen(Deferred.succeed(cancelled, id), Effect.fail("enough"))
      const fiber = yield* Effect.forkChild(OwnWait.createAndWait(slow, { cancel }), { startImmediately: true })
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      yield* Deferred.succeed(answer, { id: "m-2" })
      assert.strictEqual(yield* Deferred.await(cancelled), "m-2")
      yield* Fiber.join(interrupting)
    }).pipe(Effect.provide(make().layerLogger))
  })
})
