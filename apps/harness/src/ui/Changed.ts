import type { LiveMessage } from "@webagent/harness-api"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Model } from "./Model.ts"

/** Time between two looks at the folders and files of the project, which other processes change, too. */
const pause = "1 second"

type What = Extract<LiveMessage, { readonly _tag: "Changed" }>["what"]

/** Streams the kinds of data that change from now on. */
export const stream = ({ fingerprints }: Pick<Model, "fingerprints">): Stream.Stream<LiveMessage> => {
  let before: Readonly<Record<What, string>> | undefined
  const look = Effect.map(fingerprints, (now): ReadonlyArray<LiveMessage> => {
    const was = before
    before = now
    if (was === undefined) return []
    return (Object.keys(now) as ReadonlyArray<What>)
      .filter((what) => now[what] !== was[what])
      .map((what) => ({ _tag: "Changed", what }))
  })
  return Stream.flatMap(Stream.fromEffectSchedule(look, Schedule.spaced(pause)), Stream.fromIterable)
}
