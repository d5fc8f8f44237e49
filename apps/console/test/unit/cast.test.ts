import { assert, describe, it } from "@effect/vitest"
import { lost, noCast, received, socketAddress } from "../../src/features/browser/cast.ts"
import { modifiersOf, placeOf } from "../../src/features/browser/input.ts"
import { pictureOf } from "../../src/state/pictures.ts"

describe("a browser's cast", () => {
  it("replaces the beginning of a step with its end", () => {
    const begun = received(noCast, { number: 1, summary: "Open", address: "https://a.example" })
    const ended = received(begun, { number: 1, summary: "Open", address: "", failure: null, duration_ms: 900 })
    assert.strictEqual(ended.steps.length, 1)
    assert.strictEqual(ended.steps[0]?.duration_ms, 900)
    assert.strictEqual(received(ended, { number: 1, summary: "Next run" }).steps.length, 2)
  })

  it("accepts only texts from the socket", () => {
    const cast = received(noCast, { title: { evil: true }, address: 3, control: false, concealed: true })
    assert.deepStrictEqual([cast.title, cast.address, cast.isConcealed], ["", "", true])
  })

  it("has the number of viewers, and at most 20 tabs with texts", () => {
    const tabs = Array.from({ length: 30 }, (_, n) => ({ title: `tab ${n}`, address: n }))
    const cast = received(noCast, { viewers: 2, tabs: [null, ...tabs] })
    assert.strictEqual(cast.viewers, 2)
    assert.strictEqual(cast.tabs.length, 20)
    assert.deepStrictEqual(cast.tabs.at(-1), { title: "tab 29", address: "" })
    assert.deepStrictEqual(received(cast, { viewers: 1, tabs: "none" }).tabs, [])
  })

  it("has no viewers and tabs without its connection", () => {
    const cast = received(received(noCast, { title: "Shop" }), { viewers: 2, tabs: [{ title: "a" }, { title: "b" }] })
    assert.deepStrictEqual(lost(cast), { ...cast, state: "lost", viewers: 0, tabs: [] })
  })

  it("connects to its own origin, whatever the link's origin is", () => {
    assert.strictEqual(
      socketAddress("https://public.example/live/b1/secret", "http://127.0.0.1:4400/console/browsers/b1"),
      "ws://127.0.0.1:4400/live/b1/secret/socket?details=true"
    )
  })

  it("reads the id and the picture of a frame", () => {
    const { browserId, jpeg } = pictureOf(new Uint8Array([2, 0x62, 0x31, 0xff, 0xd8]))
    assert.strictEqual(browserId, "b1")
    assert.deepStrictEqual([...jpeg], [0xff, 0xd8])
  })
})

describe("input for a browser", () => {
  it("counts modifiers as CDP does", () => {
    assert.strictEqual(modifiersOf({ altKey: true, ctrlKey: true, metaKey: false, shiftKey: true }), 11)
  })

  it("is placed from 0 to 1, never outside", () => {
    const box = { left: 100, top: 50, width: 200, height: 100 }
    assert.deepStrictEqual(placeOf({ clientX: 150, clientY: 100 }, box), { x: 0.25, y: 0.5 })
    assert.deepStrictEqual(placeOf({ clientX: 0, clientY: 999 }, box), { x: 0, y: 1 })
  })
})
