import type { RunDetails } from "@webagent/admin"
import type { RunBody } from "../start/code.ts"
import { valueInCode } from "../start/secrets.ts"

/** A result as text: JSON is indented, text stays as it is. */
export const resultText = (result: unknown): string =>
  typeof result === "string" ? result : (JSON.stringify(result, null, 2) ?? "")

const judgeOf = ({ context, model }: NonNullable<RunDetails["judge"]>) => {
  const judge = { ...(context === null ? {} : { context }), ...(model === null ? {} : { model }) }
  return Object.keys(judge).length === 0 ? true : judge
}

/** The body of a create that starts the same run. */
export const bodyOf = ({
  attachedFileIds,
  browserSettings = null,
  budget,
  judge = null,
  metadata = {},
  model,
  modelParams,
  onMaxCost,
  outputSchema,
  profileId,
  secretBindings = [],
  tags,
  task
}: RunDetails): RunBody => {
  const browser = Object.fromEntries(
    Object.entries({ profileId, ...browserSettings }).filter(([, value]) => value !== null)
  )
  return {
    task,
    ...(model === null ? {} : { model }),
    ...(modelParams === null ? {} : { modelParams }),
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(budget === null || budget.costUsd === null ? {} : { maxCostUsd: Number(budget.costUsd) }),
    ...(attachedFileIds === null || attachedFileIds.length === 0 ? {} : { attachedFileIds }),
    ...(onMaxCost === "pause" ? { onMaxCost } : {}),
    ...(judge === null ? {} : { judge: judge.on ? judgeOf(judge) : false }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(secretBindings.length === 0
      ? {}
      : {
          secretBindings: secretBindings.map(({ alias, allowedDomains, server }) => ({
            alias,
            source: server === null ? { type: "inline", value: valueInCode } : { type: "server", name: server },
            allowedDomains
          }))
        }),
    ...(Object.keys(browser).length === 0 ? {} : { browserSettings: browser })
  }
}
