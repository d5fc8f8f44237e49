import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import * as EmbeddedTraces from "../../src/page/EmbeddedTraces.ts"
import { consumed, made } from "../reporters/consumed.ts"
import * as HtmlReporter from "../../src/page/HtmlReporter.ts"
import * as Page from "../../src/page/Page.ts"
import { ofReport } from "@webagent/nights/Night"
import * as Money from "@webagent/cli/Money"
import { countsOf, withConfirmation } from "@webagent/report/RunReport"
import * as SuiteFigures from "@webagent/report/SuiteFigures"
import * as Agreement from "@webagent/report/Agreement"
import * as Findings from "@webagent/findings/Findings"
import * as AgreementText from "@webagent/findings/words/AgreementText"
import { describe as describeFinding } from "@webagent/findings/words/FindingText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import { notRun } from "@webagent/findings/words/Notes"
import * as RunText from "@webagent/findings/words/RunText"
import * as UsageText from "@webagent/findings/words/UsageText"
import { away, cut, night } from "../reporters/fixture.ts"
import { textOf } from "../reporters/words.ts"
import { datedNight, greenNight, largeNight, linkOf, monthBefore, redNight, replay } from "./stories.ts"
import { traceOf, tracesOf } from "./traces.ts"

const draw = (report: ReturnType<typeof greenNight>, nights = monthBefore(report)) =>
  Page.render({ report, linkOf, nights, replay, traces: tracesOf(report) })

/** The text of a page without its tags. */
const words = (html: string) =>
  html
    .replaceAll(/<(script|style|title)\b.*?<\/\1>/gsu, "")
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/\s+/gu, " ")

const between = (html: string, from: string, to: string) => html.slice(html.indexOf(from), html.indexOf(to))

