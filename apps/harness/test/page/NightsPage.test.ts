import { assert, describe, it } from "@effect/vitest"
import type { Night, NightScenario } from "@webagent/nights/Night"
import * as NightsPage from "../../src/page/NightsPage.ts"
import { greenNight, linkOf, monthBefore } from "./stories.ts"

/** Six nights of three scenarios, all of whose five trials passed. */
const calm: ReadonlyArray<Night> = monthBefore(greenNight(3), 6).map((night) => ({
  ...night,
  status: "passed",
  findings: [],
  scenarios: night.scenarios.map((one) => ({
    ...one,
    verdict: "passed",
    passed: 5,
    scored: 5,
    failed: 0,
    cost_usd: "0.1",
    durations: { count: 5, mean_log: 0, median_ms: 1000 }
  }))
}))

const draw = (nights: ReadonlyArray<Night>) => NightsPage.render({ past: { nights, accepted: [] }, last: 30, linkOf })

/** The same nights, the last of them changed. */
const ending = (
  change: Partial<Night>,
  ofScenario: (one: NightScenario, index: number) => Partial<NightScenario> = () => ({})
): ReadonlyArray<Night> =>
  calm.map((night, index) =>
    index < calm.length - 1
      ? night
      : { ...night, ...change, scenarios: night.scenarios.map((one, index) => ({ ...one, ...ofScenario(one, index) })) }
  )

/** The cells of a row, each with its class. */
const cellsOf = (html: string, name: string): ReadonlyArray<string> => {
  const [, row = ""] = new RegExp(`<tr><th scope="row"[^>]*>${name}</th>(.*?)</tr>`, "u").exec(html) ?? []
  return [...row.matchAll(/<td class="([^"]*)"[^>]*>(.*?)<\/td>/gu)].map(
    ([, style, text = ""]) =>
      `${style?.trim()}: ${text.replace(/<span class="(?:time|sr)">.*/u, "").replaceAll(/<[^>]*>/gu, "")}`
  )
}

const linksIn = (html: string, from: string) =>
  [...html.slice(html.indexOf(from)).matchAll(/<a href="([^"]*)"/gu)].map(([, href]) => href)

const cost = {
  figure: "cost",
  scenario: null,
  verdict: "regressed",
  isUnusual: false,
  now: null,
  before: null,
  change: 4,
  window: 1,
  since: "2026-11-20T02:00:07.123Z",
  nights: 5,
  detectable: null
} as const
const red = {
  status: "failed",
  findings: [{ kind: { _tag: "Regressed", comparison: cost }, severity: "error", scenarios: [] }]
} as const
const first = calm[0]?.scenarios[0]
const name = first?.name ?? ""
const regressed = (figure: "cost" | "duration", scenario: { suite: string; name: string } | null) => ({
  ...red,
  regressed: [{ figure, scenario, since: "2026-11-20T02:00:07.123Z" }]
})

