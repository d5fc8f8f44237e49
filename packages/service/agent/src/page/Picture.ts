import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { type Hands, refuse, told } from "./Hands.ts"
import * as Reader from "./Reader.ts"
import { unlessStopped } from "./Settle.ts"

const quality = 60

/** What is in sight of the tab in front, as a JPEG. It is refused while a secret can be seen, before or after it. */
export const make = (hands: Hands) => {
  const { sessions, tabs } = hands
  return told(
    hands,
    Effect.gen(function* () {
      const tab = tabs.front()
      if (tab.dialog !== undefined) return yield* refuse("No picture: the page asks something.")
      const isSecret = Effect.map(
        Reader.read(tab, { margin: 0, maxChars: 100_000 }),
        ({ password, text }) => password || hands.secrets.shows(text)
      )
      const picture = Effect.gen(function* () {
        const refusal = refuse("No picture: a secret is in sight.")
        if (yield* isSecret) return yield* refusal
        const { data } = yield* tab.session.send("Page.captureScreenshot", {
          format: "jpeg",
          quality,
          optimizeForSpeed: true
        })
        if (yield* isSecret) return yield* refusal
        return Result.getOrElse(Base64.decode(data), () => new Uint8Array())
      })
      const taken = yield* unlessStopped(sessions, tab, picture)
      return taken?._tag === "Some" ? taken.value : yield* refuse("No picture: the page does not answer.")
    })
  )
}
