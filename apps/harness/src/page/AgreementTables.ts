import type { Agreement, Pair } from "@webagent/report/Agreement"
import { counted, number, percent } from "@webagent/report/Text"
import { table } from "./Html.ts"

const words: Readonly<Record<Pair["one"], string>> = { oracle: "the oracle", agent: "the agent", judge: "the judge" }

const nameOf = ({ one, other }: Pair) => `${words[one]} and ${words[other]}`

const pairTable = (pair: Pair): string => {
  const { agreement, both, kappa, neither, one, onlyOne, onlyOther, other } = pair
  const same = `they say the same of ${percent(agreement)}`
  const beyond = kappa === null ? "chance alone would, too" : `kappa ${kappa.toFixed(2)}`
  return table({
    caption: `${nameOf(pair)}: ${same} of ${counted(both + onlyOne + onlyOther + neither, "trial")}, ${beyond}`,
    heads: ["trials", `${words[other]}: success`, `${words[other]}: no success`],
    align: " nn",
    rows: [
      [`${words[one]}: success`, number(both), number(onlyOne)],
      [`${words[one]}: no success`, number(onlyOther), number(neither)]
    ]
  })
}

const inflation = ({ inflation }: Agreement): string =>
  inflation === undefined
    ? ""
    : `<p class="small">Of ${counted(inflation.trials, "trial")} the agent calls ${percent(inflation.claimed)} a success, the oracle ${percent(inflation.found)}: its word is ${Number((inflation.by * 100).toFixed(1))} points ${inflation.by < 0 ? "too low" : "too high"}.</p>`

/** How the oracle, the agent and the service's judge agree: a table a pair, the oracle being the one to believe. */
export const render = (agreement: Agreement | undefined): string =>
  agreement === undefined ? "" : `${agreement.pairs.map(pairTable).join("")}${inflation(agreement)}`
