import type { RunDetails } from "@webagent/admin"
import type { RunBody } from "../start/code.ts"

/** A result as text: JSON is indented, text stays as it is. */
export const resultText = (result: unknown): string =>
  typeof result === "string" ? result : (JSON.stringify(result, null, 2) ?? "")

/** The body of a create that starts the same run. */
export const bodyOf = ({
  attachedFileIds,
  budget,
  model,
  modelParams,
  outputSchema,
  profileId,
  task
}: RunDetails): RunBody => ({
  task,
  ...(model === null ? {} : { model }),
  ...(modelParams === null ? {} : { modelParams }),
  ...(outputSchema === null ? {} : { outputSchema }),
  ...(budget === null || budget.costUsd === null ? {} : { maxCostUsd: Number(budget.costUsd) }),
  ...(attachedFileIds === null || attachedFileIds.length === 0 ? {} : { attachedFileIds }),
  ...(profileId === null ? {} : { browserSettings: { profileId } })
})
