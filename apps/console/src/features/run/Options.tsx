import type { RunDetails } from "@webagent/admin"
import { usd } from "../../ui/format.ts"
import { Section } from "../../ui/Page.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./RunScreen.module.css"

type Fact = readonly [name: string, value: string | null]

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : Array.isArray(value) ? value.join(", ") : String(value)

const browserFacts = (settings: NonNullable<RunDetails["browserSettings"]>): ReadonlyArray<Fact> => [
  ["Window width", textOf(settings["screenWidth"])],
  ["Window height", textOf(settings["screenHeight"])],
  ["Time zone", textOf(settings["timeZone"])],
  ["Languages", textOf(settings["languages"])],
  ["Proxy country", textOf(settings["proxyCountryCode"])],
  ["User agent", textOf(settings["userAgent"])]
]

const judgeText = ({ context, model, on }: NonNullable<RunDetails["judge"]>): string =>
  on ? ["on", model, context].filter((part) => part !== null).join(", ") : "off"

/** The options that the creator of a run chose. Renders null if there are none. */
export const Options = ({ run }: { readonly run: RunDetails }) => {
  const { browserSettings = null, budget, judge = null, metadata = {}, onMaxCost, secretBindings = [] } = run
  const limit = budget?.costUsd ?? null
  const facts: ReadonlyArray<Fact> = [
    ["Cost limit", limit === null ? null : `${usd(limit)}${onMaxCost === "pause" ? ", then waits for a person" : ""}`],
    ["Judge", judge === null ? null : judgeText(judge)],
    ...(browserSettings === null ? [] : browserFacts(browserSettings)),
    ...secretBindings.map(({ alias, allowedDomains, server }): Fact => [
      `Secret ${alias}`,
      `${server === null ? "" : `the server's secret ${server}, `}on ${allowedDomains.join(", ")}`
    ]),
    ...Object.entries(metadata).map(([name, value]): Fact => [`Metadata: ${name}`, value])
  ]
  const shown = facts.filter(([, value]) => value !== null)
  if (shown.length === 0) return null
  return (
    <Section title="Options">
      <dl className={styles["stepFacts"]}>
        {shown.map(([name, value], index) => (
          // an alias may be used by two secrets of older servers
          <div key={index}>
            <dt>
              <Untrusted max={100}>{name}</Untrusted>
            </dt>
            <dd>
              <Untrusted max={500}>{value}</Untrusted>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
