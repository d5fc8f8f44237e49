import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { Console } from "../../state/client.ts"
import { epoch, putBrowsers } from "../../state/live.ts"

/** A browser with its links. */
export const browserPage = Atom.family((id: string) =>
  Console.runtime.atom((get) => {
    get(epoch)
    return Effect.gen(function* () {
      const client = yield* Console
      const params = { browser_id: id }
      const browser = yield* client.browsers.get({ params })
      putBrowsers([browser])
      return { browser, links: yield* client.browsers.links({ params }) }
    })
  })
)

/** Takes control of a browser for a minute; taking it again extends it. */
export const takeControl = Console.mutation("browsers", "takeControl")

/** Releases control of a browser. */
export const releaseControl = Console.mutation("browsers", "releaseControl")

/** Stops browsers. */
export const stopBrowsers = Console.mutation("browsers", "stop")

/** For how long control is taken, and how often it's extended. */
export const holding = { seconds: 60, extend_ms: 25_000 }
