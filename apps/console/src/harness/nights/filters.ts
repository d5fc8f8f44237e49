import { queryOf, textIn } from "../state/address.ts"
import { type HeatFilters, type Order, orders } from "./heat.ts"
import { type Show, shows } from "./measure.ts"

/** The choice of rows and columns, as the page's address has it. */
export interface Choice {
  readonly filters: HeatFilters
  readonly order: Order
  readonly show: Show
  /** Ids of the nights that are to be compared: at most two. */
  readonly compared: ReadonlyArray<string>
}

/** Reads a choice from an address. */
export const choiceOf = (search: string): Choice => {
  const query = new URLSearchParams(search)
  const text = (name: string) => textIn(query, name)
  return {
    filters: { text: text("text"), tag: text("tag"), owner: text("owner"), isRedOnly: query.get("red") === "true" },
    order: orders.find((one) => one === query.get("order")) ?? "tonight",
    show: shows.find((one) => one === query.get("show")) ?? "result",
    compared: text("compare").split(",").filter(Boolean).slice(0, 2)
  }
}

/** Writes a choice as the query of an address. */
export const textOf = ({ compared, filters, order, show }: Choice): string =>
  queryOf({
    text: filters.text,
    tag: filters.tag,
    owner: filters.owner,
    red: filters.isRedOnly,
    order: order === "tonight" ? "" : order,
    show: show === "result" ? "" : show,
    compare: compared.join(",")
  })