describe("Page", () => {
  it("says of how many scenarios pass@k is, where not all had k trials", () => {
    const tableOf = (report: typeof night) =>
      words(draw({ ...report, figures: SuiteFigures.of(report.results, report.header) ?? [] }))
    assert.include(tableOf(night), "3, of 2 scenarios 50 % 0 %")
    const results = night.results.filter(({ trials }) => trials.length === 3)
    assert.match(tableOf({ ...night, results }), /one of k all of k all 2 \S+ %[^a-z]* to \S+ % 3 50 % 0 %/u)
  })

  it("shows the title, then findings with the worst first, then what passed", () => {
    const html = draw(redNight())
    const report = redNight()
    const title = RunText.titleOf(report)
    assert.include(html, `<title>Failed: ${title} · 2026-11-21</title>`)
    const text = words(html)
    assert.include(text, `Failed : ${title} ${RunText.passedText(report)} 1 skipped `)
    assert.include(text, ` ${UsageText.of(report).cost.all} 1 may still be running`)
    const findings = words(between(html, '<section id="findings"', '<section id="trends"'))
    const errors = Findings.errorsOf(report)
    assert.deepStrictEqual(
      errors.map(({ kind }) => kind._tag),
      ["Failed", "BrokenInvariant", "Leak", "Regressed", "Flaky", "Unreachable", "Unscored"]
    )
    const order = [
      "7 findings",
      ...errors
        .map(describeFinding)
        // a broken invariant is named by its resource, and its sentence follows the name
        .map(({ cause = "", place, what }) => `${what} ${place} ${cause}`.trim().replaceAll('"', "&quot;")),
      "1 known issue that does not fail the run"
    ]
    const places = order.map((part) => findings.indexOf(part))
    assert.deepStrictEqual(
      order.filter((part) => !findings.includes(part)),
      [],
      findings
    )
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
    assert.isAbove(findings.indexOf("a shop that moves next week"), findings.indexOf("1 known issue"))
    assert.isBelow(html.indexOf("an order can be cancelled<"), html.indexOf("a long page is read to its end</h4>"))
  })

  it("shows below a failed trial what its agent did, and links only web addresses", () => {
    const report = redNight()
    const step = {
      number: 3,
      beganAt: "2026-11-21T09:12:44.000Z",
      address: "https://shop.example/",
      summary: "click <b>",
      failure: "no <b>"
    }
    const run = { runId: "r-7", liveUrl: "https://service.example/live/1/t", count: 3, steps: [step] }
    const agentSteps = [{ ...run, recordingUrl: "javascript:alert(1)" }]
    const results = report.results.map((result, index) =>
      index > 0 ? result : { ...result, trials: result.trials.map((trial) => ({ ...trial, agentSteps })) }
    )
    const html = draw({ ...report, results })
    assert.include(
      words(html),
      "Agent: 3 steps of run r-7 live view click &lt;b&gt; https://shop.example/ failed: no &lt;b&gt;"
    )
    assert.include(html, 'href="https://service.example/live/1/t"')
    assert.include(html, '<li value="3">')
    assert.notInclude(html, "javascript:")
  })

  it("tells new from old in the title, the findings and the scenarios", () => {
    const html = draw(datedNight())
    assert.include(html, `<title>Failed: ${RunText.titleOf(datedNight())} · 2026-11-21</title>`)
    const findings = words(between(html, '<section id="findings"', '<section id="trends"'))
    for (const tag of ["Leak", "Flaky", "Failed"] as const) {
      const { age, place, what } = textOf(datedNight(), tag)
      assert.isDefined(age)
      assert.include(findings, `${what} ${age} ${place}`)
    }
    const scenarios = between(html, '<section id="scenarios"', "<footer")
    assert.include(words(scenarios), "again an order can be cancelled")
    assert.include(scenarios, 'data-tags="flaky,new"')
    assert.include(scenarios, 'data-filter="new">new</button>')
    assert.notInclude(draw(redNight()), 'data-filter="new"')
  })

  it("a scenario that leaks a browser has failed: its badge, its dot and the filter", () => {
    const html = draw(redNight(1))
    const row = between(html.slice(html.indexOf('data-name="v4-browsers forgets')), "data-name", "</summary>")
    const { cause } = textOf(redNight(1), "Leak")
    assert.include(words(`<${row}`), `failed leaked forgets to stop its browser ${cause}`)
    assert.include(row, "trials in order: passed, failed")
    assert.match(html, /data-tags="failed,leaked" data-name="v4-browsers forgets/u)
  })

  it("shows one finding for scenarios that one cause kept from being scored, folded when there are many", () => {
    const findings = between(draw(away, []), '<section id="findings"', '<section id="trends"')
    const text = words(findings)
    assert.include(text, "2 findings")
    const { cause, detail, what } = textOf(away, "Unreachable")
    assert.include(text, `${what} 14 scenarios of away ${cause}`)
    assert.include(text, ` 14 scenarios, ${detail} `)
    assert.include(text, " away › runs 0")
    assert.include(text, "the oracle could not look away › asks 1 · away › asks 2")
    assert.lengthOf([...findings.matchAll(/<li class="finding /gu)], 2)
    assert.lengthOf([...findings.matchAll(/<a href="#/gu)], 16)
    const usage = words(between(draw(away, []), '<section id="usage"', "<footer"))
    assert.match(usage, /Outages of the service .* 09:12:44 to 09:12:55 UTC \(11 s\) .* 14 POST/u)
    assert.include(usage, ` ${detail} 14 POST`)
  })

  it("says first what is open and how to stop it", () => {
    const report = redNight()
    const reap = "harness reap --ledger runs/1/ledger --target https://a.service"
    const html = Page.render({ report, linkOf, nights: [], replay, reap, traces: [] })
    const [open] = report.leftovers?.filter(({ state }) => state === "open") ?? []
    assert.isDefined(open)
    const findings = words(between(html, '<section id="findings"', '<section id="trends"'))
    const told = findings.indexOf(open.sentence)
    assert.isAbove(told, findings.indexOf(reap))
    assert.isBelow(told, findings.indexOf(`${textOf(report, "Failed").what} ${textOf(report, "Failed").place}`))
  })

  it("a night that a limit cut short says so in the title and in the open, and counts no trial as 0 ms", () => {
    const html = draw(cut, [])
    const partial = RunText.titleOf(cut)
    assert.include(html, `<title>Passed: ${partial} · 2026-11-21</title>`)
    const text = words(html)
    assert.include(text, `Passed : ${partial} ${RunText.passedText(cut)} `)
    assert.include(text, UsageText.trials(cut, 7))
    const [reason] = Findings.notesOf(cut).flatMap((finding) => notRun(finding) ?? [])
    assert.include(text, `No findings ${reason} All scenarios that ran passed and no invariant was broken.`)
    assert.notInclude(text, "known issue")
    assert.match(words(html.slice(html.indexOf('data-name="v4-runs guesses'))), / guesses 58 ms /u)
  })

  it("a night that was compared with none says so, and not that there is nothing to do", () => {
    const judgement = { verdict: "not enough data", nights: 4, passedOver: [], differences: [], rows: [] } as const
    const text = words(draw({ ...greenNight(), judgement }, []))
    const uncompared = HistoryLines.uncompared({ judgement })
    assert.isDefined(uncompared)
    assert.include(text, `No findings ${uncompared}`)
    assert.notInclude(words(draw(greenNight(), [])), uncompared)
  })

  it("pass rates of k trials name the scenarios that had k", () => {
    assert.include(words(draw(redNight())), "5, of 62 scenarios")
    assert.notInclude(words(draw(greenNight())), "5, of")
  })

  it("a passed night says so, and without a history that there are no trends", () => {
    const text = words(draw(greenNight(), []))
    const green = greenNight()
    assert.include(text, `Passed : ${RunText.titleOf(green)} `)
    assert.include(text, ` ${UsageText.of(green).cost.all} 0 still running`)
    assert.include(text, "Nothing to do All scenarios passed and no invariant was broken. No resources were left open.")
    assert.include(text, "No trends yet")
  })

  it("a passed night with a known issue does not say that all scenarios passed", () => {
    const known = redNight().results.filter(({ quarantine }) => quarantine !== undefined)
    const green = greenNight()
    assert.include(
      words(draw({ ...green, results: [...green.results, ...known] }, [])),
      "All scenarios passed, except for 1 with a known issue that does not fail the run (travel › a shop that moves next week), and no invariant"
    )
  })

  it("a passed night says nothing was left open only when nothing was", () => {
    const leftover = { kind: "run", id: "r-1", trial: null, sentence: "The run r-1 went on: it was ended." }
    const ended = words(draw({ ...greenNight(), leftovers: [{ ...leftover, state: "stopped" }] }, []))
    assert.include(ended, "1 leftover resource was stopped automatically; none is still running.")
    assert.include(ended, "Stopped afterwards: 1 run")
    const going = words(draw({ ...greenNight(), leftovers: [{ ...leftover, state: "open" }] }, []))
    assert.include(going, "1 resource may still be running and cost money: see usage and limits.")
    assert.include(going, "May still be running, and cost: 1 run")
    for (const text of [ended, going]) assert.notInclude(text, "No resources were left open")
  })

  it("marks what is far above the usual in the line below the title, and not what is a little above", () => {
    const green = greenNight()
    const top = (change: Partial<ReturnType<typeof greenNight>>) =>
      between(draw({ ...green, ...change }, monthBefore(green)), "<header", "</header>")
    const requests = green.counts.requests
    const far = top({ counts: { ...green.counts, requests: requests * 20 }, cost_usd: "9.90" })
    assert.match(far, /<li class="far"><b>138,000<\/b> requests, 20 times the usual 6,900<\/li>/u)
    assert.match(far, /<li class="far"><b>9\.90 USD [^<]*<\/b> 2\.5 times the usual 3\.9\d USD<\/li>/u)
    const near = top({ duration_ms: green.duration_ms * 1.3 })
    assert.match(near, /wall time, usually /u)
    assert.notInclude(near, "far")
  })

  it("compares the planned trials with the usual ones, and says what others were to confirm", () => {
    const green = greenNight()
    const [first, ...others] = green.results
    assert.isDefined(first)
    const [trial] = first.trials
    assert.isDefined(trial)
    const more = { ...trial, requests: 70_000, cost_usd: "9", started_ms: green.duration_ms }
    const confirmed = withConfirmation(first, { figure: "duration", outcome: "not confirmed", trials: [more, more] })
    const results = [confirmed, ...others]
    const night = {
      ...green,
      results,
      counts: countsOf(results),
      cost_usd: Money.sum(results.map(({ cost_usd }) => cost_usd)),
      duration_ms: green.duration_ms * 9
    }
    const top = between(draw(night, monthBefore(green)), "<header", "</header>")
    assert.notInclude(top, "far")
    const { cost, requests, time } = UsageText.of(night)
    assert.include(words(top), ` ${UsageText.trials(night)} `)
    for (const { confirm } of [requests, time, cost]) {
      assert.isDefined(confirm)
      assert.include(words(top), `${confirm}, the rest `)
    }
    assert.match(words(top), /, the rest (?:as usual|usually \S+) .*, the rest (?:as usual|usually \S+)/u)
    assert.include(words(draw(night, monthBefore(green))), "Cost and wall time are without confirm trials.")
    // an earlier night with confirm trials is usual without them
    const before = monthBefore(green).map((one) => ({ ...ofReport(night), startedAt: one.startedAt }))
    assert.notInclude(between(draw(green, before), "<header", "</header>"), "usually")
  })

  it("nights that were cut short are no part of a trend, nor of what is usual", () => {
    const green = greenNight()
    const nights = monthBefore(green).map((night, index) =>
      index < 20
        ? { ...night, partial: { _tag: "Stopped" as const, isShard: false }, cost_usd: "0.1", requests: 3 }
        : night
    )
    const html = draw(green, nights)
    assert.include(words(html), "requests, as usual")
    assert.include(words(html), "The last 10 nights, this one last")
  })

  it("names the improvements, also of a night with nothing to do", () => {
    const row = redNight().judgement?.rows[0]
    if (row === undefined) throw new Error("the night was judged")
    const judgement = {
      verdict: "improved",
      nights: 29,
      passedOver: [],
      differences: [],
      rows: [{ ...row, verdict: "improved", change: -0.35 }]
    } as const
    const findings = words(
      between(draw({ ...greenNight(), judgement }), '<section id="findings"', '<section id="trends"')
    )
    assert.include(findings, `1 improvement ${judgement.rows.map(HistoryLines.rowText).join()} `)
    assert.notInclude(words(draw(greenNight())), "improvement")
  })

  it("says what trends need, and how to record only where nothing was compared", () => {
    const judgement = { verdict: "not enough data", nights: 0, passedOver: [], differences: [], rows: [] } as const
    const needs = "No trends yet: trends need 2 recorded nights, verdicts 5 earlier ones."
    const first = words(draw({ ...greenNight(), judgement }, []))
    assert.include(first, needs)
    assert.notInclude(first, "--history FILE --record")
    assert.include(words(draw(greenNight(), [])), `${needs} Record nights with --history FILE --record.`)
  })

  it("tells the runs of one day apart by their time, the newest last", () => {
    const green = greenNight(2)
    const [one, other] = monthBefore(green, 2)
    if (one === undefined || other === undefined) throw new Error("there are two nights")
    const trends = (nights: ReadonlyArray<typeof one>) =>
      words(between(draw(green, nights), '<section id="trends"', '<section id="scenarios"'))
    assert.include(trends([one, other]), "Reports of 2 earlier nights 2026-11-19 2026-11-20 ")
    const same = { ...other, startedAt: "2026-11-19T14:30:00.000Z" }
    assert.include(trends([one, same]), "Reports of 2 earlier nights 2026-11-19 02:00 2026-11-19 14:30 ")
    assert.include(words(draw(green, [one, same])), "2026-11-19 02:00 to 2026-11-19 14:30: the higher")
  })

  it("a finding of several scenarios says how many, and how many trials of each passed before", () => {
    const green = greenNight(3)
    const failure = { kind: "check", message: "the page opens", service: "account locked" } as const
    const results = green.results.map((result, index) =>
      index === 2
        ? result
        : {
            ...result,
            verdict: "failed" as const,
            failure,
            trials: result.trials.map((trial) => ({ ...trial, verdict: "failed" as const, failure }))
          }
    )
    const row = redNight().judgement?.rows[2]
    if (row === undefined) throw new Error("there is a row of a pass rate")
    const rows = results.slice(0, 2).map(({ name, suite }, index) => ({
      ...row,
      scenario: { suite, name },
      verdict: "regressed" as const,
      now: { _tag: "Rate" as const, passed: 0, scored: 5 },
      before: { _tag: "Rate" as const, passed: 24 - index, scored: 24 }
    }))
    const judgement = { verdict: "regressed", nights: 6, passedOver: [], differences: [], rows } as const
    const findings = words(
      between(draw({ ...green, results, judgement }), '<section id="findings"', '<section id="trends"')
    )
    assert.include(findings, "1 finding in 2 scenarios")
    const { detail, scenarios } = textOf({ ...green, results, judgement }, "Failed")
    const rates = scenarios.map(({ rate }) => rate)
    assert.lengthOf(rates, 2)
    assert.include(findings, `says what it cost ${rates[0]} · `)
    assert.include(findings, ` runs as the next turn ${rates[1]} · ${detail} `)
  })

  it("says of what a row's time and cost are, and that rates of trials are by their checks alone", () => {
    const text = words(draw(redNight(1)))
    assert.include(text, "Time: the median of a scenario's trials. Cost, simulated: all its trials together.")
    assert.include(text, "; by checks alone, without 1 scenario that leaked a browser or broke an invariant")
    assert.notInclude(words(draw(greenNight())), "by checks alone")
  })

  it("says how the oracle, the agent and the judge agree", () => {
    const text = words(draw(redNight()))
    const pairs = Agreement.of(redNight()).map(AgreementText.text)
    assert.isAbove(pairs.length, 0)
    for (const pair of pairs) assert.include(text, pair)
  })

  it("the trend of a night whose service was down says what its title says: no scenario passed", () => {
    const pass = between(words(draw(away, monthBefore(redNight()))), "scenarios passed 0", "cost, simulated")
    assert.match(pass, /^scenarios passed 0 % scenarios passed, 30 nights until \S+: now 0 %, 0 % to /u)
  })

  it("a stopped night says so at the top", () => {
    const top = (report: ReturnType<typeof greenNight>) => words(between(draw(report), "<header", "</header>"))
    assert.include(top({ ...redNight(), interrupted: true }), "stopped before its end")
    assert.notInclude(top(redNight()), "stopped before its end")
  })

  it("the last point of a trend is red only where tonight is worse than usual", () => {
    const worse = (report: ReturnType<typeof greenNight>) =>
      draw(report, monthBefore(greenNight()))
        .split('<figure class="trend"><figcaption>')
        .filter((figure) => figure.includes("dot worse"))
        .map((figure) => figure.slice(0, figure.indexOf("<")))
    // all passed, which is more than usual
    assert.deepStrictEqual(worse(greenNight()), [])
    assert.includeMembers([...worse({ ...greenNight(), cost_usd: "9.90" })], ["cost, simulated"])
    const nights = monthBefore(greenNight()).map((night) => ({ ...night, cost_usd: "3.9600" }))
    assert.notInclude(draw({ ...greenNight(), cost_usd: "3.9601" }, nights), "dot worse")
  })

  it("the last point of a trend is this night", () => {
    assert.match(words(draw(redNight())), /The last 30 nights, this one last.*cost, simulated 4\.21 USD .* normal \d/u)
  })

  it("the normal band of a share that was always the same is one number", () => {
    const nights = monthBefore(greenNight()).map((night) => ({
      ...night,
      scenarios: night.scenarios.map((its, index) => ({ ...its, verdict: index === 0 ? "failed" : "passed" }) as const)
    }))
    assert.include(words(draw(greenNight(), nights)), "98.3 % to 100 % · normal 98.3 %")
  })

  it("escapes all text of the run, and loads nothing from elsewhere", () => {
    const evil = '</script><img src=x onerror=alert(1)>"&'
    const report = redNight()
    const results = report.results.map((result) => ({
      ...result,
      name: `${result.name} ${evil}`,
      ...(result.failure === undefined ? {} : { failure: { ...result.failure, message: evil, diff: [`+ ${evil}`] } })
    }))
    const html = Page.render({
      linkOf,
      report: { ...report, results },
      nights: [],
      replay,
      traces: tracesOf({ ...report, results })
    })
    assert.notInclude(html, "<img")
    const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/u.exec(html) ?? []
    const [, script = ""] = /<script>(.*)<\/script>\n<\/body>/su.exec(html) ?? []
    assert.include(policy, `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`)
    assert.include(policy, "default-src 'none'")
    assert.notMatch(html, /<(link|img|iframe|object|script src)\b|url\(|@import/u)
    assert.notMatch(html, / style="/u)
  })

  it("a trial's trace is in the page, or a link to it where there was no room", () => {
    const report = greenNight(4)
    const files = EmbeddedTraces.wanted(report)
    // the first that passed and the slowest of each scenario
    assert.isAtMost(files.length, 8)
    const [first = ""] = files
    const html = draw(report)
    const [, packed = ""] = /id="trace-0">([^<]*)</u.exec(html) ?? []
    assert.deepStrictEqual(
      JSON.parse(gunzipSync(Buffer.from(packed, "base64")).toString()),
      traceOf({ suite: "checkout", scenario: "a run completes and says what it cost", index: 0 })
    )
    assert.strictEqual(first, "traces/0.json")
    assert.strictEqual([...html.matchAll(/data-trace="/gu)].length, files.length)
    assert.strictEqual([...html.matchAll(/<td><a href="traces\/\d+\.json">trace</gu)].length, 20 - files.length)
  })

  it("2,000 trials are a page of less than six megabytes", () => {
    assert.isBelow(draw(largeNight(400, 5)).length, 6_000_000)
  })
})

describe("HtmlReporter", () => {
  it.effect("reads the traces that the page shows, and does without one that is not there", () =>
    Effect.gen(function* () {
      const report = redNight(4)
      const read: Array<string> = []
      let written = ""
      const files = FileSystem.layerNoop({
        readFileString: (path) => {
          read.push(path)
          return read.length === 1
            ? FileSystem.FileSystem.pipe(
                Effect.flatMap((fs) => fs.readFileString("nowhere")),
                Effect.provide(FileSystem.layerNoop({}))
              )
            : Effect.succeed("{}")
        },
        writeFileString: (path, text) => Effect.sync(() => void (written = `${path} ${text}`)),
        rename: (from, to) => Effect.sync(() => void (written = written.replace(from, to)))
      })
      const reporter = made(HtmlReporter.html, undefined, replay)
      yield* consumed(reporter, [{ _tag: "RunFinished", report }], files)
      assert.deepStrictEqual(
        read,
        EmbeddedTraces.wanted(report).map((file) => `out/${file}`)
      )
      assert.match(written, /^out\/report\.html <!doctype html>/u)
      assert.strictEqual([...written.matchAll(/id="trace-\d+"/gu)].length, read.length - 1)
    })
  )
})
