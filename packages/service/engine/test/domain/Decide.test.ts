import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  type Command,
  created,
  decide,
  type Decision,
  inOrder,
  opened,
  type SessionState
} from "../../src/domain/Decide.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { isTerminal, type Turn } from "../../src/domain/Turn.ts"
import * as records from "./records.ts"

const turn = (id: string): Turn => ({ ...records.turn, id })

const made = created(records.session, turn("1"))

/** The state after a decision: what is terminal goes, unless the lease names it. */
const after = ({ turns }: SessionState, decision: Decision): SessionState => {
  const { session } = decision
  const known = new Map([...turns, ...decision.turns].map((each) => [each.id, each]))
  return {
    session,
    turns: [...known.values()].filter(({ id, status }) => !isTerminal(status) || id === session.lease?.turnId)
  }
}

const fresh: SessionState = { session: made.session, turns: [made.turn] }

/** The state after these commands, a second apart. */
const run = (...commands: ReadonlyArray<Command>): SessionState =>
  commands.reduce((state, command) => after(state, Result.getOrThrow(decide(state, command, 1000))), fresh)

const take: Command = { _tag: "Take", node: "a" }
const started: Command = { _tag: "Report", token: 2, event: { _tag: "Started" }, leaves: false, goesOn: true }
const queue = (id: string, interrupt = false): Command => ({ _tag: "Queue", turn: turn(id), interrupt })
const used = (cost: string): Command => ({ _tag: "Progress", token: 2, progress: { used: { cost } } })
const letGo: Command = { _tag: "LetGo", token: 2, ending: { _tag: "Cancelled" }, goesOn: true }

const standing = ({ turns }: SessionState) => inOrder(turns).map(({ id, status }) => `${id} ${status}`)

/** Why a command is refused. */
const refusal = (state: SessionState, command: Command) => {
  const decided = decide(state, command, 1000)
  return Result.isFailure(decided) ? decided.failure._tag : "carried out"
}

