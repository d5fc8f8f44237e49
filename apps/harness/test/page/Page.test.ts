import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import * as EmbeddedTraces from "../../src/page/EmbeddedTraces.ts"
import * as HtmlReporter from "../../src/page/HtmlReporter.ts"
import * as Page from "../../src/page/Page.ts"
import { away } from "../reporters/fixture.ts"
import { datedNight, greenNight, largeNight, monthBefore, redNight, replay, traceOf, tracesOf } from "./stories.ts"

const draw = (report: ReturnType<typeof greenNight>, nights = monthBefore(report)) =>
  Page.render({ report, nights, replay, traces: tracesOf(report) })

/** The text of a page without its tags. */
const words = (html: string) =>
  html
    .replaceAll(/<(script|style)\b.*?<\/\1>/gsu, "")
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/\s+/gu, " ")

const between = (html: string, from: string, to: string) => html.slice(html.indexOf(from), html.indexOf(to))

describe("Page", () => {
  it("the sentence comes first, then what needs a person, worst first; what passed comes last", () => {
    const html = draw(redNight())
    const text = words(html)
    assert.include(
      text,
      "1 of 68 scenarios is worse than before; 2 of 66 scenarios failed, 1 while the agent claimed success; 1 flaky; 4.21 USD"
    )
    const findings = words(between(html, '<section id="findings"', '<section id="overview"'))
    const order = [
      "claimed success wrongly checkout › buys the red mug 0 of 5 trials passed; the order that the shop keeps",
      "worse: duration travel › a follow-up runs as the next turn Its last two nights took 1.41 times",
      "browsers-left-open v4-browsers › forgets to stop its browser",
      "created-twice · r-2",
      "flaky · checkout › an order can be cancelled 3 of 5 trials passed",
      "service not reached · travel › books behind a login TransportError",
      "not scored · travel › compares two offers the oracle could not look"
    ]
    const places = order.map((part) => findings.indexOf(part))
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
    assert.notInclude(places, -1)
    assert.isAbove(findings.indexOf("a shop that moves next week"), findings.indexOf("not held against this night"))
    assert.isBelow(html.indexOf("an order can be cancelled</h4>"), html.indexOf("a long page is read to its end</h4>"))
  })

  it("what is new is told from what is old: in the heading, the findings, the overview and the scenarios", () => {
    const html = draw(datedNight())
    const ages = "2 of 68 scenarios are newly red, 1 is red again, 3 are red as before"
    assert.include(words(between(html, "<h1>", "</h1>")), ages)
    const findings = words(between(html, '<section id="findings"', '<section id="overview"'))
    assert.include(findings, "what is new first")
    assert.match(findings, /first browsers-left-open new v4-browsers › forgets to stop its browser /u)
    assert.include(findings, "flaky again after 3 green nights · checkout › an order can be cancelled")
    assert.include(findings, "claimed success wrongly since 2026-11-14, 8 nights · checkout › buys the red mug")
    assert.include(
      words(between(html, '<section id="overview"', '<section id="against"')),
      `By the nights before: ${ages}.`
    )
    const scenarios = between(html, '<section id="scenarios"', "<footer")
    assert.include(words(scenarios), "again an order can be cancelled")
    assert.include(scenarios, 'data-verdict="flaky new"')
    assert.include(scenarios, 'data-filter="new">new or again</button>')
    assert.notInclude(draw(redNight()), 'data-filter="new"')
  })

  it("what one cause kept from being scored is one card, its scenarios folded away when they are many", () => {
    const findings = between(draw(away, []), '<section id="findings"', '<section id="overview"')
    const text = words(findings)
    assert.include(text, "2 findings, worst first")
    assert.match(
      text,
      /service not reached 14 scenarios 09:12:44 \.\. 09:12:55 UTC \(11 s\): 14 trials ended by it, .*got no answer \(4\) Which 14 scenarios away › runs 0/u
    )
    assert.include(text, "the oracle could not look away › asks 1 away › asks 2")
    assert.lengthOf([...findings.matchAll(/<article /gu)], 2)
    assert.lengthOf([...findings.matchAll(/<a href="#/gu)], 16)
    const overview = words(between(draw(away, []), '<section id="overview"', '<section id="scenarios"'))
    assert.match(
      overview,
      /When the service could not be asked .* 09:12:44 \.\. 09:12:55 UTC \(11 s\) 14 trials ended by it, 14 tries run again 14 POST/u
    )
  })

  it("pass rates of k trials name the scenarios that had so many", () => {
    assert.include(words(draw(redNight())), "5, of 62 scenarios")
    assert.notInclude(words(draw(greenNight())), "5, of")
  })

  it("a green night says so, and without a history that there are no trends", () => {
    const text = words(draw(greenNight(), []))
    assert.include(text, "All 60 scenarios passed; 3.96 USD")
    assert.include(text, "Nothing needs you")
    assert.include(text, "No trends yet")
    assert.include(text, "nothing was left open")
  })

  it("a green night says nothing was left open only when nothing was", () => {
    const leftover = { kind: "run", id: "r-1", trial: null, sentence: "The run r-1 went on: it was ended." }
    const ended = words(draw({ ...greenNight(), leftovers: [{ ...leftover, state: "stopped" }] }, []))
    assert.include(ended, "What scenarios had left to itself was ended.")
    assert.include(ended, "Left to itself and ended: 1 run")
    const going = words(draw({ ...greenNight(), leftovers: [{ ...leftover, state: "open" }] }, []))
    assert.include(going, "What may go on at the service, and cost, is listed in the overview.")
    assert.include(going, "1 run may go on, and cost")
    for (const text of [ended, going]) assert.notInclude(text, "nothing was left open")
  })

  it("says how the oracle, the agent and the judge agree", () => {
    const text = words(draw(redNight()))
    assert.include(text, "the oracle and the agent: they say the same of 33.3 % of 3 trials, kappa 0.00")
    assert.include(
      text,
      "Of 3 trials the agent calls 66.7 % a success, the oracle 0 %: its word is 66.7 points too high."
    )
  })

  it("a night in which nothing was scored has no pass rate, and not that of the night before", () => {
    const pass = between(words(draw(away, monthBefore(redNight()))), "pass rate", "cost")
    assert.match(pass, /^pass rate none 9/u)
  })

  it("the last point of a trend is this night", () => {
    assert.match(words(draw(redNight())), /The last 30 nights, this one at the end.*cost 4\.21 USD/u)
  })

  it("nothing of the run can become markup or a script, and nothing is asked for elsewhere", () => {
    const evil = '</script><img src=x onerror=alert(1)>"&'
    const report = redNight()
    const results = report.results.map((result) => ({
      ...result,
      name: `${result.name} ${evil}`,
      ...(result.failure === undefined ? {} : { failure: { ...result.failure, message: evil, diff: [`+ ${evil}`] } })
    }))
    const html = Page.render({
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
      const reporter = HtmlReporter.make({ directory: "out", replay, nights: [] })
      yield* Effect.provide(reporter(Stream.make({ _tag: "RunFinished", report })), files)
      assert.deepStrictEqual(
        read,
        EmbeddedTraces.wanted(report).map((file) => `out/${file}`)
      )
      assert.match(written, /^out\/report\.html <!doctype html>/u)
      assert.strictEqual([...written.matchAll(/id="trace-\d+"/gu)].length, read.length - 1)
    })
  )
})
