import type { Run } from "@webagent/admin"
import * as Atom from "effect/reactivity/Atom"
import * as Schema from "effect/Schema"
import type { ReactNode } from "react"
import { keptList } from "../../state/preferences.ts"
import { registry } from "../../state/react.ts"
import { count, usd } from "../../ui/format.ts"
import { Time } from "../../ui/Time.tsx"
import { Took } from "../../ui/Took.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"

/** A column of the list of runs that can be hidden. */
export interface Column {
  readonly name: string
  /** Width in CSS pixels. */
  readonly width_px: number
  readonly isNumber?: boolean
  /** True if a page of less than 1080 px has room for it. */
  readonly isMiddle?: boolean
  /** True if it's hidden until a person shows it. */
  readonly isExtra?: boolean
  readonly cell: (run: Run) => ReactNode
}

const text = (value: string | null) => <Untrusted max={40}>{value ?? "–"}</Untrusted>

/** The columns after the status and the task, which are always shown. */
export const columns: ReadonlyArray<Column> = [
  { name: "Key", width_px: 92, cell: ({ owner }) => text(owner) },
  { name: "Model", width_px: 110, cell: ({ model }) => text(model) },
  { name: "Node", width_px: 92, isExtra: true, cell: ({ node }) => text(node) },
  { name: "Steps", width_px: 40, isNumber: true, cell: ({ steps }) => steps },
  {
    name: "Tokens",
    width_px: 72,
    isNumber: true,
    isExtra: true,
    cell: ({ totalInputTokens, totalOutputTokens }) =>
      totalInputTokens === null && totalOutputTokens === null
        ? "–"
        : count((totalInputTokens ?? 0) + (totalOutputTokens ?? 0))
  },
  { name: "Cost", width_px: 66, isNumber: true, isMiddle: true, cell: ({ totalCostUsd }) => usd(totalCostUsd) },
  { name: "Created", width_px: 84, isNumber: true, isMiddle: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: "Took",
    width_px: 84,
    isNumber: true,
    cell: ({ finishedAt, startedAt }) => <Took startedAt={startedAt} finishedAt={finishedAt} />
  }
]

/** The names of the columns that differ from the default: hidden ones, and extra ones that are shown. */
const changed = keptList("columns", Schema.String)

/** The columns to show. */
export const shownColumns = Atom.make((get) => {
  const names = get(changed)
  return columns.filter(({ isExtra = false, name }) => isExtra === names.includes(name))
})

/** Shows or hides a column, and remembers it in this browser. */
export const toggleColumn = (name: string): void => {
  const names = registry.get(changed)
  registry.set(changed, names.includes(name) ? names.filter((one) => one !== name) : [...names, name])
}