describe("decide", () => {
  it("an interrupt cancels the running turn in one step, queues the new one next, and keeps the lease until the agent stops", () => {
    const state = run(take, started, queue("2"), queue("3", true))
    assert.strictEqual(state.session.revision, 5)
    assert.deepStrictEqual(standing(state), ["1 cancelled", "3 queued", "2 queued"])
    assert.deepStrictEqual(state.session.lease, { node: "a", token: 2, turnId: "1" })
    assert.deepStrictEqual(state.turns[0]?.cancel, { reason: "interrupt", at_ms: 1000 })
    const next = after(state, Result.getOrThrow(decide(state, letGo, 1000)))
    assert.deepStrictEqual(standing(next), ["3 dispatching", "2 queued"])
    assert.deepStrictEqual(next.session.lease, { node: "a", token: 6, turnId: "3" })
  })

  it("a deduplicated message is the waiting one with the same text and mode", () => {
    const again = (id: string, interrupt = false): Command => ({
      _tag: "Queue",
      turn: turn(id),
      interrupt,
      deduplicate: true
    })
    const waiting = run(take, started, queue("2"))
    const same = Result.getOrThrow(decide(waiting, again("3"), 1000))
    assert.deepStrictEqual([same.turn?.id, same.changed], ["2", false])
    // it's another one if it interrupts, or if the first one no longer waits
    assert.strictEqual(Result.getOrThrow(decide(waiting, again("3", true), 1000)).turn?.id, "3")
    const removed = run(take, started, queue("2"), { _tag: "Cancel", turnId: "2", onlyQueued: true })
    assert.strictEqual(Result.getOrThrow(decide(removed, again("3"), 1000)).turn?.id, "3")
    // the first run of a session is no message
    assert.strictEqual(Result.getOrThrow(decide(fresh, again("3"), 1000)).turn?.id, "3")
  })

  it("only a waiting turn is cancelled with onlyQueued", () => {
    const cancel: Command = { _tag: "Cancel", turnId: "1", onlyQueued: true }
    assert.deepStrictEqual(standing(run(cancel)), [])
    assert.strictEqual(refusal(run(take), cancel), "Over")
    assert.strictEqual(refusal(run(take, started), cancel), "Over")
  })

  it("a turn's cost counts even if the turn is cancelled, and never decreases", () => {
    const state = run(take, started, used("0.5"), { _tag: "Cancel", turnId: "1" }, used("0.7"), used("0.6"))
    assert.deepStrictEqual(
      state.turns.map(({ cost, status }) => [status, cost]),
      [["cancelled", "0.7"]]
    )
  })

  it("a step starts only under the lease and in a running turn", () => {
    const step: Command = {
      _tag: "Progress",
      token: 2,
      progress: { step: { summary: "Open the shop", address: "https://example.com", picture: null } }
    }
    assert.strictEqual(refusal(run(take), step), "Over")
    const running = run(take, started)
    assert.deepStrictEqual(
      Result.getOrThrow(decide(running, step, 2000)).turnSteps.map(({ beganAt_ms, ordinal }) => [ordinal, beganAt_ms]),
      [[1, 2000]]
    )
    assert.strictEqual(refusal(run(take, started, { _tag: "Cancel", turnId: "1" }), step), "Over")
    assert.strictEqual(refusal(running, { ...step, token: 1 }), "LeaseLost")
  })

  it("a step ends only under the lease, with its own fields and the reason of its failure", () => {
    const running = run(take, started)
    const step = { turnId: "1", ordinal: 1, summary: "Open", address: null, picture: null, beganAt_ms: 2000 }
    const end: Command = { _tag: "Progress", token: 2, progress: { ended: { step, failure: "It is closed." } } }
    const { changed, session, turns, turnSteps } = Result.getOrThrow(decide(running, end, 2500))
    assert.deepStrictEqual(turnSteps, [{ ...step, ended: { at_ms: 2500, failure: "It is closed." } }])
    // the session's revision is the fence; the turn, which may be long, is as it was
    assert.deepStrictEqual([changed, session.revision, turns], [true, running.session.revision + 1, []])
    assert.strictEqual(refusal(running, { ...end, token: 1 }), "LeaseLost")
    // the clock was set back
    assert.strictEqual(Result.getOrThrow(decide(running, end, 1500)).turnSteps[0]?.ended?.at_ms, 2000)
  })

  it("a model call counts under the lease, even after the turn was cancelled", () => {
    const made = { at_ms: 2000, duration_ms: 300, model: "m", tokens: null, cost: "0.2", step: 1, failure: null }
    const call: Command = { _tag: "Progress", token: 2, progress: { used: { cost: "0.2" }, call: made } }
    const cancelled = run(take, started, { _tag: "Cancel", turnId: "1" })
    const { modelCalls, turn, turns } = Result.getOrThrow(decide(cancelled, call, 2500))
    assert.deepStrictEqual(modelCalls, [{ turnId: "1", ordinal: 1, ...made }])
    assert.deepInclude(turn, { status: "cancelled", cost: "0.2", modelCalls: 1 })
    assert.lengthOf(turns, 1)
    const second = Result.getOrThrow(decide(run(take, started, call), call, 2600))
    assert.deepStrictEqual(
      second.modelCalls.map(({ ordinal }) => ordinal),
      [2]
    )
    assert.strictEqual(refusal(cancelled, { ...call, token: 1 }), "LeaseLost")
  })

  it("a step keeps its details and adds those known at its end", () => {
    const running = run(take, started)
    const seen = {
      summary: "s",
      address: null,
      picture: null,
      title: 'click button "Save"',
      tool: "click",
      role: "button"
    }
    const begin: Command = { _tag: "Progress", token: 2, progress: { step: seen } }
    const [step] = Result.getOrThrow(decide(running, begin, 2000)).turnSteps
    assert.isDefined(step)
    assert.deepStrictEqual(step, { turnId: "1", ordinal: 1, ...seen, beganAt_ms: 2000 })
    const details = { verified: true, tokens: { input: 5, output: 1 }, cost: "0.1" }
    const end: Command = { _tag: "Progress", token: 2, progress: { ended: { step, failure: null, details } } }
    assert.deepStrictEqual(Result.getOrThrow(decide(running, end, 2500)).turnSteps, [
      { ...step, ...details, ended: { at_ms: 2500, failure: null } }
    ])
  })

  it("a session is leased to one node at a time, and its lease names the node", () => {
    const state = run(take, { _tag: "Take", node: "b" })
    assert.deepStrictEqual(state.session.lease, { node: "a", token: 2, turnId: "1" })
    assert.strictEqual(state.session.revision, 2)
  })

  it("a lost node's waiting turns are queued again, and its running turns fail with a reason", () => {
    const heir: Command = { _tag: "Take", node: "b", from: "a" }
    const given = run(take, heir)
    assert.deepStrictEqual(standing(given), ["1 dispatching"])
    assert.deepStrictEqual([given.turns[0]?.attempt, given.session.lease?.token], [2, 3])
    const ran = Result.getOrThrow(decide(run(take, started, queue("2")), heir, 1000))
    assert.deepStrictEqual(
      ran.turns.map(({ failure, id, status }) => [id, status, failure]),
      [
        ["1", "failed", "node_lost"],
        ["2", "dispatching", null]
      ]
    )
    assert.strictEqual(refusal(after(run(take, started, queue("2")), ran), started), "LeaseLost")
  })

  it("a lost node's turn continues under a new lease if its agent can resume", () => {
    const state = run(take, started, { _tag: "Take", node: "b", from: "a", resumes: () => true })
    assert.deepStrictEqual(standing(state), ["1 running"])
    assert.deepStrictEqual(state.session.lease, { node: "b", token: 4, turnId: "1" })
  })

  it("a closing node returns turns that haven't started, and cancels none", () => {
    const back: Command = { _tag: "GiveBack", token: 2 }
    assert.deepStrictEqual(standing(run(take, queue("2"), back)), ["1 queued", "2 queued"])
    const ran = Result.getOrThrow(decide(run(take, started), back, 1000))
    assert.deepStrictEqual([ran.turn?.status, ran.turn?.failure], ["failed", "node_closed"])
    const resumed = run(take, started, { ...back, resumes: () => true })
    assert.deepStrictEqual([standing(resumed), resumed.session.lease], [["1 running"], null])
  })

  it("a session is stopped as idle only after being idle for long enough", () => {
    const stopIdle = (since_ms: number): Command => ({ _tag: "StopIdle", since_ms })
    for (const busy of [run(), run(take), run(take, started), run(take, { _tag: "Cancel", turnId: "1" })]) {
      assert.isNull(busy.session.idleSince_ms)
      assert.strictEqual(refusal(busy, stopIdle(1e12)), "Busy")
    }
    const idle = run(take, started, letGo)
    assert.strictEqual(idle.session.idleSince_ms, 1000)
    assert.strictEqual(refusal(idle, stopIdle(999)), "Busy")
    // a change that gives it nothing to do does not count
    const shared = after(idle, Result.getOrThrow(decide(idle, { _tag: "Share" }, 5000)))
    assert.strictEqual(shared.session.idleSince_ms, 1000)
    const stopped = after(shared, Result.getOrThrow(decide(shared, stopIdle(1000), 9000)))
    assert.deepStrictEqual([stopped.session.status, stopped.session.idleSince_ms], ["stopped", null])
    assert.strictEqual(refusal(run(take, started, letGo, queue("2")), stopIdle(1e12)), "Busy")
  })

  it("a finished turn can't be cancelled, and a stopped session refuses further commands", () => {
    const stopped = run(take, started, { _tag: "Stop" })
    assert.strictEqual(refusal(stopped, { _tag: "Cancel", turnId: "1" }), "Over")
    assert.strictEqual(refusal(stopped, { _tag: "Cancel", turnId: "x" }), "Over")
    assert.strictEqual(refusal(stopped, queue("2")), "Stopped")
  })

  it("a session without a turn is idle until its first turn", () => {
    const { events, session } = opened(records.session)
    assert.deepStrictEqual(
      [session.idleSince_ms, session.turnCount, events.map(({ of, to }) => [of, to])],
      [records.session.createdAt_ms, 0, [["session", "active"]]]
    )
    const queued = Result.getOrThrow(decide({ session, turns: [] }, queue("1"), 1000))
    assert.deepStrictEqual([queued.turn?.seq, queued.session.turnCount, queued.session.idleSince_ms], [1, 1, null])
  })

  const upTo = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))

  const kinds = [
    "Queue",
    "Queue",
    "Cancel",
    "Stop",
    "Share",
    "Take",
    "Take",
    "Lost",
    "Started",
    "Started",
    "Completed",
    "Failed",
    "Used",
    "Step",
    "Checkpoint",
    "LetGo",
    "GiveBack"
  ] as const

  /** A command of any kind: with the lease's token, or an older one. */
  const Any = Schema.Struct({
    does: Schema.Literals(kinds),
    which: upTo(4),
    by: Schema.Literals(["a", "b"]),
    flag: Schema.Boolean,
    late: upTo(9)
  })

  const commandOf = (state: SessionState, { by, does, flag, late, which }: typeof Any.Type, id: string): Command => {
    const token = (state.session.lease?.token ?? 1) - (late === 0 ? 1 : 0)
    const resumes = () => flag
    const report = { _tag: "Report", token, leaves: flag, goesOn: late < 8 } as const
    switch (does) {
      case "Queue":
        return queue(id, flag)
      case "Cancel":
        return { _tag: "Cancel", turnId: state.turns[which]?.id ?? "x" }
      case "Stop":
        // seldom, as nothing happens afterwards
        return late < 3 ? { _tag: "Stop" } : { _tag: "Share" }
      case "Share":
        return { _tag: "Share" }
      case "Take":
        return { _tag: "Take", node: by }
      case "Lost":
        return { _tag: "Take", node: by, from: by === "a" ? "b" : "a", resumes }
      case "Started":
        return { ...report, event: { _tag: "Started", ...(late === 5 ? { settings: { keepAlive: false } } : {}) } }
      case "Completed":
        return { ...report, event: { _tag: "Completed", report: { output: "done", cost: `0.0${which}` } } }
      case "Failed":
        return { ...report, event: { _tag: "Failed", error: "broken" } }
      case "Used":
        return {
          _tag: "Progress",
          token,
          progress: { used: { cost: `0.0${late}`, tokens: { input: late, output: 1 } } }
        }
      case "Step":
        return { _tag: "Progress", token, progress: { step: { summary: "s", address: null, picture: null } } }
      case "Checkpoint":
        return { _tag: "Progress", token, progress: { checkpoint: which } }
      case "LetGo":
        return { _tag: "LetGo", token, ending: { _tag: "Failed", error: "silent" }, goesOn: late < 8 }
      case "GiveBack":
        return { _tag: "GiveBack", token, resumes }
    }
  }

  it.prop(
    "any sequence of commands runs one turn at a time, loses none, changes no finished turn and never lowers a cost",
    [Schema.Array(Any).check(Schema.isMinLength(10), Schema.isMaxLength(80))],
    ([commands]) => {
      let state = fresh
      const all = new Map<string, Turn>([[made.turn.id, made.turn]])
      const tokens: Array<number> = []
      for (const [index, any] of commands.entries()) {
        const command = commandOf(state, any, `t${index}`)
        const decided = decide(state, command, index)
        assert.deepStrictEqual(decide(state, command, index), decided)
        if (Result.isFailure(decided)) continue
        const { changed, events, session, turns, turnSteps } = decided.success
        assert.strictEqual(session.revision, state.session.revision + (changed ? 1 : 0))
        if (!changed) assert.deepStrictEqual([turns.length, events.length, turnSteps.length], [0, 0, 0])
        // each event starts where the one before ended, and the last says what is written
        const told = new Map<string, string | null>()
        for (const { from, id, of, to } of events) {
          if (of !== "turn") continue
          assert.strictEqual(from, told.get(id) ?? all.get(id)?.status ?? null)
          told.set(id, to)
        }
        for (const { id, status } of turns) assert.strictEqual(told.get(id) ?? all.get(id)?.status, status)
        for (const each of turns) {
          const before = all.get(each.id)
          if (before !== undefined && isTerminal(before.status)) assert.strictEqual(each.status, before.status)
          if (before !== undefined) {
            assert.isFalse(before.cost !== null && Decimal.isMore(before.cost, each.cost ?? "0"))
            assert.isAtLeast(each.tokens?.input ?? 0, before.tokens?.input ?? 0)
            assert.isAtLeast(each.steps, before.steps)
            assert.strictEqual(each.seq, before.seq)
          }
          all.set(each.id, each)
        }
        state = after(state, decided.success)
        const open = [...all.values()].filter(({ status }) => !isTerminal(status))
        assert.sameMembers(
          state.turns.filter(({ status }) => !isTerminal(status)).map(({ id }) => id),
          open.map(({ id }) => id)
        )
        assert.isAtMost(open.filter(({ status }) => status !== "queued").length, 1)
        assert.isTrue(state.session.status === "active" || open.length === 0)
        const { lease } = state.session
        if (lease !== null && lease.token !== tokens.at(-1)) {
          assert.strictEqual(lease.token, state.session.revision)
          tokens.push(lease.token)
        }
        // what is dispatching belongs to a node
        assert.isTrue(open.every(({ id, status }) => status !== "dispatching" || lease?.turnId === id))
      }
      assert.deepStrictEqual(
        tokens,
        tokens.toSorted((left, right) => left - right)
      )
      assert.strictEqual(new Set([...all.values()].map(({ seq }) => seq)).size, all.size)
    },
    { arbitrary: { seed: 1, runs: 400 } }
  )
})
