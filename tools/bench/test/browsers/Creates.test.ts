import { assert, it } from "vitest"
import { createsTable } from "../../src/browsers/Creates.ts"

const creates = (times: number) => ({
  warm: [10, 12, 14].map((time) => time * times),
  cold: [100, 200].map((time) => time * times),
  burst: [[100, 200, 300].map((time) => time * times), [200, 400, 600].map((time) => time * times)]
})

it("creates have their times, with a burst's last one in a row of its own", () => {
  const text = createsTable([creates(1)], null)
  assert.include(text, "| one that waits | 12 | 14 |")
  assert.include(text, "| each of ten at once | 250 | 550 |")
  assert.include(text, "| the last of ten at once | 450 | 585 |")
  assert.notInclude(text, "÷")
})

it("creates are compared with the other version within each round", () => {
  const text = createsTable([creates(1), creates(2)], "0123abc")
  assert.include(text, "| POST /browsers, ms | p50 | p95 | p50, 0123abc | p95, 0123abc | ÷ 0123abc |")
  assert.include(text, "| one that waits | 12 | 14 | 24 | 28 | 0.5 (0.5 to 0.5) |")
  assert.include(text, "| each of ten at once | 250 | 550 | 500 | 1100 | 0.5 (0.5 to 0.5) |")
})
