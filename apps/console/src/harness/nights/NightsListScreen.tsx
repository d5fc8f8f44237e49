import * as PartialText from "@webagent/findings/words/PartialText"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { counted, span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Page } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { nightAddress } from "../state/address.ts"
import { source } from "../state/source.ts"
import { addressOf, statusOf } from "./heads.ts"
import type { Night } from "./heat.ts"
import { nights } from "./nights.state.ts"
import { costOf, passedOf, titleOf } from "./title.ts"

const isFailed = ({ of: { isAway, status } }: Night): boolean => isAway || status === "failed"

const dayOf = ({ of: { startedAt } }: Night): string => startedAt.slice(0, 16).replace("T", " ")

/** The reason for a night's status, and why it is partial. */
const whyOf = (night: Night): string =>
  [
    ...(night.of.status === "passed" ? [] : [titleOf(night)]),
    ...(night.of.partial === null ? [] : [`partial: ${PartialText.text(night.of.partial)}`])
  ].join(" · ")

/** The number of failed nights, and the last one of them. */
const Lead = ({ of: all }: { readonly of: ReadonlyArray<Night> }) => {
  const failed = all.filter(isFailed)
  const [last] = failed
  return (
    <p>
      {failed.length} of {counted(all.length, "night")} failed
      {last === undefined || last === all[0] ? null : (
        <>
          , the last one on <Link to={addressOf(last)}>{dayOf(last)}</Link>:{" "}
          <Untrusted max={200}>{titleOf(last)}</Untrusted>
        </>
      )}
      . Times are in UTC.
    </p>
  )
}

/** Every night in a line, the newest first. */
const NightsListScreen = () => {
  const from = useAtomValue(source)
  return (
    <Page title="List of nights" actions={<Link to="/">Nights</Link>}>
      <Answer of={useAtomValue(nights)} what="nights" onRetry={() => registry.refresh(nights)}>
        {({ heat }) => (
          <>
            <Lead of={heat.nights} />
            <Table
              label="Nights"
              rows={heat.nights}
              keyOf={({ of }) => of.id}
              columns={[
                {
                  name: "Night",
                  cell: (night) => (
                    <Link to={nightAddress(night.of.id)} data-row>
                      {dayOf(night)}
                    </Link>
                  )
                },
                { name: "Status", cell: (night) => <Status of={statusOf(night).toLowerCase()} /> },
                { name: "Why", cell: (night) => <Untrusted max={240}>{whyOf(night)}</Untrusted> },
                { name: "Passed", cell: passedOf },
                { name: "Took", isNumber: true, cell: ({ of }) => span(of.duration_ms) },
                { name: "Cost", isNumber: true, cell: costOf },
                {
                  name: "Version",
                  cell: ({ of }) => <Untrusted max={40}>{of.revisions.service?.version ?? "–"}</Untrusted>
                },
                {
                  name: "Run",
                  cell: (night) => {
                    if (night.of.run !== null) return <Link to={addressOf(night)}>report</Link>
                    const report = from?.reportOf(night.of.id)
                    return report === undefined ? "–" : <a href={report}>report</a>
                  }
                }
              ]}
            />
          </>
        )}
      </Answer>
    </Page>
  )
}

export default NightsListScreen
