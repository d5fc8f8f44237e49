import { assert, describe, it } from "vitest"
import { Browser, Turn } from "@webagent/engine"
import {
  aboveLimit,
  aboveRoom,
  type Evidence,
  isTouched,
  sharedWriters,
  takeovers,
  twiceCreated,
  violationsOf
} from "../../src/chaos/Oracle.ts"

const turn = (id: string, fields: Partial<Turn.Turn> = {}): Turn.Turn => ({
  ...Turn.make({
    id,
    sessionId: "s",
    task: "t",
    model: "m",
    agentVersion: "1",
    modelParams: null,
    createdAt_ms: 0,
    owner: null
  }),
  status: "completed",
  ...fields
})

/** The events of turns as `id from to`, in their order. */
const events = (...moves: ReadonlyArray<string>): Evidence["events"] =>
  moves.map((move, index) => {
    const [id = "", from = "", to = ""] = move.split(" ")
    return {
      cursor: index + 1,
      event: { at_ms: index, of: "turn", id, sessionId: "s", owner: null, from: from === "-" ? null : from, to }
    }
  })

const lifeOf = (id: string) => [`${id} - queued`, `${id} queued dispatching`, `${id} dispatching running`]

const asked = (key: string, ...ids: ReadonlyArray<string>): Evidence["asked"][number] => ({
  kind: "run",
  key,
  ids: new Set(ids)
})

/** One run that is as it is to be. */
const well: Evidence = {
  asked: [asked("k1", "a")],
  events: events(...lifeOf("a"), "a running completed"),
  turns: [turn("a", { seq: 1 })],
  browsers: [],
  held: [],
  nodes: ["n1.x"],
  losses: true
}

const browser = (fields: Partial<Browser.Browser>): Browser.Browser => ({
  ...Browser.make({ id: "b", proxyCountryCode: null, startedAt_ms: 0, node: "n1.x" }),
  status: "active",
  ...fields
})

