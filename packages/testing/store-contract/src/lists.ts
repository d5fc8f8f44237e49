import { assert } from "@effect/vitest"
import { Browser, type Page, type Place, Store, type TurnFilter, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Creation from "./Creation.ts"
import { browserStep, change, commit, day_ms, newTurn, type StoreTest } from "./steps.ts"

/** Creates a session with a turn that has these fields. */
const create = (name: string, fields: Partial<Turn.Turn> = {}) =>
  commit(Creation.creation(name, { owner: "ann", ...fields }))

/** Runs the only turn of a session to its end at a node. */
const run = Effect.fnUntraced(function* (
  name: string,
  node: string,
  ending: { readonly cost?: string; readonly failure?: Turn.Failure; readonly at_ms?: number } = {}
) {
  const { at_ms = 5, cost = null, failure } = ending
  const { session } = yield* change(`s${name}`, { _tag: "Take", node }, at_ms)
  const holder = { token: session.revision, leaves: true, goesOn: false } as const
  yield* change(`s${name}`, { ...holder, _tag: "Report", event: { _tag: "Started" } }, at_ms)
  const used = { cost, tokens: { input: 100, output: 10 } }
  yield* change(`s${name}`, { _tag: "Progress", token: holder.token, progress: { used } }, at_ms)
  const event: Turn.TurnEvent =
    failure === undefined ? { _tag: "Completed", report: {} } : { _tag: "Failed", error: "an error", failure }
  yield* change(`s${name}`, { ...holder, _tag: "Report", event }, at_ms)
})

/** Follows a list to its end. `between` runs after every page. */
export const walk = Effect.fnUntraced(function* <A, E, R>(
  page: (after: Place | null) => Effect.Effect<Page<A>, E, R>,
  between: Effect.Effect<unknown, E, R> = Effect.void
) {
  const rows: Array<A> = []
  let next: Place | null = null
  do {
    const current: Page<A> = yield* page(next)
    rows.push(...current.rows)
    // a page that ends where it began would never end the walk
    assert.notDeepEqual(current.next ?? "the end", next)
    next = current.next
    if (next !== null) yield* between
  } while (next !== null)
  return rows
})

const idsOf = <A extends { readonly id: string }>(rows: ReadonlyArray<A>) => rows.map(({ id }) => id)

const turnIds = (filter: TurnFilter, limit = 2) =>
  Effect.flatMap(Store, ({ lists }) =>
    Effect.map(
      walk((after) => lists.turns(filter, after, limit)),
      idsOf
    )
  )

const waits = (test: StoreTest): void => {
  test("lists the turns that are waiting for a person", function* () {
    const request = {
      reason: "question",
      question: "Which mug?",
      choices: null,
      askedBy: "api",
      timeout_ms: 1000,
      whenUnanswered: "skip",
      pausesLimits: false
    } as const
    const tokens = new Map<string, number>()
    for (const name of ["1", "2", "3"]) {
      yield* create(name, name === "3" ? { owner: "bob" } : {})
      const { session } = yield* change(`s${name}`, { _tag: "Take", node: "north" })
      tokens.set(name, session.revision)
      const holder = { token: session.revision, leaves: true, goesOn: false } as const
      yield* change(`s${name}`, { ...holder, _tag: "Report", event: { _tag: "Started" } })
      yield* change(`s${name}`, { _tag: "Ask", turnId: `t${name}`, request })
    }
    assert.deepStrictEqual(yield* turnIds({ waiting: true }), ["t3", "t2", "t1"])
    assert.deepStrictEqual(yield* turnIds({ waiting: true, owner: "ann", node: "north" }), ["t2", "t1"])
    const answer = { _tag: "Answer", turnId: "t1", questionId: "1", answer: "Red", by: "ann" } as const
    yield* change("s1", answer)
    yield* change("s2", { _tag: "Cancel", turnId: "t2" })
    assert.deepStrictEqual(yield* turnIds({ waiting: true }), ["t3"])
    const { questions = [] } = Option.getOrThrow(yield* Store.use((store) => store.turn("t1")))
    assert.deepInclude(questions[0]?.outcome, { kind: "answered", answer: "Red", by: "ann" })
    const expired = { id: "1", kind: "expired", by: null } as const
    yield* change("s3", { _tag: "Progress", token: tokens.get("3") ?? 0, progress: { unanswered: expired } })
    assert.deepStrictEqual(yield* turnIds({ waiting: true }), [])
  })
}

const filters = (test: StoreTest): void => {
  test("lists turns by each filter and by several, the newest first", function* () {
    yield* create("1", { createdAt_ms: 10, model: "small", tags: ["nightly", "eu"] })
    yield* create("2", { createdAt_ms: 20, owner: "bob", tags: ["eu"] })
    // of two clocks, the later one was created first
    yield* create("3", { createdAt_ms: 40, owner: null })
    yield* create("4", { createdAt_ms: 30 })
    yield* create("5", { createdAt_ms: 30, model: "small" })
    yield* run("1", "north", { cost: "0.25" })
    yield* run("2", "south", { cost: "1.000000001", failure: "step_limit" })
    yield* change("s4", { _tag: "Take", node: "north" })
    yield* change("s5", { _tag: "Queue", turn: { ...newTurn("t6", "s5"), createdAt_ms: 50 }, interrupt: false })
    assert.deepStrictEqual(yield* turnIds({}), ["t6", "t3", "t5", "t4", "t2", "t1"])
    const expected: ReadonlyArray<readonly [TurnFilter, ReadonlyArray<string>]> = [
      [{ statuses: ["queued"] }, ["t6", "t3", "t5"]],
      [{ statuses: ["completed", "failed", "dispatching"] }, ["t4", "t2", "t1"]],
      [{ statuses: [] }, []],
      [{ owner: "ann" }, ["t5", "t4", "t1"]],
      [{ owner: "eve" }, []],
      [{ sessionId: "s5" }, ["t6", "t5"]],
      [{ sessionId: "s5", statuses: ["completed"] }, []],
      [{ model: "small" }, ["t5", "t1"]],
      [{ node: "north" }, ["t4", "t1"]],
      [{ tag: "eu" }, ["t2", "t1"]],
      [{ tag: "eu", owner: "ann" }, ["t1"]],
      [{ failure: "step_limit" }, ["t2"]],
      [{ from_ms: 20, to_ms: 40 }, ["t5", "t4", "t2"]],
      [{ from_ms: 31, owner: "ann" }, []],
      [{ minCost: "1" }, ["t2"]],
      [{ minCost: "0.25" }, ["t2", "t1"]],
      [{ minCost: "1.000000002" }, []],
      [{ owner: "ann", node: "north", statuses: ["completed"], minCost: "0.2", tag: "nightly" }, ["t1"]],
      [{ owner: "ann", model: "small", statuses: ["queued", "completed"], to_ms: 30 }, ["t1"]]
    ]
    for (const [filter, ids] of expected) {
      for (const limit of [1, 2, 100]) {
        assert.deepStrictEqual(yield* turnIds(filter, limit), ids, JSON.stringify(filter))
      }
    }
    const { lists } = yield* Store
    const { rows } = yield* lists.turns({ node: "south" }, null, 1)
    assert.deepStrictEqual([rows[0]?.node, rows[0]?.tags, rows[0]?.title], ["south", ["eu"], null])
  })

  test("finds turns by words of their task in any order and case, the last one by its prefix", function* () {
    yield* create("1", { task: "Find a RED mug at shop.example/mugs?page=2" })
    yield* create("2", { task: "find a blue mug, not a red one" })
    yield* create("3", { task: "Order 12 pencils\0 for \ud83d Zoë's e-mail" })
    yield* create("4", { task: 'a "quoted" text AND nothing else \\u0000 NEAR(', owner: "bob" })
    const expected: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["red mug", ["t2", "t1"]],
      ["MUG red", ["t2", "t1"]],
      ["mug find blu", ["t2"]],
      ["pen", ["t3"]],
      // too short to be a beginning
      ["pe", []],
      ["12", ["t3"]],
      ["encils", []],
      ["example", ["t1"]],
      ["shop mugs page 2", ["t1"]],
      ["mail", ["t3"]],
      ["e-mail", ["t3"]],
      ["zoë", ["t3"]],
      ["quoted", ["t4"]],
      ["and nothing", ["t4"]],
      ["near", ["t4"]],
      ['"', []],
      ["red* OR blue", []],
      ["", []]
    ]
    for (const [text, ids] of expected) assert.deepStrictEqual(yield* turnIds({ text }), ids, text)
    assert.deepStrictEqual(yield* turnIds({ text: "a", owner: "bob" }), ["t4"])
    assert.deepStrictEqual(yield* turnIds({ text: "find", statuses: ["failed"] }), [])
  })

  test("lists sessions and browsers by their filters, the newest first", function* () {
    const { lists } = yield* Store
    for (const [index, name] of ["1", "2", "3"].entries()) {
      yield* create(name, { createdAt_ms: index, owner: name === "2" ? "bob" : "ann" })
      const fields = { id: `b${name}`, proxyCountryCode: null, startedAt_ms: index, node: `n${name}` }
      yield* commit(browserStep(Browser.make({ ...fields, owner: name === "3" ? "bob" : "ann" })))
    }
    yield* change("s1", { _tag: "Stop" })
    const launched = Browser.launched(Browser.make({ id: "b4", proxyCountryCode: null, startedAt_ms: 9 }))
    yield* commit(browserStep({ ...launched, revision: 1 }))
    yield* commit(browserStep(Result.getOrThrow(Browser.stop({ ...launched, revision: 1 }, "asked", 9))))
    const sessions = (filter: Parameters<typeof lists.sessions>[0]) =>
      Effect.map(
        walk((after) => lists.sessions(filter, after, 1)),
        idsOf
      )
    const browsers = (filter: Parameters<typeof lists.browsers>[0]) =>
      Effect.map(
        walk((after) => lists.browsers(filter, after, 1)),
        idsOf
      )
    assert.deepStrictEqual(yield* sessions({}), ["s3", "s2", "s1"])
    assert.deepStrictEqual(yield* sessions({ statuses: ["active"] }), ["s3", "s2"])
    assert.deepStrictEqual(yield* sessions({ statuses: ["active", "stopped"], owner: "ann" }), ["s3", "s1"])
    assert.deepStrictEqual(yield* sessions({ owner: "ann", to_ms: 2 }), ["s1"])
    assert.deepStrictEqual(yield* browsers({}), ["b4", "b3", "b2", "b1"])
    assert.deepStrictEqual(yield* browsers({ statuses: ["starting"] }), ["b3", "b2", "b1"])
    assert.deepStrictEqual(yield* browsers({ statuses: ["active", "stopped"] }), ["b4"])
    assert.deepStrictEqual(yield* browsers({ owner: "ann", node: "n2" }), ["b2"])
    assert.deepStrictEqual(yield* lists.sessionCounts({ owner: "ann" }, 10), {
      active: { count: 1, more: false },
      stopped: { count: 1, more: false }
    })
    assert.deepStrictEqual(yield* lists.browserCounts({}, 2), {
      starting: { count: 2, more: true },
      active: { count: 0, more: false },
      stopped: { count: 1, more: false }
    })
  })
}

