import { assert, describe, it } from "vitest"
import { markdown } from "../../src/versions/VersionsReport.ts"
import { heading } from "../measure/heading.ts"

describe("VersionsReport", () => {
  const settings = { rounds: 3, seeds: { worlds: 1, engines: 1 }, starts: 1, reads: 1, creates: 1 }

  it("shows each path with its ratio within the rounds", () => {
    const text = markdown({
      ...heading,
      against: "0123456789ab",
      settings,
      paths: [{ name: "status read, mock", unit: "µs", now: [20, 40, 60], before: [10, 20, 30] }]
    })
    assert.include(text, "| status read, mock | 40 µs | 20 µs | 2.00 (2.00 to 2.00) | – |")
  })

  it("names a path whose versions did different work", () => {
    const path = { name: "client worlds, a seed", unit: "ms", now: [3, 3, 3], before: [3, 3, 3] }
    const text = markdown({
      ...heading,
      against: "0123456789ab",
      settings,
      paths: [
        { ...path, isSame: false },
        { ...path, name: "server worlds, a seed", isSame: true }
      ]
    })
    assert.include(text, "| client worlds, a seed | 3 ms | 3 ms | 1.00 (1.00 to 1.00) | **no** |")
    assert.include(text, "| server worlds, a seed | 3 ms | 3 ms | 1.00 (1.00 to 1.00) | yes |")
  })
})