describe("the chaos oracle", () => {
  it("accepts a run that started and finished once", () => {
    assert.deepStrictEqual(violationsOf(well), [])
  })

  const two: Evidence = {
    ...well,
    asked: [asked("k1", "a"), asked("k2", "b")],
    turns: [turn("a", { seq: 1 }), turn("b", { seq: 2 })]
  }
  const cases: Readonly<Record<string, readonly [Evidence, RegExp]>> = {
    "a key that made two runs": [{ ...well, asked: [asked("k1", "a", "b")] }, /key k1 made a and b/u],
    "a missing acknowledged run": [{ ...well, asked: [...well.asked, asked("k2", "b")] }, /turn b is gone/u],
    "a run without a create": [{ ...well, asked: [] }, /run a is of no create/u],
    "a create without a response": [{ ...well, asked: [...well.asked, asked("k2")] }, /key k2 was never answered/u],
    "a run that never finishes": [
      { ...well, turns: [turn("a", { status: "running" })], events: events(...lifeOf("a")) },
      /run a is running for ever/u
    ],
    "a run that finishes twice": [
      { ...well, events: events(...lifeOf("a"), "a running completed", "a running completed") },
      /run a was completed 2 times/u
    ],
    "a run that continues after its end": [
      { ...well, events: events(...lifeOf("a"), "a running failed", "a failed completed") },
      /run a was completed after it was failed/u
    ],
    "a run that is performed twice": [
      { ...well, events: events(...lifeOf("a"), "a running queued", "a queued running", "a running completed") },
      /run a was running 2 times/u
    ],
    "a failure without a reason": [
      { ...well, turns: [turn("a", { status: "failed" })], events: events(...lifeOf("a"), "a running failed") },
      /run a failed without a reason/u
    ],
    "a lost run that should have survived": [
      {
        ...well,
        losses: false,
        turns: [turn("a", { status: "failed", failure: "node_lost", error: "lost" })],
        events: events(...lifeOf("a"), "a running failed")
      },
      /run a failed: node_lost, lost/u
    ],
    "two turns of a session at a time": [
      { ...two, events: events(...lifeOf("a"), ...lifeOf("b"), "a running completed", "b running completed") },
      /run b began while a was running/u
    ],
    "a follow-up that runs too early": [
      {
        ...two,
        events: events(
          "a - queued",
          ...lifeOf("b"),
          "b running completed",
          "a queued dispatching",
          "a dispatching running",
          "a running completed"
        )
      },
      /run b began before a, which was first/u
    ],
    "a browser of a dead node": [
      {
        ...well,
        asked: [...well.asked, { kind: "browser", key: "k2", ids: new Set(["b"]) }],
        browsers: [browser({ node: "n1.old" })]
      },
      /browser b is active at a node that is gone/u
    ],
    "a browser without a create": [{ ...well, browsers: [browser({})] }, /browser b is of no create/u],
    "a session that is leased forever": [{ ...well, held: ["s"] }, /session s is held although/u]
  }
  for (const [what, [evidence, sentence]] of Object.entries(cases)) {
    it(`detects ${what}`, () => {
      assert.match(violationsOf(evidence).join("\n"), sentence)
    })
  }

  it("lets an interrupt run before waiting messages, and a lost node's turns start again", () => {
    const turns = [turn("a", { seq: 1 }), turn("b", { seq: 2 }), turn("c", { seq: 3, ahead: true })]
    const keys = ["a", "b", "c"].map((id) => asked(`k-${id}`, id))
    const told = events(
      "a - queued",
      "a queued dispatching",
      "b - queued",
      "c - queued",
      "a dispatching queued",
      "c queued dispatching",
      "c dispatching running",
      "c running completed",
      "a queued dispatching",
      "a dispatching running",
      "a running completed",
      "b queued dispatching",
      "b dispatching running",
      "b running completed"
    )
    assert.deepStrictEqual(violationsOf({ ...well, asked: keys, turns, events: told }), [])
  })

  it("lets a run wait for a person, and fail without an answer", () => {
    const question = { id: "1", change: "waiting" } as const
    const told = events(...lifeOf("a"), "a running running", "a running failed").map(({ cursor, event }) => ({
      cursor,
      event: event.from === "running" && event.to === "running" ? { ...event, question } : event
    }))
    const evidence = {
      ...well,
      losses: false,
      events: told,
      turns: [turn("a", { seq: 1, status: "failed", failure: "unanswered", error: "No person answered" })]
    }
    assert.deepStrictEqual(violationsOf({ ...evidence, mayFail: new Map([["a", "unanswered"]]) }), [])
    assert.match(violationsOf(evidence).join("\n"), /run a failed: unanswered/u)
  })
})

describe("a key's limit", () => {
  it("is exceeded by a moment with more open records", () => {
    const peaks = new Map([["runs bob", 3]])
    assert.deepStrictEqual(aboveLimit(peaks, { of: "runs", owner: "bob", most: 3 }), [])
    assert.deepStrictEqual(aboveLimit(peaks, { of: "browsers", owner: "bob", most: 0 }), [])
    assert.deepStrictEqual(aboveLimit(peaks, { of: "runs", owner: "bob", most: 2 }), [
      "bob had 3 runs at once, and may have 2"
    ])
  })
})

describe("a profile's writers", () => {
  const profile = { id: "p", mode: "write" } as const
  const all = [
    browser({ id: "x", profile }),
    browser({ id: "y", profile }),
    browser({ id: "z", profile: { ...profile, mode: "read" } })
  ]
  const told = (...moves: ReadonlyArray<string>) =>
    events(...moves).map(({ cursor, event }) => ({ cursor, event: { ...event, of: "browser" as const } }))

  it("are one after the other", () => {
    const right = told("x - starting", "z - starting", "x active stopped", "y - starting", "y active stopped")
    assert.deepStrictEqual(sharedWriters(all, right), [])
    assert.deepStrictEqual(sharedWriters(all, told("x - starting", "y - starting", "x active stopped")), [
      "browser y writes to profile p, as x does"
    ])
  })
})

describe("a takeover", () => {
  it("lasts from a node's loss until another one finishes the turn or starts it again", () => {
    const told = events(...lifeOf("a"), "a running failed", ...lifeOf("b"), "b running completed")
    assert.deepStrictEqual(
      takeovers(
        [
          { at_ms: 2, turns: ["a"] },
          { at_ms: 6, turns: ["b", "c"] }
        ],
        told
      ),
      [1]
    )
  })
})

