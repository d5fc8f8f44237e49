import type { Difference, Drift } from "@webagent/cassette/Drift"
import type { Style } from "@webagent/cli/Style"
import { counted } from "@webagent/cli/Text"

const where = ({ field, kind }: Difference): string =>
  field === null ? (kind === "status" ? "HTTP status" : kind) : field === "" ? "body" : field

const behind = ({ answers, field }: Difference) => (answers === "" || field === null ? "" : `   (${answers})`)

/** The differences by operation, a line each; the last line says how many. */
export const lines = ({ compared, differences, onlyInA, onlyInB }: Drift, style: Style): ReadonlyArray<string> => {
  const width = Math.max(0, ...differences.map((one) => where(one).length))
  const byOperation = Map.groupBy(differences, ({ operation }) => operation)
  const found = [...byOperation].flatMap(([operation, all]) => [
    style.strong(operation),
    ...all.map(
      (one) => `  ${where(one).padEnd(width)}   ${one.before} -> ${style.bad(one.after)}${style.faint(behind(one))}`
    )
  ])
  const only = (side: string, operations: ReadonlyArray<string>) =>
    operations.length === 0 ? [] : [style.faint(`only in ${side}, not compared: ${operations.join(", ")}`)]
  const count = differences.length
  return [
    ...found,
    ...only("A", onlyInA),
    ...only("B", onlyInB),
    compared.length === 0
      ? "CANNOT TELL: no operation is in both recordings"
      : count === 0
        ? `No difference in ${counted(compared.length, "operation")}`
        : `${counted(count, "difference")} in ${byOperation.size} of ${counted(compared.length, "operation")}`
  ]
}
