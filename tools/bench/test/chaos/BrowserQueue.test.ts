import { assert, describe, it } from "vitest"
import { Browser, type StoredEvent, Turn } from "@webagent/engine"
import { brokenQueue, type QueueEvidence, type Room, unclaimed } from "../../src/chaos/BrowserQueue.ts"
import type { Disturbances } from "../../src/chaos/DisturbedTimes.ts"
import type { LooseCreate } from "../../src/chaos/Waits.ts"
import { keptSignIns, type Visit } from "../../src/chaos/Profiles.ts"

const room: Room = { most: 2, mostPerKey: () => 1, limited: new Set(["cat"]), visible_ms: 1000 }

const calm: Disturbances = { hits: [], outages: [] }

/** The browser of a waiting run as `id owner arrived placed stopped`, in seconds; without `stopped`, it runs. */
const browserOf = (text: string, fields: Partial<Browser.Browser> = {}) => {
  const [id = "", owner = "", arrived, placed, stopped] = text.split(" ")
  const browser: Browser.Browser = {
    ...Browser.make({ id, owner, node: "n1.x", proxyCountryCode: null, startedAt_ms: Number(arrived) * 1000 }),
    sessionId: `s-${id}`,
    status: stopped === undefined ? "active" : "stopped",
    ...fields
  }
  const eventOf = (to: string, at: string | undefined): ReadonlyArray<StoredEvent["event"]> =>
    at === undefined ? [] : [{ at_ms: Number(at) * 1000, of: "browser", id, sessionId: null, owner, from: null, to }]
  const waits: StoredEvent["event"] = {
    at_ms: Number(arrived) * 1000,
    of: "turn",
    id: `t-${id}`,
    sessionId: browser.sessionId,
    owner,
    from: "dispatching",
    to: "dispatching",
    browserQueue: { position: 1, reason: "browsers" }
  }
  return { browser, events: [waits, ...eventOf("active", placed), ...eventOf("stopped", stopped)] }
}

const evidenceOf = (
  all: ReadonlyArray<ReturnType<typeof browserOf>>,
  further: Partial<QueueEvidence> = {}
): QueueEvidence => ({
  browsers: all.map(({ browser }) => browser),
  events: all.flatMap(({ events }) => events).map((event, index): StoredEvent => ({ cursor: index + 1, event })),
  turns: [],
  creates: [],
  starting: new Map(),
  ...further
})

const broken = (evidence: QueueEvidence, disturbances = calm) => brokenQueue(evidence, room, disturbances).join("\n")

const brokenBy = (...all: ReadonlyArray<string>) => broken(evidenceOf(all.map((text) => browserOf(text))))

const waiting = (fields: Partial<Turn.Turn>): Turn.Turn => ({
  ...Turn.make({
    id: "a",
    sessionId: "s",
    task: "t",
    model: "m",
    agentVersion: "1",
    modelParams: null,
    createdAt_ms: 0,
    owner: null
  }),
  status: "failed",
  node: "n1.x",
  attempt: 1,
  dispatchedAt_ms: 0,
  failure: "no_browser",
  queueTimeout_ms: 2000,
  browserQueue: { position: 1, reason: "browsers", since_ms: 1000, until_ms: 3000 },
  ...fields
})

