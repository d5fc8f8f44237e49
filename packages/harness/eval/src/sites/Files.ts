import * as Draw from "./Draw.ts"
import { markup, page } from "./Html.ts"
import type { Episode, Site } from "./Site.ts"

const months = ["january", "february", "march", "april"]
const categories = ["Travel", "Rent", "Software", "Food"]

const expense = (random: () => number): Episode => {
  const files = new Map(
    months.map((month) => [
      month,
      Draw.shuffled(random, categories).map((category) => ({ category, amount: Draw.whole(random, 100, 999) }))
    ])
  )
  const [month, category] = [Draw.one(random, months), Draw.one(random, categories)]
  const amount = files.get(month)?.find((row) => row.category === category)?.amount
  const answers: Array<string> = []
  return {
    instruction: (address) =>
      `Open ${address}. The file ${month}.csv has the expenses by category. Read it, enter the amount of ${category} in the field "Amount" and submit it.`,
    expected: { answers: [String(amount)] },
    actual: () => ({ answers }),
    respond: ({ form, method, path }) => {
      if (method === "POST" && path === "/answer") {
        answers.push((form.get("amount") ?? "").trim())
        return page("Thank you", markup`<p>Your answer was stored.</p>`)
      }
      const [, name = ""] = /^\/(\w+)\.csv$/u.exec(path) ?? []
      const rows = files.get(name)
      if (rows !== undefined) {
        const lines = ["category,amount", ...rows.map((row) => `${row.category},${row.amount}`)]
        return { type: "text/csv; charset=utf-8", body: `${lines.join("\n")}\n`, download: `${name}.csv` }
      }
      if (path !== "/") return undefined
      return page(
        "Expenses",
        markup`<ul>${months.map((month) => markup`<li><a href="${month}.csv">${month}.csv</a></li>`)}</ul>
          <form method="post" action="answer"><label>Amount <input name="amount"></label><button>Submit</button></form>`
      )
    }
  }
}

/** Files to download. */
export const files: Site = {
  name: "files",
  summary: "download a CSV file and report a number from it",
  tasks: [{ name: "read a number from a downloaded file", begin: expense }]
}
