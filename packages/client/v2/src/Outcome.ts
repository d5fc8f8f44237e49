import type { TaskItemView } from "@webagent/contract/v2"

/** The outcome of a task. */
export type Outcome =
  /** `output` is what the agent answered; whether it is right, `isSuccess` and `judgeVerdict` of the task say. */
  | { readonly _tag: "Completed"; readonly task: TaskItemView; readonly output: string | null }
  | { readonly _tag: "Failed"; readonly task: TaskItemView }
  /** It was stopped, and cannot be resumed. */
  | { readonly _tag: "Cancelled"; readonly task: TaskItemView }
  /** Nothing yet: the status is none of the terminal ones. */
  | { readonly _tag: "Unfinished"; readonly task: TaskItemView }

/**
 * Returns the outcome of a task, by its status.
 *
 * @param task - A task as the service returns it.
 * @returns The outcome, with a tag for each way in which a task can end.
 * @example
 * ```ts
 * import { Outcome, Sessions } from "@webagent/v2"
 * import * as Effect from "effect/Effect"
 *
 * export const tags = Sessions.use((sessions) =>
 *   Effect.map(sessions.get("5f2e"), ({ tasks }) => tasks.map((task) => Outcome.of(task)._tag))
 * )
 * ```
 */
export const of = (task: TaskItemView): Outcome => {
  switch (task.status) {
    case "finished":
      return { _tag: "Completed", task, output: task.output }
    case "failed":
      return { _tag: "Failed", task }
    case "stopped":
      return { _tag: "Cancelled", task }
    default:
      return { _tag: "Unfinished", task }
  }
}
