import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import { readFileSync } from "node:fs"
import { live, type Spoil } from "./chaos/Chaos.ts"
import { shrink } from "./chaos/Shrink.ts"
import * as World from "./chaos/World.ts"

/** What once went wrong, in the fewest happenings; `npm run simulate:server` adds to it. */
const corpus: Readonly<Record<string, World.World>> = JSON.parse(
  readFileSync(new URL("chaos/corpus.json", import.meta.url), "utf8")
)

/** The first of these seeds in whose world something like this goes wrong. */
const firstBroken = Effect.fnUntraced(function* (seeds: number, spoil?: Spoil, said = /./u) {
  for (let seed = 1; seed <= seeds; seed++) {
    const wrong = yield* live(World.make(seed), spoil)
    if (wrong.some((sentence) => said.test(sentence))) return { seed, wrong }
  }
  return undefined
})

describe("engines under chaos", () => {
  for (const [title, world] of Object.entries(corpus)) {
    it.live(title, () => Effect.map(live(world), (wrong) => assert.deepStrictEqual(wrong, [])))
  }

  it.live(
    "lose nothing, pay for nothing twice and don't get stuck when killed, frozen or closed, or when commits are refused or lost",
    () => Effect.map(firstBroken(200), (broken) => assert.isUndefined(broken))
  )

  it.live("produce the same history for the same seed", () =>
    Effect.gen(function* () {
      const history = Effect.gen(function* () {
        const steps: Array<unknown> = []
        yield* live(World.make(4), (store) => ({
          ...store,
          commit: (step) =>
            Effect.andThen(
              Effect.sync(() => void steps.push(step.session, step.turns, step.events)),
              store.commit(step)
            )
        }))
        return JSON.stringify(steps)
      })
      const once = yield* history
      assert.isAbove(once.length, 10_000)
      assert.strictEqual(yield* history, once)
    })
  )
})

type Turns = Parameters<Spoil>[0]["lists"]["turns"]

const spoiledList = (store: Parameters<Spoil>[0], spoil: (turns: Turns) => Turns) => ({
  ...store,
  lists: { ...store.lists, turns: spoil(store.lists.turns) }
})

/** Stores that are wrong on purpose, and what has to be said of an engine over them. */
const mutants: Readonly<Record<string, readonly [Spoil, RegExp]>> = {
  "does not report leases": [
    (store) => ({
      ...store,
      sessionState: (id) =>
        Effect.map(
          store.sessionState(id),
          Option.map((state) => ({ ...state, session: { ...state.session, lease: null } }))
        )
    }),
    /at work|paid for/u
  ],
  "acknowledges commits that it does not write": [
    (store) => {
      let commits = 0
      return { ...store, commit: (step) => (++commits % 9 === 0 ? Effect.void : store.commit(step)) }
    },
    /is lost|not over|is completed with/u
  ],
  "ignores revisions": [
    (store) => ({
      ...store,
      commit: (step) =>
        Effect.gen(function* () {
          const { session } = step
          if (session === undefined) return yield* store.commit(step)
          const known = Option.getOrUndefined(yield* Effect.orDie(store.session(session.id)))
          return yield* store.commit({ ...step, session: { ...session, revision: (known?.revision ?? 0) + 1 } })
        })
    }),
    /changed its end|paid for|went back|at work/u
  ],
  "skips a run between two pages of a list": [
    (store) =>
      spoiledList(
        store,
        (turns) => (filter, after, limit) =>
          Effect.map(turns(filter, after, limit + 1), ({ next, rows }) => ({ next, rows: rows.slice(0, limit) }))
      ),
    /a walk misses/u
  ],
  "repeats the last run of a page on the next one": [
    (store) =>
      spoiledList(
        store,
        (turns) => (filter, after, limit) =>
          Effect.zipWith(
            turns(filter, after, limit),
            turns(filter, after, Math.max(1, limit - 1)),
            ({ rows }, { next }) => ({
              next,
              rows
            })
          )
      ),
    /a walk has \S+ twice/u
  ],
  "lists outdated runs": [
    (store) =>
      spoiledList(
        store,
        (turns) => (filter, after, limit) =>
          Effect.map(turns(filter, after, limit), ({ next, rows }) => ({
            next,
            rows: rows.map((turn) => (turn.status === "running" ? { ...turn, status: "queued" } : turn))
          }))
      ),
    /the list has/u
  ],
  "forgets keys": [
    (store) => ({ ...store, commit: (step) => store.commit(Struct.omit(step, ["key"])) }),
    /key .* made/u
  ]
}

describe("the simulation of a faulty store", () => {
  for (const [name, [spoil, said]] of Object.entries(mutants)) {
    it.live(`detects a store that ${name}`, () =>
      Effect.map(firstBroken(200, spoil, said), (broken) => assert.isDefined(broken))
    )
  }

  it.live("shrinks a failing world to the steps that break the rule", () =>
    Effect.gen(function* () {
      const [spoil] = mutants["forgets keys"] ?? assert.fail()
      const isBroken = (world: World.World) => Effect.map(live(world, spoil), (wrong) => wrong.length > 0)
      const { seed = 0 } = (yield* firstBroken(200, spoil)) ?? {}
      const { happenings } = yield* shrink(World.make(seed), isBroken)
      // a create, which may be a repeat of none, and its repeat
      assert.lengthOf(happenings, 2)
      assert.deepStrictEqual([happenings[1]?.does, happenings[1]?.pause_ms], ["repeat", 0])
    })
  )
})
