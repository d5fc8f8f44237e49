import type { AcknowledgeNight } from "@webagent/harness-api"
import type { ScenarioName } from "@webagent/report/Comparison"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type FormEvent, useState } from "react"
import { reason } from "../../state/errors.ts"
import { say } from "../../state/notices.ts"
import { useChange } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { TextField } from "../../ui/Field.tsx"
import { change } from "../state/source.ts"
import styles from "./Form.module.css"

const acknowledgeNight = change(
  ["nights"],
  ({ acknowledge }, { night, ...acknowledged }: AcknowledgeNight & { readonly night: string }) =>
    acknowledge(night, acknowledged)
)

interface AcknowledgeFormProps {
  readonly night: string
  /** Undefined for every problem of the night. */
  readonly of: ScenarioName | undefined
  readonly owner: string | undefined
  readonly onClose: () => void
}

/** Records that someone is working on a problem, so that no further notifications about it are sent. */
export const AcknowledgeForm = ({ night, of, onClose, owner = "" }: AcknowledgeFormProps) => {
  const [form, setForm] = useState({ owner, until: "", note: "" })
  const [send, isWaiting] = useChange(acknowledgeNight, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    say(`Acknowledged by ${form.owner.trim()}. It still fails the run, but sends no reminders.`)
    onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send({
      night,
      owner: form.owner.trim(),
      ...(of === undefined ? {} : { scenario: { suite: of.suite, name: of.name } }),
      ...(form.until === "" ? {} : { until: form.until }),
      ...(form.note.trim() === "" ? {} : { note: form.note.trim() })
    })
  }
  return (
    <form className={styles["form"]} onSubmit={submit} aria-label="Acknowledge">
      <TextField
        label="Owner"
        required
        maxLength={200}
        value={form.owner}
        onChange={({ currentTarget }) => setForm({ ...form, owner: currentTarget.value })}
      />
      <TextField
        label="Until"
        hint="If empty, until the problem is fixed"
        type="date"
        value={form.until}
        onChange={({ currentTarget }) => setForm({ ...form, until: currentTarget.value })}
      />
      <TextField
        label="Note"
        maxLength={2000}
        value={form.note}
        onChange={({ currentTarget }) => setForm({ ...form, note: currentTarget.value })}
      />
      <div className={styles["actions"]}>
        <Button onClick={onClose}>Back</Button>
        <Button kind="primary" type="submit" disabled={isWaiting}>
          Acknowledge
        </Button>
      </div>
    </form>
  )
}