const sums = (test: StoreTest): void => {
  test("counts turns by status up to a limit", function* () {
    const { lists } = yield* Store
    for (const name of ["1", "2", "3", "4", "5"]) yield* create(name, { owner: name === "5" ? "bob" : "ann" })
    for (const name of ["1", "2", "5"]) yield* run(name, "n")
    yield* change("s3", { _tag: "Take", node: "n" })
    const count = (count: number, more = false) => ({ count, more })
    const none = { queued: count(0), dispatching: count(0), running: count(0), failed: count(0), cancelled: count(0) }
    assert.deepStrictEqual(yield* lists.turnCounts({}, 2), {
      ...none,
      queued: count(1),
      dispatching: count(1),
      completed: count(2, true)
    })
    assert.deepStrictEqual(yield* lists.turnCounts({ owner: "ann" }, 2), {
      ...none,
      queued: count(1),
      dispatching: count(1),
      completed: count(2)
    })
    const ofNode = { ...none, dispatching: count(1), completed: count(1, true) }
    assert.deepStrictEqual(yield* lists.turnCounts({ owner: "ann", node: "n" }, 1), ofNode)
  })

  test("sums up the cost of turns by day, owner and model", function* () {
    const { lists } = yield* Store
    const noon_ms = 20_000 * day_ms + day_ms / 2
    const runs = [
      ["1", "ann", "small", "0.1", noon_ms],
      ["2", "ann", "small", "0.2", noon_ms + 1],
      ["3", "ann", "large", "3", noon_ms],
      ["4", "bob", "small", "0.000000001", noon_ms],
      ["5", "ann", "small", "7", noon_ms + day_ms],
      ["6", null, "small", null, noon_ms],
      ["7", "ann", "small", "9", noon_ms - day_ms]
    ] as const
    for (const [name, owner, model, cost, at_ms] of runs) {
      yield* create(name, { owner, model, createdAt_ms: at_ms })
      yield* run(name, "n", { at_ms, ...(cost === null ? {} : { cost }) })
    }
    yield* create("8", { createdAt_ms: noon_ms })
    const day = (day: number, owner: string | null, model: string, turns: number, cost: string) => ({
      day_ms: day * day_ms,
      owner,
      model,
      turns,
      cost,
      inputTokens: 100 * turns,
      outputTokens: 10 * turns
    })
    const days = { from_ms: 20_000 * day_ms, to_ms: 20_002 * day_ms }
    assert.deepStrictEqual(yield* lists.spend(days), [
      day(20_000, null, "small", 1, "0"),
      day(20_000, "ann", "large", 1, "3"),
      day(20_000, "ann", "small", 2, "0.3"),
      day(20_000, "bob", "small", 1, "0.000000001"),
      day(20_001, "ann", "small", 1, "7")
    ])
    assert.deepStrictEqual(yield* lists.spend({ ...days, owner: "bob" }), [
      day(20_000, "bob", "small", 1, "0.000000001")
    ])
    const costliest = (filter: Parameters<typeof lists.costliest>[0], limit: number) =>
      Effect.map(lists.costliest(filter, limit), (turns) => turns.map(({ id }) => id))
    assert.deepStrictEqual(yield* costliest(days, 9), ["t5", "t3", "t2", "t1", "t4"])
    assert.deepStrictEqual(yield* costliest(days, 2), ["t5", "t3"])
    assert.deepStrictEqual(yield* costliest({ ...days, owner: "bob" }, 9), ["t4"])
  })

  test("keeps the cost of deleted turns, and adds a cancelled turn's cost until its agent has stopped", function* () {
    const { lists, prune, purge } = yield* Store
    for (const name of ["1", "2", "3"]) yield* create(name)
    yield* run("1", "n", { cost: "0.1" })
    yield* run("2", "n", { cost: "0.2" })
    const { session } = yield* change("s3", { _tag: "Take", node: "n" })
    const token = session.revision
    const first = { cost: "0.1", tokens: { input: 3, output: 1 } }
    yield* change("s3", { _tag: "Report", token, event: { _tag: "Started" }, leaves: true, goesOn: false })
    yield* change("s3", { _tag: "Progress", token, progress: { used: first } })
    yield* change("s3", { _tag: "Cancel", turnId: "t3" }, 7)
    const spend = Effect.map(lists.spend({ from_ms: 0, to_ms: day_ms }), (all) =>
      all.map(({ cost, inputTokens, turns }) => [turns, cost, inputTokens])
    )
    assert.deepStrictEqual(yield* spend, [[3, "0.4", 203]])
    const used = { cost: "0.5", tokens: { input: 7, output: 1 } }
    yield* change("s3", { _tag: "LetGo", token, ending: { _tag: "Cancelled" }, used, goesOn: false })
    assert.deepStrictEqual(yield* spend, [[3, "0.8", 207]])
    yield* change("s1", { _tag: "Stop" }, 8)
    assert.isTrue(yield* purge("s1"))
    yield* prune({ turnsUntil_ms: 9, limit: 10 })
    assert.deepStrictEqual(yield* turnIds({}), [])
    assert.deepStrictEqual(yield* spend, [[3, "0.8", 207]])
  })
}

