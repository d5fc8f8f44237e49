import type { LiveMessage } from "@webagent/harness-api"
import * as Effect from "effect/Effect"
import * as Hash from "effect/Hash"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Model } from "./Model.ts"

/** Time between two looks at the folders and files of the project, which other processes change, too. */
const pause = "1 second"

type What = Extract<LiveMessage, { readonly _tag: "Changed" }>["what"]

/** Streams the state of each kind of data, and then the states that change. */
export const stream = ({ fingerprints }: Pick<Model, "fingerprints">): Stream.Stream<LiveMessage> => {
  let before: Partial<Record<What, string>> = {}
  const look = Effect.map(fingerprints, (now): ReadonlyArray<LiveMessage> => {
    const was = before
    before = now
    return (Object.keys(now) as ReadonlyArray<What>)
      .filter((what) => now[what] !== was[what])
      .map((what) => ({ _tag: "Changed", what, state: Hash.string(now[what]) }))
  })
  return Stream.flatMap(Stream.fromEffectSchedule(look, Schedule.spaced(pause)), Stream.fromIterable)
}
