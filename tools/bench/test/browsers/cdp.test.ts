import { assert, it } from "vitest"
import { type Cdp, markdown } from "../../src/browsers/cdp.ts"
import { heading } from "../measure/heading.ts"

const rounds = (...times_ms: ReadonlyArray<number>) =>
  times_ms.map((roundTrip_ms) => ({
    roundTrip_ms,
    pipelined: 1000 / roundTrip_ms,
    large: 40,
    one_us: 100 * roundTrip_ms,
    many_us: 10 * roundTrip_ms
  }))

const cdp = (slower_ms: number): Cdp => ({
  isolation: "namespaces",
  rounds: {
    direct: rounds(0.2, 0.4, 0.5),
    relay: rounds(0.3, 0.5, 0.6),
    server: rounds(0.2 + slower_ms, 0.4 + slower_ms, 0.5 + slower_ms)
  }
})

it("CDP through the server is compared with both other ways, round by round", () => {
  const text = markdown({ ...heading, against: null, cdp: [cdp(0.1)] })
  assert.include(text, "isolation namespaces; 3 rounds")
  assert.include(text, "| round trip, p50 ms | 0.400 | 0.500 | 0.500 |")
  assert.include(
    text,
    "| round trip, longer by | 0.100 ms (half of the rounds 0.100 to 0.100) | 0.000 ms (half of the rounds 0.000 to 0.000) |"
  )
  assert.include(text, "| CPU of the process between, one at a time, µs | – | 47 | 47 |")
})

it("CDP through the server of the other version has its own ways next to it, and a ratio", () => {
  const text = markdown({ ...heading, against: "0123abc", cdp: [cdp(0.1), cdp(0.3)] })
  assert.include(text, "| direct | relay | server | direct, 0123abc | relay, 0123abc | server, 0123abc |")
  assert.include(text, "| than direct | than the relay | than direct, 0123abc | than the relay, 0123abc | ÷ 0123abc |")
  assert.include(text, "0.300 ms (half of the rounds 0.300 to 0.300)")
  assert.include(text, "| 0.71 (0.6 to 0.75) |\n| 64 at a time")
})
