import { assert, it } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import { launch } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import * as Tabs from "../../src/page/Tabs.ts"
import { serve } from "../support/site.ts"

it.live("the session of a frame in another process is forgotten with the frame, and with its page", () =>
  Effect.gen(function* () {
    const { origin } = yield* serve
    // each site in a process of its own, as on a machine with much memory
    const { connect } = yield* launch({}, ["--site-per-process"])
    const client = yield* overTransport(yield* connect)
    const tabs = yield* Tabs.make({
      client,
      now: () => performance.now(),
      note: () => undefined,
      quote: (text) => text,
      refused: (url) => url,
      mayLoad: () => true,
      counter: { next: 1 }
    })
    const tab = tabs.front()
    const before = client.handling()
    const hasOther = () => Array.from(tab.frames.values()).some(({ session }) => session !== tab.session)
    for (const leave of [
      tab.session.send("Page.navigate", { url: `${origin}/plain` }),
      tab.session.send("Runtime.evaluate", {
        expression: "document.querySelectorAll('iframe').forEach((one) => one.remove())"
      })
    ]) {
      yield* tab.session.send("Page.navigate", { url: `${origin}/frames` })
      yield* client.until(hasOther)
      assert.isAbove(client.handling(), before)
      yield* leave
      yield* client.until(() => tab.frames.size === 1 && client.handling() === before)
    }
  }).pipe(Effect.scoped)
)
