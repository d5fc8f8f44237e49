import * as Effect from "effect/Effect"
import type { World } from "./World.ts"

/** The same world with less in it, the worlds that leave out most first. */
const smaller = function* ({ happenings, nodes }: World): Iterable<World> {
  for (let size = Math.ceil(happenings.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < happenings.length; at += size) {
      yield { nodes, happenings: happenings.toSpliced(at, size) }
    }
  }
  for (const [at, happening] of happenings.entries()) {
    const simpler = [
      ...(happening.pause_ms === 0 ? [] : [{ ...happening, pause_ms: 0 }]),
      ...(happening.pause_ms % 500 === 0
        ? []
        : [{ ...happening, pause_ms: Math.round(happening.pause_ms / 500) * 500 }]),
      ...(happening.which === 0 ? [] : [{ ...happening, which: 0 }]),
      ...(happening.node === 0 ? [] : [{ ...happening, node: 0 }])
    ]
    for (const each of simpler) yield { nodes, happenings: happenings.with(at, each) }
  }
}

/** How many worlds are tried at most to make one smaller. */
const tries = 2000

/** The fewest happenings, the shortest pauses, with which a world still breaks a rule. */
export const shrink = Effect.fnUntraced(function* (broken: World, isBroken: (world: World) => Effect.Effect<boolean>) {
  let smallest = broken
  let left = tries
  for (let found = true; found;) {
    found = false
    for (const world of smaller(smallest)) {
      if (left-- === 0) return smallest
      if (!(yield* isBroken(world))) continue
      smallest = world
      found = true
      break
    }
  }
  return smallest
})