/** A small generator of random numbers from a seed. */
const randomFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const walks = (test: StoreTest): void => {
  test("pages through a growing and changing list without repeating a turn or missing one that always matched", function* () {
    const { lists } = yield* Store
    const random = randomFrom(27)
    const all = new Map<string, { readonly name: string; readonly owner: string; moved: boolean }>()
    const add = Effect.gen(function* () {
      const name = String(all.size)
      const owner = random(4) === 0 ? "bob" : "ann"
      // ties, and clocks that are late
      yield* create(name, { owner, createdAt_ms: 1000 + random(20), tags: random(3) === 0 ? ["eu"] : [] })
      all.set(`t${name}`, { name, owner, moved: false })
    })
    const move = Effect.suspend(() => {
      const turn = [...all.values()][random(all.size)]
      if (turn === undefined || turn.moved) return Effect.void
      turn.moved = true
      return run(turn.name, `n${random(2)}`, { cost: `0.${random(9)}` })
    })
    const filters: ReadonlyArray<TurnFilter> = [
      {},
      { owner: "ann" },
      { statuses: ["queued"] },
      { owner: "bob", statuses: ["queued", "running"] },
      { tag: "eu" },
      { tag: "eu", owner: "ann" },
      { text: "find mug" },
      { minCost: "0.5" },
      { node: "n1", from_ms: 1005 }
    ]
    const meanwhile = Effect.suspend(() => (random(3) === 0 ? Effect.andThen(add, move) : Effect.void))
    for (let round = 0; round < filters.length; round++) {
      for (let count = 0; count < 12; count++) yield* add
      yield* move
      const filter = filters[round] ?? {}
      const limit = 1 + random(6)
      const before = new Set(yield* turnIds(filter, 1000))
      const created = new Set(all.keys())
      const movedBefore = new Set([...all].flatMap(([id, { moved }]) => (moved ? [id] : [])))
      const rows = yield* walk((after) => lists.turns(filter, after, limit), meanwhile)
      const ids = idsOf(rows)
      assert.lengthOf(new Set(ids), ids.length)
      const order = rows.map(({ createdAt_ms }) => createdAt_ms)
      if (filter.text === undefined) {
        assert.deepStrictEqual(
          order,
          order.toSorted((left, right) => right - left)
        )
      }
      const still = [...before].filter((id) => movedBefore.has(id) || all.get(id)?.moved === false)
      const missing = still.filter((id) => !ids.includes(id))
      assert.deepStrictEqual(missing, [], JSON.stringify({ filter, limit }))
      const wrong = ids.filter((id) => created.has(id) && movedBefore.has(id) && !before.has(id))
      assert.deepStrictEqual(wrong, [], JSON.stringify({ filter, limit }))
      for (const { owner, id } of rows) if (filter.owner !== undefined) assert.strictEqual(owner, filter.owner, id)
    }
  })

  test("continues after a row that was deleted", function* () {
    const { lists, prune } = yield* Store
    for (const [index, name] of ["1", "2", "3", "4"].entries()) yield* create(name, { createdAt_ms: index })
    for (const name of ["1", "3"]) {
      yield* run(name, "n")
      yield* change(`s${name}`, { _tag: "Stop" }, 6)
    }
    const first = yield* lists.turns({}, null, 2)
    assert.deepStrictEqual(idsOf(first.rows), ["t4", "t3"])
    yield* prune({ finishedUntil_ms: 10, limit: 10 })
    assert.deepStrictEqual(idsOf((yield* lists.turns({}, first.next, 2)).rows), ["t2"])
    assert.deepStrictEqual(yield* turnIds({}), ["t4", "t2"])
    assert.deepStrictEqual(yield* turnIds({ text: "red" }), ["t4", "t2"])
    assert.deepStrictEqual(idsOf((yield* lists.sessions({}, null, 9)).rows), ["s4", "s2"])
  })

  test("purges only a stopped session", function* () {
    const store = yield* Store
    yield* create("2")
    yield* create("1", { tags: ["eu"] })
    assert.deepStrictEqual(yield* turnIds({ text: "red" }), ["t1", "t2"])
    yield* change("s1", { _tag: "Take", node: "n" })
    assert.isFalse(yield* store.purge("s1"))
    const { session } = yield* change("s1", { _tag: "Stop" })
    // its agent has not let go
    assert.isFalse(yield* store.purge("s1"))
    const token = session.lease?.token ?? 0
    yield* change("s1", { _tag: "LetGo", token, ending: { _tag: "Cancelled" }, goesOn: false })
    assert.isTrue(yield* store.purge("s1"))
    assert.isFalse(yield* store.purge("s1"))
    assert.strictEqual((yield* store.session("s1"))._tag, "None")
    assert.strictEqual((yield* store.turn("t1"))._tag, "None")
    assert.deepStrictEqual(yield* turnIds({}), ["t2"])
    assert.deepStrictEqual(yield* turnIds({ tag: "eu" }), [])
    assert.deepStrictEqual(yield* turnIds({ text: "red" }), ["t2"])
    // a database may give its number to the next one
    yield* create("3", { createdAt_ms: 1 })
    assert.deepStrictEqual(yield* turnIds({ text: "red" }), ["t3", "t2"])
    assert.deepStrictEqual(yield* turnIds({}), ["t3", "t2"])
  })
}

