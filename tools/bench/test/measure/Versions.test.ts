import { assert, describe, it } from "vitest"
import { Mistake } from "../../src/measure/Mistake.ts"
import { bundledAt, comparable, inTurns, withBoth } from "../../src/measure/Versions.ts"

const failureOf = (act: () => Promise<unknown>) =>
  act().then(
    () => undefined,
    (error: unknown) => error
  )

describe("Versions", () => {
  it("are in the opposite order in every other round", () => {
    assert.deepStrictEqual(
      [0, 1, 2].map((round) => inTurns(["now", "before"], round).join()),
      ["now,before", "before,now", "now,before"]
    )
  })

  it("are opened one after the other, and closed even if the second can't be opened", async () => {
    const events: Array<string> = []
    const open = async (name: string) => {
      events.push(`open ${name}`)
      if (name === "before") throw new Error("no such flag")
      return name
    }
    const close = async (name: string) => void events.push(`close ${name}`)
    const failure = await failureOf(() => withBoth(["now", "before"], open, close, async () => events.push("use")))
    assert.include(String(failure), "no such flag")
    assert.deepStrictEqual(events, ["open now", "open before", "close now"])
  })

  it("report a failure of the other version in one sentence, and leave one of this version as it is", async () => {
    const error = new Error("Build failed with 1 error:\n\n  Cannot resolve Runs.ts\n    at main.ts")
    const fail = async () => {
      throw error
    }
    const mistake = await failureOf(() => comparable({ commit: "0123abc" }, fail))
    assert.instanceOf(mistake, Mistake)
    assert.strictEqual(mistake.message, "This bench can't compare with 0123abc: Cannot resolve Runs.ts")
    assert.strictEqual(await failureOf(() => comparable({ commit: null }, fail)), error)
  })

  it("name a commit that doesn't exist", async () => {
    const mistake = await failureOf(() =>
      bundledAt(
        "no-such-branch",
        "server",
        async () => {},
        () => {}
      )
    )
    assert.instanceOf(mistake, Mistake)
    assert.include(mistake.message, 'git knows no "no-such-branch"')
  })
})
