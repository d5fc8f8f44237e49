import { assert, it } from "@effect/vitest"
import { withAddresses } from "../../src/config/StoredChannels.ts"
import type { Channel } from "../../src/config/Values.ts"

const slack: Channel = { kind: "slack", to: "HOOK" }
const webhook = (to: string): Channel => ({ kind: "webhook", to })

it("a resumed run takes the addresses of its webhooks from the configuration", () => {
  const hidden = webhook("https://a.example/<hidden>")
  const stored = [slack, hidden, hidden, webhook("https://b.example/<hidden>")]
  const notifications = [
    { webhook: "https://a.example/one" },
    { webhook: "https://a.example/two" },
    { webhook: "https://c.example/three" },
    { slack: "OTHER" }
  ]
  assert.deepStrictEqual(withAddresses(stored, notifications), [
    slack,
    webhook("https://b.example/<hidden>"),
    webhook("https://a.example/one"),
    webhook("https://a.example/two")
  ])
  // one of them may have been named by a flag, and which one isn't known
  assert.deepStrictEqual(withAddresses([hidden], notifications), [hidden])
  assert.deepStrictEqual(withAddresses([hidden, hidden, hidden], notifications), [hidden, hidden, hidden])
  assert.deepStrictEqual(withAddresses(stored), stored)
  assert.deepStrictEqual(withAddresses([slack, webhook("HOOK")], notifications), [slack, webhook("HOOK")])
})
