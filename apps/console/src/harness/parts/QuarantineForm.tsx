import type { QuarantineScenario } from "@webagent/harness-api"
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

const quarantineScenario = change(["suites", "nights"], ({ quarantine }, entry: QuarantineScenario) =>
  quarantine(entry)
)

const day_ms = 86_400_000

/** The longest that a scenario may be in quarantine. */
const mostDays = 30

const dayAfter = (days: number): string => new Date(Date.now() + days * day_ms).toISOString().slice(0, 10)

interface QuarantineFormProps {
  readonly of: ScenarioName
  readonly owner: string | undefined
  readonly onClose: () => void
}

/** Quarantines a scenario: it runs, but doesn't fail a run until the date. */
export const QuarantineForm = ({ of: { name, suite }, onClose, owner = "" }: QuarantineFormProps) => {
  const [form, setForm] = useState({ owner, reason: "", expires: dayAfter(14) })
  const [send, isWaiting] = useChange(quarantineScenario, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    say(`Quarantined until ${form.expires}. It doesn't fail a run until then.`)
    onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send({ suite, scenario: name, owner: form.owner.trim(), reason: form.reason.trim(), expires: form.expires })
  }
  return (
    <form className={styles["form"]} onSubmit={submit} aria-label={`Quarantine ${name}`}>
      <TextField
        label="Owner"
        hint="The person or team responsible"
        required
        maxLength={200}
        value={form.owner}
        onChange={({ currentTarget }) => setForm({ ...form, owner: currentTarget.value })}
      />
      <TextField
        label="Reason"
        hint="For example, an issue number"
        required
        maxLength={2000}
        value={form.reason}
        onChange={({ currentTarget }) => setForm({ ...form, reason: currentTarget.value })}
      />
      <TextField
        label="Until"
        hint={`At most ${mostDays} days from today`}
        type="date"
        required
        min={dayAfter(0)}
        max={dayAfter(mostDays)}
        value={form.expires}
        onChange={({ currentTarget }) => setForm({ ...form, expires: currentTarget.value })}
      />
      <div className={styles["actions"]}>
        <Button onClick={onClose}>Back</Button>
        <Button kind="primary" type="submit" disabled={isWaiting}>
          Quarantine
        </Button>
      </div>
    </form>
  )
}
