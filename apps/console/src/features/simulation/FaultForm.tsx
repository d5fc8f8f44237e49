import type { FaultRule } from "@webagent/control"
import * as Result from "effect/Result"
import { type FormEvent, lazy, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { SelectField, TextField } from "../../ui/Field.tsx"
import { linesOf, ruleOf } from "./faultRule.ts"
import { filterOperations } from "./journalFilter.ts"
import styles from "./Simulation.module.css"
import { faultFields } from "./texts.ts"

const Dialog = lazy(() => import("../../ui/Dialog.tsx"))

const kindTexts: Readonly<Record<string, string>> = {
  "refuse-connections": "The port closes: every connection is refused",
  reset: "The TCP connection is reset",
  hang: "The service stops responding",
  "slow-headers": "The response starts late",
  "slow-body": "The body arrives slowly",
  "cut-body": "The body is cut off",
  "malformed-json": "The body is not JSON",
  "wrong-content-type": "The content type is wrong",
  "html-error": "A proxy responds with an error page",
  status: "An error response",
  "duplicate-delivery": "The request is carried out twice",
  "stale-read": "A read shows an old state",
  "clock-skew": "The service's clock is off",
  redirect: "A redirect to another origin"
}

const labels: Readonly<Record<string, string>> = {
  for: "Duration",
  lag: "Age of the state",
  by: "Offset",
  placement: "Placement in the request",
  status: "Status",
  detail: "Error text",
  retryAfter: "Retry-After",
  retryAfterForm: "Format of Retry-After",
  share: "Share of the body that is sent (0 to 1)",
  end: "End of the connection",
  contentType: "Content type",
  direction: "Direction",
  to: "Redirect address"
}

/** The fields of the requests that get a fault: name, label and placeholder. */
const conditions = [
  ["rate", "Share of requests (%)", "100"],
  ["attempts", "Attempts of one resource", "1, 2"],
  ["nth", "Number of the matching request", "3"],
  ["resource", "Resource ID", ""],
  ["name", "Name", "The kind"],
  ["from", "Starts after", "Immediately"],
  ["until", "Ends after", "Never"]
] as const

const allLabels = { ...labels, ...Object.fromEntries(conditions.map(([name, label]) => [name, label] as const)) }

const choices: Readonly<Record<string, ReadonlyArray<string>>> = {
  placement: ["before-apply", "after-apply", "mid-body"],
  retryAfterForm: ["seconds", "date"],
  end: ["close", "reset"],
  direction: ["slow", "fast"]
}

/** Faults that can also hit in the middle of a body. */
const midBody = ["reset", "hang"]

/** Fields without which a fault has no meaning. */
const needed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "refuse-connections": ["for"],
  "slow-headers": ["for"],
  "slow-body": ["for"],
  "stale-read": ["lag"],
  "clock-skew": ["by"]
}

const times = ["for", "lag", "by", "retryAfter"]

const FaultField = ({ kind, name }: { readonly kind: string; readonly name: string }) => {
  const label = labels[name] ?? name
  const all = choices[name]
  if (all !== undefined) {
    const offered = name === "placement" && !midBody.includes(kind) ? all.slice(0, 2) : all
    return (
      <SelectField label={label} name={name} defaultValue="">
        <option value="">Default</option>
        {offered.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </SelectField>
    )
  }
  return (
    <TextField
      label={label}
      name={name}
      autoComplete="off"
      required={needed[kind]?.includes(name) ?? false}
      placeholder={times.includes(name) ? "2 seconds" : "Default"}
    />
  )
}

interface FaultFormProps {
  readonly onAdd: (rule: FaultRule) => void
  readonly onClose: () => void
}

/** The form of a new fault. Its fields are those of the chosen kind. */
export const FaultForm = ({ onAdd, onClose }: FaultFormProps) => {
  const [kind, setKind] = useState("reset")
  const [error, setError] = useState<string | undefined>(undefined)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const rule = ruleOf((name) => String(data.get(name) ?? ""))
    return Result.isFailure(rule) ? setError(linesOf(rule.failure, allLabels)) : onAdd(rule.success)
  }
  return (
    <Dialog title="Add a fault" onClose={onClose} isKept>
      <form className={styles["form"]} onSubmit={submit}>
        <SelectField
          label="Fault"
          name="kind"
          value={kind}
          onChange={({ currentTarget: { value } }) => setKind(value)}
          hint={kindTexts[kind]}
        >
          {Object.keys(faultFields).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </SelectField>
        <div className={styles["pairs"]}>
          {(faultFields[kind] ?? []).map((name) => (
            <FaultField key={`${kind} ${name}`} kind={kind} name={name} />
          ))}
        </div>
        <fieldset className={styles["pairs"]}>
          <legend>Requests that get the fault (leave a field empty for all)</legend>
          <SelectField label="Operation" name="operation" defaultValue="">
            <option value="">All operations</option>
            {filterOperations
              .filter((one) => one !== "trap")
              .map((one) => (
                <option key={one}>{one}</option>
              ))}
          </SelectField>
          {conditions.map(([name, label, placeholder]) => (
            <TextField
              key={name}
              label={label}
              name={name}
              inputMode={name === "rate" ? "decimal" : "text"}
              placeholder={placeholder}
              autoComplete="off"
            />
          ))}
        </fieldset>
        {error === undefined ? null : (
          <p role="alert" className={styles["error"]}>
            {error}
          </p>
        )}
        <div className={styles["end"]}>
          <Button type="submit" kind="primary">
            Add the fault
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
