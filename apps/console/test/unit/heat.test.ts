import { assert, describe, it } from "@effect/vitest"
import { choiceOf, textOf } from "../../src/harness/nights/filters.ts"
import { chosen, described, drawn, heatOf, legendOf, titleOf } from "../../src/harness/nights/heat.ts"
import { headsOf } from "../../src/harness/nights/heads.ts"
import { measured } from "../../src/harness/nights/measure.ts"
import { inView, moved, nearView, offsetFor, within } from "../../src/harness/nights/windowing.ts"
import { costOf } from "../../src/harness/nights/title.ts"
import { wholeLinesOf } from "../../src/harness/nights/whole.ts"
import { makeWorld } from "../harness/World.ts"
import { nameOf } from "../harness/world/Facts.ts"
import { startOf } from "../../src/harness/state/start.ts"

const { map } = makeWorld({ scenarios: 40, nights: 30 })
const heat = heatOf(map)
const all = { text: "", tag: "", owner: "", isRedOnly: false }
const titles = (filters: Partial<typeof all>, order: "tonight" | "name" = "tonight") =>
  chosen(heat, { ...all, ...filters }, order).map(({ of }) => titleOf(of))

describe("the heat map", () => {
  it("starts with the newest night, and with tonight's worst scenario", () => {
    assert.isAbove(Date.parse(heat.nights[0]?.of.startedAt ?? ""), Date.parse(heat.nights[1]?.of.startedAt ?? ""))
    // a false success is worse than a failure, and a leak is worse than a flaky scenario
    assert.deepStrictEqual(
      titles({}).slice(0, 3),
      [4, 2, 5].map((n) => titleOf(nameOf(n)))
    )
  })

  it("filters by words of the name, by tag, by owner and by scenarios that didn't pass tonight", () => {
    assert.deepStrictEqual(
      titles({ isRedOnly: true }),
      [4, 2, 5].map((n) => titleOf(nameOf(n)))
    )
    assert.deepStrictEqual(
      titles({ text: "BANK card" }),
      titles({}).filter((title) => /bank.*card/u.test(title))
    )
    assert.isTrue(chosen(heat, { ...all, tag: "smoke" }, "name").every(({ of }) => of.tags.includes("smoke")))
    assert.isTrue(chosen(heat, { ...all, owner: "search" }, "name").every(({ of }) => of.owner === "search"))
    assert.deepStrictEqual(titles({}, "name"), titles({}, "name").toSorted())
  })

  it("distinguishes states without colors, and names each", () => {
    const [tonight] = heat.nights
    if (tonight === undefined) return assert.fail()
    const of = (n: number) => {
      const line = heat.lines[n]
      return line === undefined ? assert.fail() : [drawn(line, tonight).text, described(line, tonight)]
    }
    assert.deepStrictEqual(of(0), ["✓", "5 of 5 trials passed"])
    assert.deepStrictEqual(of(2), ["✗", "0 of 5 trials passed"])
    assert.deepStrictEqual(of(4), ["!", "false success, 0 of 5 trials passed"])
    assert.deepStrictEqual(of(5), ["L", "5 of 5 trials passed, leaked a browser"])
    // as a night stores it: the leak alone fails the scenario
    const night = { ...tonight, of: { ...tonight.of, cells: "f".repeat(tonight.of.cells.length) } }
    const [line] = heat.lines.slice(5)
    assert.strictEqual(line && drawn(line, night).text, "L")
    const symbols = legendOf(heat).map(({ text }) => text)
    assert.lengthOf(new Set(symbols), symbols.length)
  })

  it("names the month where one begins, and the status of each night", () => {
    const heads = headsOf(heat)
    assert.deepStrictEqual([heads[0]?.month, heads[0]?.day, heads[0]?.letter], ["Nov", "27", "✗"])
    assert.deepStrictEqual(
      heads.filter(({ month }) => month !== "").map(({ month }) => month),
      ["Nov", "Oct"]
    )
  })

  it("marks the part of a night's cost that its extra trials used", () => {
    const [night] = heat.nights
    if (night === undefined) return assert.fail()
    const of = {
      ...night.of,
      target: "simulated",
      cost_usd: "0.54",
      planned: { ...night.of.planned, cost_usd: "0.34" }
    }
    assert.strictEqual(costOf({ ...night, of }), "0.5400 USD simulated, 0.2000 USD to confirm")
    assert.strictEqual(costOf({ ...night, of: { ...of, target: "staging", cost_usd: "0.34" } }), "0.3400 USD")
  })

  it("keeps its selection in the address", () => {
    const choice = {
      filters: { text: "a b", tag: "smoke", owner: "search", isRedOnly: true },
      order: "name",
      show: "cost",
      compared: ["a1", "a2"]
    } as const
    assert.deepStrictEqual(choiceOf(textOf(choice)), choice)
    assert.strictEqual(textOf(choiceOf("?order=sideways&show=none&compare=")), "")
  })
})

