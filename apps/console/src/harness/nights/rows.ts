import { nightAddress, scenarioAddress, trialAddress } from "../state/address.ts"
import { addressOf } from "./heads.ts"
import type { Drawn, Line, Night } from "./heat.ts"
import type { View } from "./measure.ts"
import type { WholeLine } from "./whole.ts"

/** A row of the grid: a scenario, or a figure of whole nights. */
export interface GridRow {
  readonly key: string
  /** Undefined for whole nights. */
  readonly suite: string | undefined
  readonly name: string
  readonly isQuarantined: boolean
  /** The address behind its name. */
  readonly to: string
  readonly drawn: (night: Night) => Drawn
  readonly described: (night: Night) => string
  /** The address behind a cell. */
  readonly addressOf: (night: Night) => string
}

/** The row of a scenario. */
export const rowOf = (line: Line, view: View): GridRow => ({
  key: String(line.index),
  suite: line.of.suite,
  name: line.of.name,
  isQuarantined: line.of.quarantine !== null,
  to: scenarioAddress(line.of),
  drawn: (night) => view.drawn(line, night),
  described: (night) => view.described(line, night),
  addressOf: ({ of }) => (of.run === null ? nightAddress(of.id) : trialAddress(of.run, line.of))
})

/** The row of a figure of whole nights. */
export const wholeRowOf = ({ described, drawn, whole }: WholeLine): GridRow => ({
  key: whole,
  suite: undefined,
  name: whole,
  isQuarantined: false,
  to: "/trend",
  drawn,
  described,
  addressOf
})
