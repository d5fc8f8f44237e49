import { assert, it } from "@effect/vitest"
import { launch } from "@webagent/test-chromium/Launched"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Page from "../../src/page/Page.ts"
import { numberOf } from "../support/browser.ts"
import { serve } from "../support/site.ts"

const origin = Effect.map(serve, (site) => site.origin)

it.live("a page that never becomes idle is reported, and the next task leaves it", () =>
  Effect.gen(function* () {
    const url = yield* origin
    const { connect } = yield* launch()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const page = yield* Page.make(yield* connect)
        yield* page.navigate(`${url}/busy`)
        const { text } = yield* page.look()
        const clicking = yield* Effect.forkScoped(page.click(numberOf(text, "Work for ever")))
        yield* Effect.sleep("1 second")
        yield* Fiber.interrupt(clicking)
        const clock = yield* Clock.Clock
        const hurried: Clock.Clock = Object.create(clock, {
          sleep: { value: () => clock.sleep(Duration.millis(100)) }
        })
        assert.include(
          (yield* Effect.provideService(page.look(), Clock.Clock, hurried)).text,
          "has not responded for 20 seconds: wait and look again, or close its tab."
        )
      })
    )
    const page = yield* Page.make(yield* connect)
    const { text } = yield* page.look()
    assert.include(text, "Note: The page of the last task does not respond: close its tab.")
    yield* page.navigate(`${url}/plain`)
    assert.include((yield* page.look()).text, "The code is 4711.")
    assert.strictEqual(yield* page.tab("close", { number: 1 }), "Closed it.")
    assert.notInclude((yield* page.look()).text, "Tabs:")
  }).pipe(Effect.scoped)
)
