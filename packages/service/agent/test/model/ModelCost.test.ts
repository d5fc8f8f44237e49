import { Decimal } from "@webagent/engine"
import { ModelCost } from "@webagent/agent"
import { Usage } from "effect/ai/Response"
import { describe, expect, it } from "vitest"

const usage = (
  input: Partial<Record<"uncached" | "total" | "cacheRead" | "cacheWrite", number>>,
  output: number | undefined
) =>
  new Usage({
    inputTokens: {
      uncached: input.uncached,
      total: input.total,
      cacheRead: input.cacheRead,
      cacheWrite: input.cacheWrite
    },
    outputTokens: { total: output, text: undefined, reasoning: undefined }
  })

const price = ModelCost.price({ input: "3", output: "15", cacheRead: "0.3", cacheWrite: "3.75" })

describe("ModelCost", () => {
  it("prices plain, cached and written input separately", () => {
    const cost = ModelCost.of(price, usage({ total: 1_300, cacheRead: 1_000, cacheWrite: 200 }, 7))
    // 100 * 3 + 1,000 * 0.3 + 200 * 3.75 + 7 * 15 = 1,455 USD for a million
    expect(cost).toBe(1_455_000_000n)
    expect(ModelCost.format(cost ?? 0n)).toBe("0.001455")
  })

  it("counts a tenth of a millionth of a dollar exactly", () => {
    const cheap = ModelCost.price({ input: "0.1", output: "0.000001" })
    const call = ModelCost.of(cheap, usage({ total: 1 }, 1))
    expect(call).toBe(100_001n)
    let sum: ModelCost.ModelCost = 0n
    for (let step = 0; step < 10_000; step++) sum = ModelCost.add(sum, call)
    expect(ModelCost.format(sum ?? 0n)).toBe("0.00100001")
  })

  it("formats a cost that the engine can add", () => {
    expect(Decimal.add(ModelCost.format(1n), ModelCost.format(2_500_000_000_000n))).toBe("2.500000000001")
    expect(ModelCost.format(0n)).toBe("0")
  })

  it("is unknown, and not 0, without a price or a count", () => {
    expect(ModelCost.of(undefined, usage({ total: 5 }, 5))).toBeNull()
    expect(ModelCost.of(price, usage({}, 5))).toBeNull()
    expect(ModelCost.of(price, usage({ total: 5 }, undefined))).toBeNull()
    expect(ModelCost.add(5n, null)).toBeNull()
  })

  it("is unknown if tokens have no price", () => {
    const plain = ModelCost.price({ input: "3", output: "15" })
    expect(ModelCost.of(plain, usage({ total: 5, cacheRead: 1 }, 5))).toBeNull()
    expect(ModelCost.of(plain, usage({ total: 5, cacheRead: 0 }, 5))).toBe(90_000_000n)
  })

  it.each(["", "-1", "1e-3", "0.0000001", "free", "1,5"])("refuses a price of %j and names it", (input) => {
    expect(() => ModelCost.price({ input, output: "1" })).toThrow(
      `input must be USD for a million tokens, such as 3 or 0.075, with at most 6 decimals; got ${input}`
    )
  })
})
