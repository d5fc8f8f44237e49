import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as FolderSize from "../process/FolderSize.ts"
import { exceeds, trees } from "../process/ProcessTree.ts"

/** A browser that may take too much. */
interface Watched {
  readonly pid: number
  readonly folder: string
  readonly end: (how: "out_of_memory" | "out_of_disk") => Effect.Effect<void>
}

/** Maximum resources of a browser. */
interface Most {
  readonly memory_bytes: number
  readonly disk_bytes: number
}

/**
 * Ends browsers whose pages take too much memory, or that have too many files, or too large ones. Without browsers, it
 * sleeps until the returned function says that there is one.
 */
export const watch = Effect.fnUntraced(function* (
  browsers: () => ReadonlyArray<Watched>,
  { disk_bytes, memory_bytes }: Most
): Effect.fn.Return<() => void, never, Scope.Scope> {
  const some = Latch.makeUnsafe(false)
  const untilSome = Effect.suspend(() => {
    if (browsers().length === 0) some.closeUnsafe()
    return some.await
  })
  const regularly = (look: Effect.Effect<void>) =>
    untilSome.pipe(Effect.andThen(look), Effect.andThen(Effect.sleep("2 seconds")), Effect.forever, Effect.forkScoped)
  const memory = Effect.suspend(() => {
    const all = browsers()
    const processes = trees(all.map(({ pid }) => pid))
    const heavy = all.filter((_, index) => exceeds(processes[index] ?? [], memory_bytes))
    return Effect.forEach(heavy, ({ end }) => end("out_of_memory"), { discard: true })
  })
  const disk = Effect.suspend(() =>
    Effect.forEach(
      browsers(),
      ({ end, folder }) =>
        Effect.flatMap(
          Effect.promise(() => FolderSize.exceeds(folder, disk_bytes)),
          (isFull) => (isFull ? end("out_of_disk") : Effect.void)
        ),
      { discard: true }
    )
  )
  if (process.platform === "linux") yield* regularly(memory)
  yield* regularly(disk)
  return () => void some.openUnsafe()
})
