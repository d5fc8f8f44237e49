import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { isPlainHttp } from "../../src/features/sign-in/transport.ts"
import { explain } from "../../src/features/run/failures.ts"
import { isSpent, limitsOf } from "../../src/features/keys/limits.ts"
import { ago, span, usd } from "../../src/ui/format.ts"
import { shown } from "../../src/ui/untrustedText.ts"

describe("untrusted texts", () => {
  it("show characters that change direction or hide text", () => {
    assert.strictEqual(shown("safe\u202egnp.exe\u200b\u0000\u{e0041}", 100).text, "safe\ufffdgnp.exe\ufffd\ufffd\ufffd")
    assert.strictEqual(shown("line\nwith\ttab", 100).text, "line\nwith\ttab")
  })

  it("are never cut in the middle of a character", () => {
    assert.deepStrictEqual(shown("ab😀c", 3), { text: "ab…", isCut: true })
  })
})

describe("formats", () => {
  const now_ms = Date.parse("2026-11-28T12:00:00Z")
  const before = (ms: number) => new Date(now_ms - ms).toISOString()

  it("show times relative to now", () => {
    assert.strictEqual(ago(before(10_000), now_ms), "just now")
    assert.strictEqual(ago(before(180_000), now_ms), "3m ago")
    assert.strictEqual(ago(before(7_200_000), now_ms), "2h ago")
    assert.strictEqual(ago("not a time", now_ms), "not a time")
  })

  it("show durations with their unit", () => {
    assert.deepStrictEqual([40, 1234, 12_345, 125_000, 3_725_000].map(span), [
      "40 ms",
      "1.2 s",
      "12 s",
      "2 min 05 s",
      "1 h 02 min"
    ])
  })

  it("show small amounts exactly, and unknown ones as unknown", () => {
    assert.deepStrictEqual(["0.0132", "12.3", "0", null, "free"].map(usd), ["$0.0132", "$12.30", "$0.00", "–", "–"])
  })
})

describe("failures", () => {
  it("have a cause and advice, even if the server is newer", () => {
    assert.include(explain("step_limit", 3).advice, "--max-steps")
    assert.include(explain("quantum_noise", 3).cause, "quantum_noise")
  })

  it("are explained in the server's reference in the same words", () => {
    const read = (file: string) => readFileSync(new URL(`../../../../docs/${file}`, import.meta.url), "utf8")
    const page = read("server-reference.md")
    const failures: ReadonlyArray<string> = JSON.parse(
      /const failures: readonly (\[.*\]);/u.exec(read("api/engine.txt"))?.[1] ?? "[]"
    )
    assert.include(failures, "step_limit")
    const section = page.split("## Reasons of failed runs\n")[1]?.split("\n## ")[0] ?? ""
    const rows = [...section.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gmu)]
    assert.deepStrictEqual(rows.map(([, reason]) => reason).toSorted(), failures.toSorted())
    for (const [, reason = "", cause, advice] of rows) {
      assert.deepStrictEqual(explain(reason, 0), { cause, advice } as ReturnType<typeof explain>)
    }
  })

  it("link to a run's last steps if there are any", () => {
    for (const failure of ["agent", "quantum_noise"]) {
      assert.match(explain(failure, 3).advice, /^Read its last steps\. /u)
      assert.notInclude(explain(failure, 0).advice, "steps")
    }
  })
})

describe("a key's limits", () => {
  it("are numbers, or null if empty", () => {
    const texts: Record<string, string> = { runs: "5", usdPerDay: "0.5", fileDays: "7" }
    assert.deepStrictEqual(
      limitsOf((name) => texts[name] ?? ""),
      { runs: 5, browsers: null, requestsPerMinute: null, usdPerDay: 0.5, fileMegabytes: null, fileDays: 7 }
    )
    assert.isUndefined(limitsOf(() => "many"))
    assert.isUndefined(limitsOf(() => "0.5"))
  })
})

describe("the daily limit", () => {
  it("is reached at its amount, and never without one", () => {
    const reached = [isSpent("0.4999", 0.5), isSpent("0.50", 0.5), isSpent("0.75", 0.5), isSpent("9", null)]
    assert.deepStrictEqual(reached, [false, true, true, false])
  })
})

describe("the transport of the sign-in", () => {
  for (const [protocol, hostname, isPlain] of [
    ["https:", "agent.example", false],
    ["http:", "agent.example", true],
    ["http:", "127.0.0.1", false],
    ["http:", "[::1]", false],
    ["http:", "localhost", false],
    ["http:", "127.0.0.1.evil.example", true],
    ["http:", "192.168.0.7", true]
  ] as const) {
    it(`${protocol}//${hostname} ${isPlain ? "takes no key" : "takes a key"}`, () => {
      assert.strictEqual(isPlainHttp({ protocol, hostname }), isPlain)
    })
  }
})