describe("the cells of a figure", () => {
  const [line] = heat.lines
  const [night, before] = heat.nights
  if (line === undefined || night === undefined || before === undefined) throw new Error("The map is empty")
  const viewOf = (now: number) =>
    measured("duration", {
      nights: map.nights.map(({ id }) => id),
      rows: [[...map.nights.slice(1).map(() => 1000), now]]
    })

  it("are multiples of the scenario's median, in steps that color and text distinguish", () => {
    const cells = [500, 1000, 1500, 2000, 12_000].map((now) => viewOf(now).drawn(line, night))
    assert.deepStrictEqual(cells, [
      { text: "×0.5", look: "ok" },
      { text: "·", look: "still" },
      { text: "×1.5", look: "warn" },
      { text: "×2.0", look: "bad" },
      { text: "×12", look: "bad" }
    ])
    assert.match(viewOf(2000).described(line, night), /2\.0 times the median of 1/u)
  })

  it("are empty without measurements, and for a night that the figures lack", () => {
    assert.deepStrictEqual(viewOf(0).drawn(line, night), { text: "", look: "none" })
    assert.strictEqual(viewOf(0).described(line, night), "not measured")
    const other = measured("cost", { nights: ["f00"], rows: [[1]] })
    assert.strictEqual(other.drawn(line, before).text, "")
    assert.strictEqual(
      measured("cost", { nights: map.nights.map(({ id }) => id), rows: [[]] }).drawn(line, night).text,
      ""
    )
  })
})

describe("a whole night's cost", () => {
  it("fails only if the judge found a regression, neither within the usual variation nor because of extra trials", () => {
    const night = (cost: string, regressed: ReadonlyArray<"cost"> = [], extra = 0) => {
      const [one] = heat.nights
      if (one === undefined) return assert.fail()
      const { planned } = one.of
      const cost_usd = String(Number(cost) + extra)
      const of = { ...one.of, partial: null, regressed, cost_usd, planned: { ...planned, cost_usd: cost } }
      return { ...one, of }
    }
    const usual = ["1", "1", "1", "1", "1"].map((cost) => night(cost))
    const tonight = [night("1.2"), night("1.4"), night("1.6"), night("1.2", ["cost"]), night("1", [], 5)]
    const lines = wholeLinesOf({ ...heat, nights: [...usual, ...tonight] })
    const cost = lines.find(({ whole }) => whole === "cost")
    assert.deepStrictEqual(
      tonight.map((one) => cost?.drawn(one).look),
      ["still", "still", "warn", "bad", "still"]
    )
  })
})

describe("a grid's window", () => {
  it("has the items in view, if there are any", () => {
    assert.deepStrictEqual(inView(100, 100, 20), { first: 5, end: 10 })
    assert.deepStrictEqual(within(inView(110, 100, 20), 9), { first: 5, end: 9 })
    assert.deepStrictEqual(within(inView(110, 100, 20), 3), { first: 3, end: 3 })
  })

  it("has a few more headers around those in view, so that a small scroll changes nothing", () => {
    assert.deepStrictEqual(nearView(0, 160, 20), { first: 0, end: 8 })
    assert.deepStrictEqual(nearView(500, 160, 20), { first: 24, end: 40 })
    assert.deepStrictEqual(nearView(620, 160, 20), nearView(500, 160, 20))
  })

  it("scrolls no further than an item needs", () => {
    assert.strictEqual(offsetFor(3, 0, 100, 20), 0)
    assert.strictEqual(offsetFor(7, 0, 100, 20), 60)
    assert.strictEqual(offsetFor(1, 60, 100, 20), 20)
  })

  it("moves to the headers with keys, and never outside", () => {
    const bounds = { rows: 10, columns: 5, page: 4 }
    const at = (key: string, row: number, column: number, isControl = false) =>
      moved(key, { row, column }, bounds, isControl)
    assert.deepStrictEqual(at("ArrowLeft", 0, 0), { row: 0, column: -1 })
    assert.deepStrictEqual(at("ArrowUp", 0, 0), { row: -1, column: 0 })
    assert.deepStrictEqual(at("ArrowUp", -1, 0), { row: -1, column: 0 })
    assert.deepStrictEqual(at("PageDown", 8, 1), { row: 9, column: 1 })
    assert.deepStrictEqual(at("End", 2, 1, true), { row: 9, column: 4 })
    assert.isUndefined(at("x", 2, 1))
  })
})

describe("a night's start", () => {
  it("has seconds if another night started in the same minute", () => {
    const nights = ["2026-11-30T03:00:05.000Z", "2026-11-30T03:00:41.000Z", "2026-11-29T03:00:05.000Z"].map(
      (startedAt) => ({ startedAt })
    )
    assert.deepStrictEqual(
      nights.map((night) => startOf(night, nights)),
      ["2026-11-30 03:00:05", "2026-11-30 03:00:41", "2026-11-29 03:00"]
    )
  })
})
