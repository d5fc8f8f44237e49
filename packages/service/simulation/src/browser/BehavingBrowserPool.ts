import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Browser, BrowserPool, type LaunchedBrowser } from "@webagent/engine"
import { Behaviour } from "../behaviour/Behaviour.ts"
import * as Distribution from "../behaviour/Distribution.ts"

/**
 * Browsers that take as long to start as the profile in force says, and whose connections are cut after a while if
 * it says so: the time is drawn anew for every connection, and cuts every other one of its browser too.
 */
export const layer: Layer.Layer<BrowserPool, never, BrowserPool | Behaviour> = Layer.effect(
  BrowserPool,
  Effect.gen(function* () {
    const pool = yield* BrowserPool
    const behaviour = yield* Behaviour

    const dropping = ({ id }: Browser.Browser, launched: LaunchedBrowser): LaunchedBrowser["connect"] => {
      let connections = 0
      return Effect.tap(launched.connect, () => {
        const { dropAfter } = behaviour.profile().browser
        if (dropAfter === undefined) return Effect.void
        const wait_ms = Distribution.draw_ms(dropAfter, behaviour.seed(), id, "drop", ++connections)
        return Effect.forkScoped(Effect.andThen(Effect.sleep(wait_ms), launched.drop))
      })
    }

    const launch = Effect.fnUntraced(function* (browser: Browser.Browser) {
      const { start } = behaviour.profile().browser
      const wait_ms = start === undefined ? 0 : Distribution.draw_ms(start, behaviour.seed(), browser.id, "start")
      if (wait_ms > 0) yield* behaviour.sleep(wait_ms)
      const launched = yield* pool.launch(browser)
      return { ...launched, connect: dropping(browser, launched) }
    })

    return { launch }
  })
)
