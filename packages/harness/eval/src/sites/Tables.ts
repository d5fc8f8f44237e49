import * as Draw from "./Draw.ts"
import { markup, page } from "./Html.ts"
import type { Episode, Site } from "./Site.ts"

const regions = ["North", "East", "South", "West"]
const products = ["Pumps", "Valves", "Filters"]
const months = ["January", "February", "March", "April", "May"]
const pageSize = 15

const total = (random: () => number): Episode => {
  const rows = Draw.shuffled(
    random,
    regions.flatMap((region) =>
      products.flatMap((product) =>
        months.map((month) => ({ region, product, month, units: Draw.whole(random, 3, 99) }))
      )
    )
  )
  const [region, product] = [Draw.one(random, regions), Draw.one(random, products)]
  const units = rows
    .filter((row) => row.region === region && row.product === product)
    .reduce((sum, row) => sum + row.units, 0)
  const answers: Array<string> = []
  return {
    instruction: (address) =>
      `Open ${address}. Add up the units of ${product} that the region ${region} sold in all months, over all pages of the table. Enter the sum in the field "Answer" and submit it.`,
    expected: { answers: [String(units)] },
    actual: () => ({ answers }),
    respond: ({ form, method, path, query }) => {
      if (method === "POST" && path === "/answer") {
        answers.push((form.get("answer") ?? "").trim())
        return page("Thank you", markup`<p>Your answer was stored.</p>`)
      }
      if (path !== "/") return undefined
      const at = Number(query.get("page") ?? 0)
      const last = Math.ceil(rows.length / pageSize) - 1
      return page(
        "Sales",
        markup`<p>Page ${at + 1} of ${last + 1}</p><table><tr><th>Region</th><th>Product</th><th>Month</th><th>Units</th></tr>${rows
          .slice(at * pageSize, (at + 1) * pageSize)
          .map(
            (row) =>
              markup`<tr><td>${row.region}</td><td>${row.product}</td><td>${row.month}</td><td>${row.units}</td></tr>`
          )}</table>
          <nav>${at > 0 ? markup`<a href="./?page=${at - 1}">Previous page</a>` : undefined}${at < last ? markup`<a href="./?page=${at + 1}">Next page</a>` : undefined}</nav>
          <form method="post" action="answer"><label>Answer <input name="answer"></label><button>Submit</button></form>`
      )
    }
  }
}

/** A long table over several pages. */
export const tables: Site = {
  name: "tables",
  summary: "add up numbers of a table over several pages",
  tasks: [{ name: "add up a table over several pages", begin: total }]
}
