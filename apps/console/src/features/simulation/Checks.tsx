import type { OracleVerdict } from "@webagent/control"
import { ShieldCheck } from "lucide-react"
import { counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Section } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import type { Facts } from "./simulation.state.ts"
import styles from "./Simulation.module.css"
import { checkStatus } from "./texts.ts"

/** Most rows of a finding that are linked. */
const mostRows = 6

const Findings = ({ of: { count, findings } }: { readonly of: OracleVerdict }) => (
  <ul className={styles["findings"]}>
    {findings.map(({ resource, sentence, seqs }, index) => (
      <li key={index}>
        <Untrusted max={400}>{sentence}</Untrusted>
        <small>
          {seqs.slice(0, mostRows).map((seq) => (
            <Link key={seq} to={`/simulation/journal?row=${seq}`}>
              row {seq}
            </Link>
          ))}
          {resource === null ? null : (
            <Link to={`/simulation/journal?resource=${encodeURIComponent(resource)}`}>all rows of the resource</Link>
          )}
        </small>
      </li>
    ))}
    {count > findings.length ? <li>{counted(count - findings.length, "more finding")}</li> : null}
  </ul>
)

/** The checks of how clients used the service, and their findings. */
export const Checks = ({ facts: { journal, verdicts } }: { readonly facts: Facts }) => {
  // those with findings first
  const sorted = verdicts.verdicts.toSorted((a, b) => Number(a.holds) - Number(b.holds))
  const hasFailed = sorted.some((verdict) => checkStatus(verdict) === "failed")
  return (
    <Section title={hasFailed ? "Some checks failed" : "No checks failed"}>
      {journal.written === 0 ? (
        <Message icon={ShieldCheck} title="No requests to check yet">
          <p>
            The service checks how your app uses it. For example, it finds browsers that were never stopped, create
            requests that were sent twice, results that were never read, and API keys in addresses.
          </p>
        </Message>
      ) : (
        <ul className={styles["checks"]}>
          {sorted.map((verdict) => (
            <li key={verdict.oracle}>
              <div>
                <Status of={checkStatus(verdict)} />
                <h3>{verdict.oracle}</h3>
              </div>
              <p>
                <Untrusted max={400}>{verdict.sentence}</Untrusted>
              </p>
              {verdict.findings.length === 0 ? null : <Findings of={verdict} />}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