describe("NightsPage", () => {
  it("has the newest night on the right and last in the list, and says so", () => {
    const html = draw(calm)
    const inOrder = calm.map(linkOf)
    assert.deepStrictEqual(linksIn(html, "<thead>").slice(0, 6), inOrder)
    assert.deepStrictEqual(linksIn(html, `class="nights-list"`), inOrder)
    assert.include(html, "newest night on the right, and last in the list")
  })

  it("links the last night, and the last red one before it", () => {
    const [one, ...rest] = calm
    if (one === undefined) throw new Error("there are nights")
    const html = draw([{ ...one, ...red }, ...rest])
    assert.deepStrictEqual(linksIn(html, "<header").slice(0, 2), [linkOf(rest[4] ?? one), linkOf(one)])
    assert.include(html, ">2026-11-15 02:00</a>, the last failed night: cost +400 %")
    assert.include(html, "1 of 6 nights failed")
    assert.notInclude(draw(calm), "the last failed night")
  })

  it("tells the runs of one day apart by their time", () => {
    assert.notInclude(draw(calm), "<small>")
    const html = draw(ending({ startedAt: "2026-11-19T14:30:07.123Z" }))
    assert.include(html, ">11-19<small>02:00</small></a>")
    assert.include(html, ">11-19<small>14:30</small></a>")
    const close = draw(ending({ startedAt: "2026-11-19T02:00:37.123Z" }))
    assert.include(close, ">11-19<small>02:00:07</small></a>")
    assert.include(close, ">2026-11-19 02:00:37</a></b>")
  })

  it("marks a night of an older version, in its column beside the day", () => {
    const nights = ending({ startedAt: "2026-11-19T14:30:07.123Z" }).map((night, index) => {
      const { findings: _, status: __, ...older } = night
      return index === 5 ? older : night
    })
    const html = draw(nights)
    assert.include(html, ">11-19*<small>14:30</small></a>")
    assert.include(html, ">11-19<small>02:00</small></a>")
    assert.match(html, /<li><span class="status \w+">\w+\*<\/span>/u)
    assert.include(html, "* recorded by an older version")
  })

  it("shows in the column of a costly or slow night what was red", () => {
    const costly = draw(ending(regressed("cost", null), () => ({ cost_usd: "0.5" })))
    assert.deepStrictEqual(cellsOf(costly, "cost").slice(-2), [": ·", "nothing: ×5.0"])
    assert.deepStrictEqual(cellsOf(costly, "duration").slice(-1), [": ·"])
    const durations = { count: 5, mean_log: 0, median_ms: 3000 }
    const slow = draw(ending(regressed("duration", null), () => ({ durations })))
    assert.deepStrictEqual(cellsOf(slow, "duration").slice(-2), [": ·", "nothing: ×3.0"])
    // far above, and not red
    assert.deepStrictEqual(cellsOf(draw(ending({}, () => ({ durations }))), "duration").slice(-1), ["some: ×3.0"])
  })

  it("says in the cell of a scenario why it was red although its trials passed", () => {
    if (first === undefined) throw new Error("there are scenarios")
    const last = (nights: ReadonlyArray<Night>) => cellsOf(draw(nights), name).at(-1)
    assert.strictEqual(last(calm), "all: ✓")
    assert.strictEqual(last(ending(red, () => ({ leaks: 1 }))), "nothing: leak")
    assert.strictEqual(last(ending(red, () => ({ breaches: 1 }))), "nothing: rule")
    assert.strictEqual(last(ending(regressed("duration", first))), "nothing: slow")
    assert.strictEqual(last(ending(regressed("cost", first))), "nothing: cost")
    assert.include(draw(ending(red, () => ({ leaks: 1 }))), '<i class="nothing">leak</i> leaked a browser')
    assert.notInclude(draw(calm), "leaked a browser")
    const whole = draw(ending({ ...red, breaches: 1 }))
    assert.strictEqual(cellsOf(whole, "invariants").at(-1), "nothing: rule")
    assert.include(whole, '<i class="nothing">rule</i> broke an invariant')
    assert.deepStrictEqual(cellsOf(draw(calm), "invariants"), [])
  })

  it("marks a partial night, what was not run in it, and how few trials a cell is of", () => {
    const [night] = ending({ partial: { _tag: "Limit", which: ["TimeLimit"], cut: 2, of: 3 } }, (_, index) =>
      index === 0 ? { passed: 1, scored: 1 } : {}
    ).slice(-1)
    if (night === undefined) throw new Error("there are nights")
    const html = draw([...calm.slice(0, -1), { ...night, scenarios: night.scenarios.slice(0, 1) }])
    assert.include(html, ">11-20<small>partial</small></a>")
    assert.include(html, 'title="partial: 2 of 3 scenarios were skipped or cut short"')
    assert.include(html, "the last night, partial")
    assert.strictEqual(cellsOf(html, name).at(-1), "all: 1/1")
    assert.strictEqual(cellsOf(html, calm[0]?.scenarios[1]?.name ?? "").at(-1), "none: –")
    assert.include(html, '<i class="all">✓</i> all 5 trials passed')
    assert.include(html, '<i class="none">–</i> not run')
  })

  it("its legend has the colour of the cell that it explains", () => {
    for (const [scored, style] of [
      [2, "some"],
      [3, "some"],
      [4, "most"]
    ] as const) {
      const html = draw(
        calm.map((night, at) => ({
          ...night,
          scenarios: night.scenarios.map((one) => ({ ...one, scored, passed: at === 5 ? scored - 1 : scored }))
        }))
      )
      assert.strictEqual(cellsOf(html, name).at(-1), `${style}: ${scored - 1}/${scored}`)
      assert.include(html, `<i class="${style}">${scored - 1}/${scored}</i> ${scored - 1} of ${scored} trials passed`)
    }
  })

  it("does not say 100 % where a trial of a thousand failed", () => {
    const many = ending({}, (_, index) => ({ scored: 1000, passed: index === 0 ? 999 : 1000, failed: 1 }))
    assert.deepStrictEqual(cellsOf(draw(many), "trials passed").slice(-2), [": 100 %", ": 99 %"])
  })

  it("draws a year of many scenarios", () => {
    const nights = Array.from({ length: 400 }, (_, day): Night => {
      const [night] = calm
      if (night === undefined || first === undefined) throw new Error("there are nights")
      const startedAt = new Date(Date.UTC(2026, 0, 1 + day)).toISOString()
      return { ...night, startedAt, scenarios: Array.from({ length: 500 }, (_, at) => ({ ...first, name: `s${at}` })) }
    })
    const html = NightsPage.render({ past: { nights, accepted: [] }, last: 400, linkOf })
    assert.lengthOf(cellsOf(html, "s499"), 400)
  })
})
