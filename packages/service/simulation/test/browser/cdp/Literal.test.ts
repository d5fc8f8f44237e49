import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Document from "../../../src/browser/cdp/Document.ts"
import { evaluate, literalsOnly, type Source } from "../../../src/browser/cdp/Literal.ts"

const document = { ...Document.blank, title: "T", text: "some text" }

const evaluated = (text: string, options: Omit<Source, "text"> = {}) =>
  Result.merge(evaluate({ text, ...options }, document, "UA"))

const values: ReadonlyArray<readonly [string, unknown]> = [
  ["42", 42],
  ["-0", -0],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["null", null],
  ["undefined", undefined],
  ['"a (b) c"', "a (b) c"],
  ["'single'", "single"],
  ["({ a: [1, { 'b c': true }], })", { a: [1, { "b c": true }] }],
  ["document.title", "T"],
  ["document.body.textContent;", "some text"],
  ["window.location.href", "about:blank"],
  ["document.location.href", "about:blank"],
  ["navigator.userAgent", "UA"],
  ["() => 1", 1],
  ["() => ({ a: 1 })", { a: 1 }],
  ["async () => { return document.title; }", "T"],
  ["function title() { return document.title }", "T"],
  ["function () {}", undefined],
  ["() => document.title\n//# sourceURL=pptr:internal", "T"]
]

describe("Literal", () => {
  for (const [text, expected] of values) {
    it(`evaluates ${JSON.stringify(text)}`, () => assert.deepStrictEqual(evaluated(text), expected))
  }

  it("returns the object that a function returns unchanged", () => {
    assert.deepStrictEqual(evaluated("object => object", { called: true, held: [1] }), [1])
    assert.deepStrictEqual(evaluated("function (value) { return value }", { called: true, held: [1] }), [1])
  })

  it("refuses everything else and suggests a real browser", () => {
    const refused = ["", "1 + 2", "fetch('/')", "process", "a = 1", "new Date()", "(a, b) => a", "() => f()", "`${1}`"]
    for (const text of [...refused, "document.title.length", "constructor", "__proto__", "x => x.y"]) {
      assert.strictEqual(evaluated(text), literalsOnly, text)
    }
    assert.strictEqual(evaluated("() => 1", { called: false }), literalsOnly)
    assert.strictEqual(evaluated("1", { called: true }), literalsOnly)
  })

  it("refuses sources that are too long or nested too deeply", () => {
    for (const text of [
      "[".repeat(50_000),
      `${"[".repeat(129)}${"]".repeat(129)}`,
      "!".repeat(50_000),
      "(".repeat(5000)
    ]) {
      assert.strictEqual(evaluated(text), literalsOnly)
    }
    assert.strictEqual(evaluated(`"${"x".repeat(70_000)}"`), literalsOnly)
    // each of these would take minutes if a pattern backtracked
    for (const text of ["() ", "() => {return", "async", "function", "() => {return;", "\n//# sourceURL=", "("]) {
      assert.strictEqual(evaluated(`${text}${" ".repeat(60_000)}x`), literalsOnly)
      assert.strictEqual(evaluated(text.repeat(60_000 / text.length)), literalsOnly)
    }
  })
})
