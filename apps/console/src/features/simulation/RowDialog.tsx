import type { JournalEntry } from "@webagent/control"
import { SearchX } from "lucide-react"
import { lazy } from "react"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { buttonClass } from "../../ui/Button.tsx"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { dateTime, timeOfDay } from "../../ui/format.ts"
import { textOf } from "./journalFilter.ts"
import { journalRow } from "./simulation.state.ts"
import styles from "./Simulation.module.css"
import { entryText, resourceOf } from "./texts.ts"

const Dialog = lazy(() => import("../../ui/Dialog.tsx"))

const valueOf = (name: string, value: unknown): string => {
  if (value === null) return "–"
  if (name.endsWith("At_ms") || name === "at_ms") return `${dateTime(Number(value))} (${timeOfDay(Number(value))})`
  return name.endsWith("_ms") ? `${String(value)} ms` : String(value)
}

const Fields = ({ of: entry }: { readonly of: JournalEntry }) => {
  const resource = resourceOf(entry)
  return (
    <>
      <p className={styles["sentence"]}>
        <Untrusted max={2000}>{entryText(entry)}</Untrusted>
      </p>
      <dl className={styles["fields"]}>
        {Object.entries(entry).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Untrusted max={2000}>{valueOf(name, value)}</Untrusted>
            </dd>
          </div>
        ))}
      </dl>
      {resource === null ? null : (
        <div className={styles["end"]}>
          <Link to={`/simulation/journal${textOf({ resource })}`} className={buttonClass()}>
            Show all rows of this resource
          </Link>
        </div>
      )}
    </>
  )
}

/** One row of the journal with all its fields. */
export const RowDialog = ({ onClose, seq }: { readonly seq: number; readonly onClose: () => void }) => {
  const row = journalRow(seq)
  return (
    <Dialog title={`Row ${seq}`} onClose={onClose}>
      <Answer of={useAtomValue(row)} what="row" onRetry={() => registry.refresh(row)}>
        {(entry) =>
          entry === undefined ? (
            <Message icon={SearchX} title="The service no longer has this row">
              <p>It keeps the newest rows only, and a reset deletes all of them.</p>
            </Message>
          ) : (
            <Fields of={entry} />
          )
        }
      </Answer>
    </Dialog>
  )
}