describe("a run that finished with its node", () => {
  const run = turn("a", { status: "failed", failure: "node_lost", dispatchedAt_ms: 10, finishedAt_ms: 20 })

  it("counts as affected if the node was killed or frozen while it had the run", () => {
    const touched = [
      { at_ms: 15, name: "n1" },
      { at_ms: 9, name: "n1" },
      { at_ms: 21, name: "n1" },
      { at_ms: 15, name: "n2" }
    ].map((hit) => isTouched(run, "n1.start", [hit]))
    assert.deepStrictEqual(touched, [true, false, false, false])
  })

  it("doesn't count if its node is unknown", () => {
    assert.isFalse(isTouched(run, undefined, [{ at_ms: 15, name: "n1" }]))
  })
})

describe("the browsers of a create with a key", () => {
  const active = (id: string): Evidence["events"][number] => ({
    cursor: 1,
    event: { at_ms: 0, of: "browser", id, sessionId: null, owner: null, from: null, to: "active" }
  })
  const browsers = ["b1", "b2"].map((id) => browser({ id, metadata: { key: "k" } }))

  it("are one, besides those that never ran", () => {
    assert.deepStrictEqual(twiceCreated(browsers, [active("b2")]), [])
    const others = ["b1", "b2"].map((id) => browser({ id }))
    assert.deepStrictEqual(twiceCreated(others, [active("b1"), active("b2")]), [])
    assert.deepStrictEqual(twiceCreated(browsers, [active("b1"), active("b2")]), ["browsers b1 and b2 ran for key k"])
  })
})

describe("the room of a node", () => {
  const move = (text: string): Evidence["events"][number] => {
    const [id = "", to = "", at_ms] = text.split(" ")
    return {
      cursor: 1,
      event: { at_ms: Number(at_ms), of: "browser", id, sessionId: null, owner: null, from: null, to }
    }
  }
  const brokenBy = (
    hits: Parameters<typeof aboveRoom>[3],
    moves: ReadonlyArray<string>,
    stopReason: Browser.Browser["stopReason"] = null,
    expiresAt_ms: number | null = null
  ) => aboveRoom([browser({ id: "b1", stopReason, expiresAt_ms }), browser({ id: "b2" })], moves.map(move), 1, hits)
  const moves = ["b1 active 1", "b2 active 5"]
  const broken = ["browser b2 is number 2 of n1.x, which has 1"]
  const freeze = { name: "n1", at_ms: 3, thawedAt_ms: 4 }

  it("is for the browsers that it has at once", () => {
    assert.deepStrictEqual(brokenBy([], ["b1 active 1", "b1 stopped 3", "b2 active 5"]), [])
    assert.deepStrictEqual(brokenBy([], moves), broken)
  })

  it("excludes browsers that were lost in a freeze of the node, even if that is stored later", () => {
    assert.deepStrictEqual(brokenBy([freeze], [...moves, "b1 stopped 6"], "node_lost"), [])
    assert.deepStrictEqual(brokenBy([{ ...freeze, name: "n2" }], [...moves, "b1 stopped 6"], "node_lost"), broken)
    assert.deepStrictEqual(brokenBy([{ name: "n1", at_ms: 3 }], [...moves, "b1 stopped 6"], "node_lost"), broken)
  })

  it("excludes browsers whose time is over, even if that is stored later", () => {
    assert.deepStrictEqual(brokenBy([], [...moves, "b1 stopped 6"], "expired", 4), [])
    assert.deepStrictEqual(brokenBy([], [...moves, "b1 stopped 8"], "expired", 7), broken)
    assert.deepStrictEqual(brokenBy([], moves, null, 4), broken)
  })

  it("includes browsers that ran on after a freeze of the node", () => {
    assert.deepStrictEqual(brokenBy([freeze], moves), broken)
    assert.deepStrictEqual(brokenBy([freeze], [...moves, "b1 stopped 6"], "asked"), broken)
  })
})
