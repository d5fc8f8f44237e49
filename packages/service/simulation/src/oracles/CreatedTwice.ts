import * as Findings from "./Findings.ts"
import { caller, type Detector, type RequestRow } from "./Detector.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"

interface Create {
  readonly made: string
  readonly seq: number
  readonly at_ms: number
}

interface Intent {
  /** One whose caller cannot know what it made. */
  lost: Create | undefined
  last: Create | undefined
}

/**
 * Two resources made for one intent. Under one Idempotency-Key every second one is; without a key one that was made
 * by the same body from the same caller after an answer was lost. Equal creates whose answers all arrived are several
 * intents.
 */
export const make = (): Detector => {
  const findings = Findings.make()
  const keyed = BoundedMap.make<Create>()
  const intents = BoundedMap.make<Intent>()

  const twice = (matter: string, row: RequestRow, first: Create, second: Create, why: string) =>
    findings.add(matter, {
      resource: second.made,
      sentence: `${row.operation} created ${first.made} and ${second.made} for one request: ${why}.`,
      seqs: [first.seq, second.seq]
    })

  const underKey = (row: RequestRow, create: Create) => {
    const scope = `${caller(row)} ${row.operation} ${row.resource ?? ""} ${row.idempotencyKey}`
    const first = keyed.get(scope)
    if (first === undefined) keyed.set(scope, create)
    else if (first.made !== create.made) twice(scope, row, first, create, "both had the same Idempotency-Key")
  }

  const afterLoss = (row: RequestRow, create: Create, isReported: boolean) => {
    const scope = `${caller(row)} ${row.operation} ${row.create}`
    const intent = intents.get(scope) ?? { lost: undefined, last: undefined }
    intents.set(scope, intent)
    const { last, lost } = intent
    const why = "the first response was lost, and the retry had no Idempotency-Key"
    if (lost !== undefined && lost.at_ms <= create.at_ms) {
      twice(scope, row, lost, create, why)
      intent.lost = isReported ? undefined : create
    } else if (!isReported && last !== undefined && create.at_ms < last.at_ms) {
      // the row of the lost one came later: its caller was long in leaving
      twice(scope, row, create, last, why)
    } else if (!isReported) {
      intent.lost = create
    }
    intent.last = create
  }

  return {
    oracle: "created-twice",
    request: (row, intact) => {
      if (row.made === null || row.create === null) return
      const create = { made: row.made, seq: row.seq, at_ms: row.at_ms }
      if (row.idempotencyKey === null) afterLoss(row, create, intact)
      else underKey(row, create)
    },
    findings: () => findings,
    well: "Nothing was created twice.",
    ill: (count) =>
      `${Findings.counted(count, "resource was", "resources were")} created twice. Each one runs and costs.`
  }
}