const concurrentWalks = (test: StoreTest): void => {
  test("pages through a list during commits without repeating or missing a turn, each as it is stored", function* () {
    const { lists, purge, turn } = yield* Store
    const random = randomFrom(41)
    // the state of each turn; null while a commit may change it
    const turns = new Map<string, Turn.TurnStatus | null>()
    const gone = new Set<string>()
    const changes = new Map<string, number>()
    const changing = Effect.fnUntraced(function* (
      name: string,
      status: Turn.TurnStatus,
      commits: Effect.Effect<unknown, unknown, Store>
    ) {
      turns.set(`t${name}`, null)
      changes.set(`t${name}`, (changes.get(`t${name}`) ?? 0) + 1)
      yield* commits
      turns.set(`t${name}`, status)
    })
    /** Creates sessions at once with others, and cancels, runs, stops and purges some of them. */
    const client = Effect.fnUntraced(function* (client: number) {
      for (let count = 0; count < 12; count++) {
        const name = `${client}-${count}`
        const owner = client % 2 === 0 ? "ann" : "bob"
        yield* changing(name, "queued", create(name, { owner, createdAt_ms: 1000 + random(9), tags: ["eu"] }))
        yield* Effect.yieldNow
        const does = random(5)
        if (does === 0) continue
        if (does === 1) {
          yield* changing(name, "cancelled", change(`s${name}`, { _tag: "Cancel", turnId: `t${name}` }, 5))
        } else yield* changing(name, "completed", run(name, `n${random(2)}`, { cost: "0.5" }))
        yield* Effect.yieldNow
        if (does < 4) continue
        gone.add(`t${name}`)
        const purged = Effect.andThen(change(`s${name}`, { _tag: "Stop" }, 6), purge(`s${name}`))
        yield* changing(name, "completed", purged)
      }
    })
    const walked: ReadonlyArray<TurnFilter> = [
      {},
      { statuses: ["queued"] },
      { statuses: ["completed", "cancelled"], owner: "ann" },
      { tag: "eu", owner: "bob" },
      { minCost: "0.5" }
    ]
    const fits = ({ minCost, owner, statuses }: TurnFilter, id: string, status: Turn.TurnStatus) =>
      (statuses?.includes(status) ?? true) &&
      (owner === undefined || (Number(id.slice(1).split("-")[0]) % 2 === 0) === (owner === "ann")) &&
      (minCost === undefined || status === "completed")
    const walkOnce = Effect.fnUntraced(function* (round: number) {
      const filter = walked[round % walked.length] ?? {}
      const before = new Map(turns)
      const changesBefore = new Map(changes)
      const rows = yield* walk((after) => lists.turns(filter, after, 1 + (round % 5)), Effect.yieldNow)
      const ids = idsOf(rows)
      assert.lengthOf(new Set(ids), ids.length, "a turn twice")
      for (const [id, status] of before) {
        if (status === null || changes.get(id) !== changesBefore.get(id)) continue
        const row = rows.find((each) => each.id === id)
        const isWanted = !gone.has(id) && fits(filter, id, status)
        assert.strictEqual(row?.status, isWanted ? status : undefined, JSON.stringify({ id, filter }))
      }
    })
    const clients = yield* Effect.forkChild(Effect.forEach([0, 1, 2, 3, 4, 5], client, { concurrency: "unbounded" }))
    let round = 0
    while (clients.pollUnsafe() === undefined || round < 10) yield* walkOnce(round++)
    yield* Fiber.join(clients)
    const { rows } = yield* lists.turns({}, null, 1000)
    assert.sameMembers(
      idsOf(rows),
      [...turns.keys()].filter((id) => !gone.has(id))
    )
    for (const row of rows) assert.deepStrictEqual(Option.getOrUndefined(yield* turn(row.id)), row)
    const counts = yield* lists.turnCounts({ to_ms: 2000 }, 1000)
    for (const status of Turn.turnStatuses) {
      const own = rows.filter((row) => row.status === status).length
      assert.deepStrictEqual(counts[status], { count: own, more: false })
    }
  })
}

/** Lists of turns, sessions and browsers, with counts and spend. */
export const lists = (test: StoreTest): void => {
  filters(test)
  waits(test)
  sums(test)
  walks(test)
  concurrentWalks(test)
}
