import { type CreatedKey, type Key, type KeyLimits, keyScopes } from "@webagent/admin"
import * as Redacted from "effect/Redacted"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type FormEvent, useState } from "react"
import { reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { useChange } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import Dialog from "../../ui/Dialog.tsx"
import { CheckField, TextField } from "../../ui/Field.tsx"
import { createKey, keysChanged, setLimits } from "./keys.state.ts"
import { limitLabels, limitNames, limitsOf, wrongLimitsOf } from "./limits.ts"
import styles from "./KeysScreen.module.css"

const scopeTexts: Readonly<Record<(typeof keyScopes)[number], string>> = {
  read: "read: read runs, browsers and results",
  runs: "runs: start, follow up and cancel runs",
  browsers: "browsers: start and stop browsers",
  admin: "admin: see and change the records of every key"
}

const wrongLimit = (name: keyof KeyLimits): string =>
  name === "usdPerDay"
    ? "Enter an amount such as 2.50, or leave it empty."
    : "Enter a whole number above 0, or leave it empty."

interface FormEndProps {
  readonly limits: KeyLimits | undefined
  /** The limits whose text is wrong. */
  readonly wrong: ReadonlyArray<keyof KeyLimits>
  readonly error: string | undefined
  readonly action: string
  readonly isWaiting: boolean
}

/** The limits, the error of the form and its button. */
const FormEnd = ({ action, error, isWaiting, limits, wrong }: FormEndProps) => (
  <>
    <fieldset className={styles["limits"]}>
      <legend>Limits (leave a field empty for no limit)</legend>
      {limitNames.map((name) => (
        <TextField
          key={name}
          label={limitLabels[name]}
          name={name}
          inputMode="decimal"
          hint={name === "fileDays" ? "If it's empty, the server's setting applies." : undefined}
          defaultValue={limits?.[name] ?? ""}
          error={wrong.includes(name) ? wrongLimit(name) : undefined}
        />
      ))}
    </fieldset>
    {error === undefined ? null : (
      <p role="alert" className={styles["error"]}>
        {error}
      </p>
    )}
    <div className={styles["actions"]}>
      <Button type="submit" kind="primary" disabled={isWaiting}>
        {action}
      </Button>
    </div>
  </>
)

const textIn = (data: FormData) => (name: keyof KeyLimits) => String(data.get(name) ?? "")

/** Shows the secret of a new key, once. */
export const Secret = ({ created, onClose }: { readonly created: CreatedKey; readonly onClose: () => void }) => (
  <Dialog title={`The key ${created.key.name}`} onClose={onClose} isKept ignoresEscape>
    <p>
      Copy the key now. The server stores only its hash, so it can't show the key again. Esc doesn't close this dialog.
    </p>
    <Code label="The key" text={Redacted.value(created.secret)} wraps />
    <div className={styles["actions"]}>
      <Button kind="primary" onClick={onClose}>
        I've copied it
      </Button>
    </div>
  </Dialog>
)

interface CreateProps {
  readonly onClose: () => void
  readonly onCreated: (created: CreatedKey) => void
}

/** The form of a new key. */
export const Create = ({ onClose, onCreated }: CreateProps) => {
  const [error, setError] = useState<string | undefined>(undefined)
  const [wrong, setWrong] = useState<ReadonlyArray<keyof KeyLimits>>([])
  const [create, isWaiting] = useChange(createKey, (result) =>
    AsyncResult.isFailure(result) ? setError(reason(result)) : onCreated(result.value)
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const limits = limitsOf(textIn(data))
    setWrong(wrongLimitsOf(textIn(data)))
    const scopes = keyScopes.filter((scope) => data.get(`scope-${scope}`) === "on")
    if (limits === undefined) return setError(undefined)
    if (scopes.length === 0) return setError("Select at least one scope.")
    setError(undefined)
    return create({
      payload: { name: String(data.get("name") ?? "").trim(), scopes, limits },
      reactivityKeys: keysChanged
    })
  }
  return (
    <Dialog title="Create a key" onClose={onClose} isKept>
      <form className={styles["form"]} onSubmit={submit}>
        <TextField
          label="Name"
          name="name"
          required
          autoFocus
          maxLength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
          title="Letters, digits, dots, dashes and underscores, no spaces"
          placeholder="shop"
          autoComplete="off"
          hint="Letters, digits, dots, dashes and underscores. Runs and browsers belong to this name."
        />
        <fieldset className={styles["scopes"]}>
          <legend>Scopes</legend>
          {keyScopes.map((scope) => (
            <CheckField
              key={scope}
              label={scopeTexts[scope]}
              name={`scope-${scope}`}
              defaultChecked={scope !== "admin"}
            />
          ))}
        </fieldset>
        <FormEnd limits={undefined} wrong={wrong} error={error} action="Create the key" isWaiting={isWaiting} />
      </form>
    </Dialog>
  )
}

interface LimitsProps {
  readonly of: Key
  readonly onClose: () => void
}

/** The form of a key's limits. */
export const Limits = ({ of: key, onClose }: LimitsProps) => {
  const [error, setError] = useState<string | undefined>(undefined)
  const [wrong, setWrong] = useState<ReadonlyArray<keyof KeyLimits>>([])
  const [set, isWaiting] = useChange(setLimits, (result) => {
    if (AsyncResult.isFailure(result)) return setError(reason(result))
    say(`Limits set for ${key.name}`)
    return onClose()
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const limits = limitsOf(textIn(data))
    setWrong(wrongLimitsOf(textIn(data)))
    if (limits === undefined) return setError(undefined)
    setError(undefined)
    return set({ params: { name: key.name }, payload: limits, reactivityKeys: keysChanged })
  }
  return (
    <Dialog title={`Set limits for ${key.name}`} onClose={onClose} isKept>
      <form className={styles["form"]} onSubmit={submit}>
        <FormEnd limits={key.limits} wrong={wrong} error={error} action="Set limits" isWaiting={isWaiting} />
      </form>
    </Dialog>
  )
}
