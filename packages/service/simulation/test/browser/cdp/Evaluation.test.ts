import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Document from "../../../src/browser/cdp/Document.ts"
import { constantsOnly, evaluate, scopeOf, type Source } from "../../../src/browser/cdp/Evaluation.ts"

const scope = scopeOf({ ...Document.blank, title: "T", text: "some text" }, "UA")

const value = (text: string, options: Omit<Source, "text"> = {}) =>
  Result.getOrThrow(evaluate({ text, ...options }, scope))

const refusal = (text: string, options: Omit<Source, "text"> = {}) =>
  Result.match(evaluate({ text, ...options }, scope), {
    onFailure: (message) => message,
    onSuccess: () => "not refused"
  })

/** Expressions that are no more than constants and operators: this file's own engine says what they come to. */
const same: ReadonlyArray<readonly [string, unknown]> = [
  ["42", 42],
  ["-0", -0],
  ["0x1f + .5 + 1e3", 1031.5],
  ["'a\\n\\x41\\u{1F600}' + \"b\" + `c$`", "a\nA😀bc$"],
  ["1 + 2 * 3 - 4 / 2 % 3", 5],
  ["2 * -3", -6],
  ["1 < 2 && 'b' > 'a' || false", true],
  ["null ?? 0 ?? 1", 0],
  ["!0 === true ? 'yes' : 'no'", "yes"],
  ["null == undefined", true],
  ["NaN !== NaN", true],
  ["typeof 'x' + typeof null + typeof []", "stringobjectobject"],
  ["[1, [2], { a: 3, 'b c': 4, 5: 6, },]", [1, [2], { a: 3, "b c": 4, 5: 6 }]],
  ["[10, 20, 30][1]", 20],
  ["'mug'.length + [1, 2].length + 'mug'[0]", "5m"],
  ["({ a: { b: 7 } }).a['b'] // why\n", 7],
  ["({ a: 1 }).toString", undefined],
  ["/* all */ (1, 2) === 2", "refused"],
  ["document.title + ': ' + document.body.textContent", "T: some text"],
  ["window.location.href", "about:blank"],
  ["navigator.userAgent", "UA"]
]

describe("Evaluation", () => {
  for (const [text, expected] of same) {
    it(`evaluates ${text}`, () => {
      if (expected === "refused") assert.include(refusal(text), constantsOnly)
      else assert.deepStrictEqual(value(text), expected)
    })
  }

  it("calls a function of one expression with its arguments", () => {
    assert.strictEqual(value("() => 1"), 1)
    assert.strictEqual(value("(async (a, b) => a + b)".slice(1, -1), { called: true, given: [1, 2] }), 3)
    assert.strictEqual(value("a => { return a.n; }", { given: [{ n: 4 }] }), 4)
    assert.strictEqual(value("async function name(a, { b }) { return a * b }", { given: [2, { b: 3 }] }), 6)
    assert.strictEqual(value("function () {}", { called: true }), undefined)
    assert.strictEqual(value("(document) => document", { given: ["mine"] }), "mine")
  })

  it("says what it cannot do, and does none of it", () => {
    assert.include(refusal("fetch('/')"), `${constantsOnly}; it cannot read "('/')" at character 5`)
    for (const text of [
      "process",
      "constructor",
      "a = 1",
      "1 ++ 2",
      "new Date()",
      "x => { f(); return 1 }",
      "",
      "`${1}`"
    ]) {
      assert.include(refusal(text), constantsOnly, text)
    }
    assert.include(refusal("[].concat.name"), constantsOnly)
    assert.strictEqual(value("({}).__proto__"), undefined)
    assert.include(refusal("() => 1", { called: false }), "a function is not a value here")
    assert.include(refusal("1", { called: true }), "this is no function")
  })

  it("takes no more memory, stack or time than a page is worth", () => {
    assert.strictEqual(value(`${"1+".repeat(30_000)}1`), 30_001)
    assert.include(refusal(`${"(".repeat(1000)}1${")".repeat(1000)}`), constantsOnly)
    assert.include(refusal("[".repeat(50_000)), constantsOnly)
    assert.include(refusal("!".repeat(50_000)), constantsOnly)
    assert.include(refusal(`1${".a".repeat(20_000)}`), constantsOnly)
    assert.include(refusal(`a => ${"a+".repeat(1000)}a`, { given: ["x".repeat(100_000)] }), "the value is too large")
    assert.include(refusal(`a => [${"a,".repeat(1000)}]`, { given: ["x".repeat(100_000)] }), "the value is too large")
    assert.include(refusal(" ".repeat(70_000)), constantsOnly)
    assert.strictEqual(value(`1${" ".repeat(60_000)}`), 1)
  })
})