describe("the oracle of the browser queue", () => {
  it("accepts launches of a key in their order, and keys in turns", () => {
    const right = ["a1 ann 0 0 5", "b1 bob 1 1 6", "a2 ann 2 5 9", "b2 bob 2 6 10", "a3 ann 3 9", "b3 bob 3 10"]
    assert.strictEqual(brokenBy(...right), "")
  })

  const overtaken = ["a1 ann 0 0 5", "a2 ann 1 9 20", "a3 ann 3 5 9"].map((text) => browserOf(text))

  it("detects a launch that overtakes one of its key, unless the record of that one may be late", () => {
    assert.match(
      broken(evidenceOf(overtaken)),
      /browser a3 of ann got a place .* 4000 ms before a2, which waited 2000 ms before it came/u
    )
    const during = (from_ms: number, until_ms: number) =>
      broken(evidenceOf(overtaken), { hits: [], outages: [{ from_ms, until_ms }] })
    assert.strictEqual(during(4500, 7000), "")
    assert.strictEqual(during(500, 1000), "")
    assert.match(during(6500, 8000), /a3 .* 1500 ms before a2/u)
    const frozen = (at_ms: number, name: string) =>
      broken(evidenceOf(overtaken), { hits: [{ at_ms, thawedAt_ms: at_ms + 1000, name }], outages: [] })
    assert.strictEqual(frozen(5500, "n1"), "")
    assert.match(frozen(5500, "n2"), /a3/u)
  })

  it("detects a launch that overtakes one of its key which waits on after a freeze or an outage", () => {
    const evidence = evidenceOf(["a1 ann 0 0 15", "a2 ann 1 30", "a3 ann 3 15"].map((text) => browserOf(text)))
    assert.match(broken(evidence, { hits: [], outages: [{ from_ms: 5000, until_ms: 6000 }] }), /a3 .* before a2/u)
    const freeze = { at_ms: 5000, thawedAt_ms: 6000, name: "n1" }
    assert.match(broken(evidence, { hits: [freeze], outages: [] }), /a3 .* before a2/u)
  })

  it("detects a run without a browser that was passed over until its deadline", () => {
    const { browser, events } = browserOf("a2 ann 1")
    const waits = { position: 1, reason: "browsers", since_ms: 1000, until_ms: 9000 } as const
    const times = { dispatchedAt_ms: 1000, finishedAt_ms: 9100, queueTimeout_ms: 8000, browserQueue: waits }
    const run = waiting({ id: "t-a2", owner: "ann", sessionId: browser.sessionId ?? "", ...times })
    const of = (all: ReadonlyArray<string>, disturbances = calm) => {
      const evidence = evidenceOf(
        all.map((text) => browserOf(text)),
        { turns: [run] }
      )
      const further = events.map((event, index): StoredEvent => ({ cursor: 100 + index, event }))
      return broken({ ...evidence, events: [...evidence.events, ...further] }, disturbances)
    }
    assert.strictEqual(of(["a1 ann 0 0 5", "a3 ann 3 8.5"]), "")
    assert.match(of(["a1 ann 0 0 5", "a3 ann 3 5"]), /a3 of ann got a place .* 4000 ms before t-a2 gave up/u)
    assert.match(of(["b1 bob 0 3 4", "b2 bob 0 4 5", "b3 bob 0 5 6"]), /bob got 3 places at n1\.x while t-a2 of ann/u)
    // the run may have lost its place in an outage, and waited again
    assert.strictEqual(of(["a3 ann 3 5"], { hits: [], outages: [{ from_ms: 1500, until_ms: 2000 }] }), "")
  })

  it("detects creates that are overtaken, whether they got a browser or not", () => {
    const of = (fields: object, text: string, isStored: boolean) => {
      const create = { ...browserOf("c ann 1 9 20").browser, sessionId: null, ...fields }
      const seen = { id: "c", owner: "ann", node: "n1.x", arrived_ms: 1000, firstSeen_ms: 1200, lastSeen_ms: 9000 }
      const placed = browserOf("c ann 1 9 20").events.filter(({ of }) => of === "browser")
      const next = browserOf(text)
      const all = [next, ...(isStored ? [{ browser: create, events: placed }] : [])]
      return broken(evidenceOf(all, { starting: new Map([["c", seen]]) }))
    }
    assert.match(of({}, "a3 ann 3 5 9", true), /a3 of ann got a place .* 4000 ms before c, which waited 800 ms/u)
    assert.match(of({}, "a3 ann 3 5 9", false), /a3 of ann got a place .* 4000 ms before c gave up/u)
    // a busy node may not know yet that its record is stored
    assert.strictEqual(of({}, "a3 ann 2 5 9", true), "")
    assert.strictEqual(of({}, "a3 ann 3 8.5 9", false), "")
    assert.strictEqual(of({ node: "n2.x" }, "a3 ann 3 5 9", true), "")
  })

  it("detects a key that gets more than its turns while another one waits", () => {
    const ann = ["a1 ann 0 0 3", "a2 ann 0 3 6", "a3 ann 0 6 9", "a4 ann 0 9 12", "a5 ann 0 12 15"]
    assert.match(brokenBy(...ann, "b1 bob 1 15"), /ann got 4 places at n1\.x while b1 of bob waited/u)
    // its key has as many as it may have until 8 s
    assert.strictEqual(brokenBy(...ann, "b0 bob 0 0 8", "b1 bob 1 13"), "")
    assert.match(brokenBy(...ann, "c0 cat 0 0 8", "c1 cat 1 15"), /ann got 4 places .* while c1 of cat waited/u)
    // only the time after the outage counts
    const all = evidenceOf([...ann, "b1 bob 1 15"].map((text) => browserOf(text)))
    const outage = (from_ms: number, until_ms: number) => broken(all, { hits: [], outages: [{ from_ms, until_ms }] })
    assert.match(outage(1500, 2000), /ann got 2 places at n1\.x while b1 of bob waited for its turn, from 00:00:05/u)
    assert.strictEqual(outage(1500, 6000), "")
    const frozen = (name: string) => broken(all, { hits: [{ at_ms: 2000, thawedAt_ms: 9000, name }], outages: [] })
    assert.strictEqual(frozen("n1"), "")
    assert.match(frozen("n2"), /ann got 2 places at n1\.x while b1 of bob waited for its turn, from 00:00:05/u)
  })

  it("detects two browsers of a session at a node", () => {
    const of = (text: string) => browserOf(text, { sessionId: "s" })
    assert.strictEqual(broken(evidenceOf([of("x ann 0 0 5"), of("y ann 5 6")])), "")
    assert.match(broken(evidenceOf([of("x ann 0 0 5"), of("y ann 3 4")])), /session s got browser y while it had x/u)
  })

  it("detects runs that fail before their deadline, or wait for longer", () => {
    const of = (fields: Partial<Turn.Turn>) => broken(evidenceOf([], { turns: [waiting(fields)] }))
    assert.strictEqual(of({ finishedAt_ms: 3100 }), "")
    assert.match(of({ finishedAt_ms: 2900 }), /run a failed 1900 ms after it began to wait for 2000 ms/u)
    const error = (time: string) => of({ finishedAt_ms: 4000, error: `Full. The run waited ${time} for a browser` })
    assert.strictEqual(error("2s"), "")
    assert.match(error("900ms"), /run a failed 3000 ms after it began to wait for 2000 ms: Full/u)
    assert.match(of({ finishedAt_ms: 20_000 }), /run a waited for a browser until 17000 ms after its deadline/u)
    assert.match(of({ status: "completed", failure: null, startedAt_ms: 20_000 }), /until 17000 ms after/u)
    assert.strictEqual(of({ finishedAt_ms: 20_000, attempt: 2 }), "")
    const late = evidenceOf([], { turns: [waiting({ finishedAt_ms: 20_000 })] })
    const frozen = (at_ms: number, thawedAt_ms: number) =>
      broken(late, { hits: [{ at_ms, thawedAt_ms, name: "n1" }], outages: [] })
    assert.strictEqual(frozen(2500, 13_000), "")
    assert.match(frozen(2500, 6000), /run a waited for a browser until 17000 ms after its deadline/u)
  })

  describe("of a create that fails", () => {
    const create = { tag: "1", sentAt_ms: 1000, failedAt_ms: 3000, failure: "closed" } as const
    const of = (text: string, fields: Partial<LooseCreate> = {}) => {
      const finished = text.split(" ")[4]
      const finishedAt_ms = finished === undefined ? null : Number(finished) * 1000
      const all = [browserOf(text, { metadata: { create: "1" }, finishedAt_ms })]
      return evidenceOf(all, { creates: [{ ...create, ...fields }] })
    }

    it("detects a browser that runs on although the connection closed", () => {
      const fields = { metadata: { create: "1" }, status: "stopped", stopReason: "launch_failed" } as const
      const neverPlaced = browserOf("x ann 1", { ...fields, finishedAt_ms: 9000 })
      assert.strictEqual(broken(evidenceOf([{ ...neverPlaced, events: [] }], { creates: [create] })), "")
      assert.strictEqual(broken(of("x ann 1 4 5")), "")
      const text = /browser x ran for 8000 ms although the connection of its create closed 1000 ms before it started/u
      assert.match(broken(of("x ann 1 4 12")), text)
      assert.match(
        broken(of("x ann 1 2", { failedAt_ms: Infinity, failure: null })),
        /x is active after it was stopped/u
      )
    })

    it("counts browsers that run on because the response was on its way, and detects those without one", () => {
      assert.strictEqual(broken(of("x ann 1 2.9")), "")
      assert.strictEqual(unclaimed(of("x ann 1 2.9")), 1)
      assert.strictEqual(unclaimed(of("x ann 1 2.9 4")), 0)
      assert.match(
        broken(of("x ann 1 2", { failedAt_ms: 9000 })),
        /closed without a response 7000 ms after it started/u
      )
    })

    it("detects a browser although the create was refused", () => {
      assert.strictEqual(broken(of("x ann 1", { failure: "refused" })), "")
      assert.match(
        broken(of("x ann 1 2 2.5", { failure: "refused" })),
        /x ran for 500 ms although its create was refused/u
      )
    })
  })
})

describe("sign-ins", () => {
  it("count as kept at another node, and after the end of the node that saved them", () => {
    const browsers = [
      browserOf("x ann 0 0 5").browser,
      browserOf("y ann 0 0 5", { node: "n1.y" }).browser,
      browserOf("z ann 0 0 5", { node: "n2.x" }).browser
    ]
    const visits: ReadonlyArray<Visit> = [
      { browserId: "x", at_ms: 1000, before: "", after: "ann-shop-1" },
      { browserId: "y", at_ms: 5000, before: "ann-shop-1", after: "ann-shop-2" },
      { browserId: "z", at_ms: 9000, before: "ann-shop-2", after: null }
    ]
    const kept = keptSignIns(visits, browsers, [{ at_ms: 3000, name: "n1" }])
    assert.deepStrictEqual(kept, { signedIn: 2, elsewhere: 1, afterLoss: 1 })
  })
})
