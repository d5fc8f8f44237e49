import { assert, describe, it } from "@effect/vitest"
import { programOf } from "../src/Program.ts"

describe("programOf", () => {
  const name = "webagent-harness"
  const module = "file:///shop/node_modules/webagent-harness/dist/cli/Program.js"
  const script = "/shop/node_modules/.bin/webagent-harness"
  for (const [userAgent, typed] of [
    ["npm/11.0.0 node/v24", "npx webagent-harness"],
    ["pnpm/12.0.0 npm/? node/v24", "pnpm exec webagent-harness"],
    ["yarn/4.9.0 npm/? node/v24", "yarn webagent-harness"],
    ["bun/1.3.0 npm/? node/v24", "bunx webagent-harness"],
    [undefined, "npx webagent-harness"]
  ] as const) {
    it(`is ${typed} if started by ${userAgent}`, () =>
      assert.strictEqual(programOf({ name, module, script, userAgent }), typed))
  }

  it("is its name in a global install, and an npm command in the repository", () => {
    assert.strictEqual(
      programOf({ name, module, script: "/usr/local/bin/webagent-harness", userAgent: undefined }),
      "webagent-harness"
    )
    assert.strictEqual(
      programOf({ name, module: "file:///a/Program.ts", script: "/a/main.ts", userAgent: "npm/11" }),
      "npm run harness --"
    )
  })
})
