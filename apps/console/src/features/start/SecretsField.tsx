import { Plus, X } from "lucide-react"
import { Button } from "../../ui/Button.tsx"
import { SelectField, TextField } from "../../ui/Field.tsx"
import { emptySecret, type SecretError, type SecretTexts } from "./secrets.ts"
import styles from "./StartScreen.module.css"

interface SecretsFieldProps {
  readonly secrets: ReadonlyArray<SecretTexts>
  readonly error: SecretError | undefined
  readonly onChange: (secrets: ReadonlyArray<SecretTexts>) => void
}

/** The secrets that the agent may type. They are part of no template and of no code. */
export const SecretsField = ({ error, onChange, secrets }: SecretsFieldProps) => {
  const set = (index: number, change: Partial<SecretTexts>) =>
    onChange(secrets.map((secret, at) => (at === index ? { ...secret, ...change } : secret)))
  return (
    <fieldset className={styles["secrets"]}>
      <legend>Secrets for the agent</legend>
      <p className={styles["hint"]}>
        Write <code>&lt;secret:name&gt;</code> in the task. The agent types the value and never sees it.
      </p>
      {secrets.map((secret, index) => {
        const number = index + 1
        const errorOf = (field: SecretError["field"]) =>
          error?.index === index && error.field === field ? error.reason : undefined
        return (
          // rows have no identity besides their place
          <div key={index} className={styles["secret"]} role="group" aria-label={`Secret ${number}`}>
            <TextField
              label="Name"
              value={secret.alias}
              autoComplete="off"
              spellCheck={false}
              placeholder="password"
              error={errorOf("alias")}
              onChange={({ currentTarget }) => set(index, { alias: currentTarget.value })}
            />
            <SelectField
              label="Source"
              value={secret.type}
              onChange={({ currentTarget }) =>
                set(index, { type: currentTarget.value === "server" ? "server" : "inline", value: "" })
              }
            >
              <option value="inline">Value</option>
              <option value="server">Server secret</option>
            </SelectField>
            <TextField
              label={secret.type === "inline" ? "Value" : "Name on the server"}
              type={secret.type === "inline" ? "password" : "text"}
              value={secret.value}
              error={errorOf("value")}
              // of another site's field, a browser's password manager fills in a value
              autoComplete={secret.type === "inline" ? "new-password" : "off"}
              onChange={({ currentTarget }) => set(index, { value: currentTarget.value })}
            />
            <TextField
              label="Sites"
              value={secret.domains}
              error={errorOf("domains")}
              autoComplete="off"
              spellCheck={false}
              placeholder="shop.example, *.shop.example"
              onChange={({ currentTarget }) => set(index, { domains: currentTarget.value })}
            />
            <button
              type="button"
              className={styles["remove"]}
              aria-label={`Remove secret ${number}`}
              onClick={() => onChange(secrets.filter((_, at) => at !== index))}
            >
              <X aria-hidden size={14} />
            </button>
          </div>
        )
      })}
      <div>
        <Button disabled={secrets.length >= 20} onClick={() => onChange([...secrets, emptySecret])}>
          <Plus aria-hidden />
          Add a secret
        </Button>
      </div>
    </fieldset>
  )
}
