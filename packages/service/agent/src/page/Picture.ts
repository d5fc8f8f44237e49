import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { call } from "./Frame.ts"
import { type Hands, isError, refuse, told } from "./Hands.ts"
import { unlessStopped } from "./Settle.ts"
import type { Tab } from "./Tab.ts"

const quality = 60

/**
 * Makes pictures of the visible part of the tab in front, as JPEG. A picture is refused while a document holds a secret
 * or a filled password field, visible or not, before or after it; while a site that a secret is for has a canvas, or a
 * frame with one; and while there is a document that this task may not read.
 */
export const make = (hands: Hands) => {
  const { client, tabs } = hands

  /** Refused where a document of the tab must not be seen. */
  const check = (tab: Tab) => {
    // what a site has, the frames inside it may draw
    const mayDraw = Array.from(tab.frames.values()).some(({ origin }) => hands.secrets.mayBeOn(origin))
    return Effect.forEach(
      tab.frames.values(),
      (frame) =>
        Effect.gen(function* () {
          if (frame.isCrashed || isError(frame.url)) return
          // one that has not loaded anything yet has no address
          if (frame.url !== "" && !tab.mayLoad(frame.url))
            return yield* refuse("No picture: the task may not read this document.")
          const { draws, hasPassword, texts } = yield* call(frame, "contents", hands.secrets.names.length > 0)
          if (texts === null) return yield* refuse("No picture: the page is too long to look for secrets.")
          if (hasPassword || hands.secrets.shows(texts)) return yield* refuse("No picture: a secret is in sight.")
          // what is drawn is no text
          if (draws && mayDraw) return yield* refuse("No picture: a canvas may show a secret.")
        }),
      { concurrency: "unbounded", discard: true }
    )
  }

  return told(
    hands,
    Effect.gen(function* () {
      const tab = tabs.front()
      if (tab.dialog !== undefined) return yield* refuse("No picture: the page asks something.")
      const picture = Effect.gen(function* () {
        yield* check(tab)
        const { data } = yield* tab.session.send("Page.captureScreenshot", {
          format: "jpeg",
          quality,
          optimizeForSpeed: true
        })
        yield* check(tab)
        return Result.getOrElse(Base64.decode(data), () => new Uint8Array())
      })
      const taken = yield* unlessStopped(client, tab, picture)
      return taken?._tag === "Some" ? taken.value : yield* refuse("No picture: the page does not respond.")
    })
  )
}
