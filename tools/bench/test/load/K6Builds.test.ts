import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { stockModule } from "../../src/load/K6Builds.ts"

describe("K6Builds", () => {
  it("stock k6 has the versions of ours, and nothing of our extension", () => {
    const ours = readFileSync(fileURLToPath(new URL("../../../k6/go.mod", import.meta.url)), "utf8")
    const stock = stockModule(ours)
    const k6 = /go\.k6\.io\/k6\/v2 v\S+/u.exec(ours)?.[0] ?? "none"
    assert.include(stock, k6)
    assert.notInclude(stock, "xk6-ts")
    assert.match(stock, /^module webagent\.invalid\/stock-k6$/mu)
    assert.include(ours, "xk6-ts")
  })
})
