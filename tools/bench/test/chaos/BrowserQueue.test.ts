import { assert, describe, it } from "vitest"
import { Browser, type StoredEvent, Turn } from "@webagent/engine"
import { brokenQueue, type Disturbances, type QueueEvidence, type Room } from "../../src/chaos/BrowserQueue.ts"
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

  it("detects a launch that overtakes one of its key, unless an outage delayed that", () => {
    const overtaken = ["a1 ann 0 0 5", "a2 ann 1 9 20", "a3 ann 3 5 9"]
    assert.match(
      brokenBy(...overtaken),
      /browser a3 of ann got a place .* 4000 ms before a2, which waited 2000 ms before it came/u
    )
    const evidence = evidenceOf(overtaken.map((text) => browserOf(text)))
    assert.strictEqual(broken(evidence, { hits: [], outages: [{ from_ms: 2000, until_ms: 2500 }] }), "")
    assert.strictEqual(broken(evidence, { hits: [{ at_ms: 4000, name: "n1" }], outages: [] }), "")
    assert.match(broken(evidence, { hits: [{ at_ms: 4000, name: "n2" }], outages: [] }), /a3/u)
  })

  it("detects a key that gets more than its turns while another one waits", () => {
    const ann = ["a1 ann 0 0 3", "a2 ann 0 3 6", "a3 ann 0 6 9", "a4 ann 0 9 12", "a5 ann 0 12 15"]
    assert.match(brokenBy(...ann, "b1 bob 1 15"), /ann got 4 places at n1\.x while browser b1 of bob waited/u)
    // its key has as many as it may have until 8 s
    assert.strictEqual(brokenBy(...ann, "b0 bob 0 0 8", "b1 bob 1 13"), "")
    assert.match(brokenBy(...ann, "c0 cat 0 0 8", "c1 cat 1 15"), /ann got 4 places .* while browser c1 of cat waited/u)
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
  })

  it("detects a browser that runs on although the connection of its create closed", () => {
    const create = { tag: "1", sentAt_ms: 1000, closedAt_ms: 3000 }
    const fields = { metadata: { create: "1" }, status: "stopped", stopReason: "launch_failed" } as const
    const neverPlaced = browserOf("x ann 1", { ...fields, finishedAt_ms: 9000 })
    const of = (text: string, closedAt_ms: number | null = create.closedAt_ms) => {
      const finished = text.split(" ")[4]
      const finishedAt_ms = finished === undefined ? null : Number(finished) * 1000
      const all = [browserOf(text, { metadata: { create: "1" }, finishedAt_ms })]
      return broken(evidenceOf(all, { creates: [{ ...create, closedAt_ms }] }))
    }
    assert.strictEqual(of("x ann 1 4 5"), "")
    assert.strictEqual(broken(evidenceOf([{ ...neverPlaced, events: [] }], { creates: [create] })), "")
    assert.match(of("x ann 1 4 12"), /browser x ran for 8000 ms although the connection of its create closed/u)
    // the response was on its way
    assert.strictEqual(of("x ann 1 2.9"), "")
    assert.match(of("x ann 1 2", null), /browser x is active after it was stopped/u)
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
