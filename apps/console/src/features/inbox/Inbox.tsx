import { useAtomValue } from "../../state/react.ts"
import { runRow } from "../../state/live.ts"
import { valueOf } from "../../state/runs.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./Inbox.module.css"
import { waitingRuns } from "./inbox.state.ts"

const Line = ({ id }: { readonly id: string }) => {
  const run = useAtomValue(runRow(id))
  const waitingFor = run?.waitingFor ?? null
  // answered since the list was read
  if (run === undefined || waitingFor === null) return null
  return (
    <li>
      <Link to={`/runs/${id}`}>
        <strong>
          <Untrusted max={200}>{waitingFor.question}</Untrusted>
        </strong>
        <small>
          <Untrusted max={120}>{run.title ?? run.task}</Untrusted>
          {", asked "}
          <Time at={waitingFor.askedAt} />
        </small>
      </Link>
    </li>
  )
}

/** The runs that wait for a person. Renders null if there are none. */
export const Inbox = () => {
  const ids = valueOf(useAtomValue(waitingRuns)) ?? []
  if (ids.length === 0) return null
  return (
    <Section title="Waiting for a person">
      <ul className={styles["inbox"]} aria-label="Questions from runs">
        {ids.map((id) => (
          <Line key={id} id={id} />
        ))}
      </ul>
    </Section>
  )
}
