import * as Effect from "effect/Effect"
import { cut } from "@webagent/report/Text"

/** A rejection's message, and the line of a file that it is from where it has one. */
const sentence = (reason: unknown): string => {
  if (!(reason instanceof Error)) return cut(String(reason), 200)
  const line = /\(?(?:file:\/\/)?(\/[^\s()]+\.suite\.\w+:\d+)(?::\d+)?\)?$/mu.exec(reason.stack ?? "")?.[1]
  return (
    cut(`${reason.name}: ${reason.message}`.replaceAll(/\s+/gu, " "), 200) + (line === undefined ? "" : `, ${line}`)
  )
}

/**
 * Keeps a rejected promise that no scenario awaited from ending the process, which would lose the report and leave runs
 * and browsers open. Until the scope closes, the sentences of such rejections are added to the list.
 */
export const collect = Effect.acquireRelease(
  Effect.sync(() => {
    const rejections: Array<string> = []
    const add = (reason: unknown) => void rejections.push(sentence(reason))
    process.on("unhandledRejection", add)
    return { rejections, add }
  }),
  // one that was rejected just now is told of in the next turn
  ({ add }) =>
    Effect.andThen(
      Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
      Effect.sync(() => process.off("unhandledRejection", add))
    )
).pipe(Effect.map(({ rejections }): ReadonlyArray<string> => rejections))
