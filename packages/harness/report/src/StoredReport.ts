type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => Object(value) as Fields

/** Keeps the numbers of a figure of format 2; its values were sentences. */
const upgradedRow = (row: unknown): Fields => {
  const { before: _, contributors: __, detectable: ___, evidence: ____, now: _____, tier, ...rest } = fieldsOf(row)
  return { ...rest, isUnusual: tier === "unusual", now: null, before: null, detectable: null }
}

/** Converts the JSON of a report of format 2: its reasons and the values of its figures were sentences. */
export const upgraded = (report: unknown): unknown => {
  if (fieldsOf(report)["format"] !== 2) return report
  const { gate: _, judgement, proposals: __, ...rest } = fieldsOf(report)
  const { rows, tier: ___, ...judged } = fieldsOf(judgement)
  return {
    ...rest,
    format: 3,
    ...(judgement === undefined
      ? {}
      : { judgement: { ...judged, rows: Array.isArray(rows) ? rows.map(upgradedRow) : [] } })
  }
}
