import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Play } from "lucide-react"
import { type FormEvent, useState } from "react"
import { reason, serverInfo } from "../../state/client.ts"
import { go } from "../../state/place.ts"
import { useAtomValue, useChange } from "../../state/react.ts"
import { createRun, valueOf } from "../../state/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { CheckField, TextArea, TextField } from "../../ui/Field.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { CodeTabs } from "./CodeTabs.tsx"
import { bodyOf, emptyForm, type FormTexts, templates } from "./form.ts"
import styles from "./StartScreen.module.css"

/** Starts a run, and shows the code that starts the same one. */
const StartScreen = () => {
  const [form, setForm] = useState<FormTexts>(emptyForm)
  const [isTried, setTried] = useState(false)
  const [error, setError] = useState<string | undefined>(undefined)
  const [send, isWaiting] = useChange(createRun, (result) => {
    if (AsyncResult.isFailure(result)) return setError(reason(result))
    return go(`/runs/${result.value.id}`)
  })
  const info = valueOf(useAtomValue(serverInfo))
  const read = bodyOf(form)
  const errorOf = (field: keyof FormTexts) =>
    isTried && "field" in read && read.field === field ? read.reason : undefined
  const set = (change: Partial<FormTexts>) => setForm((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    setError(undefined)
    if ("body" in read) send({ payload: read.body })
  }
  const isSimulated = info?.browsers.startsWith("simulated") ?? true
  const optional = [form.model, form.schema, form.maxCostUsd, form.profileId].filter((text) => text !== "").length
  return (
    <Page title="Start a run" lead="Describe a task in your own words. The agent carries it out in a browser.">
      <div className={styles["columns"]}>
        <form className={styles["form"]} onSubmit={submit} noValidate>
          <TextArea
            label="Task"
            rows={5}
            value={form.task}
            placeholder="Find the cheapest direct flight from Oslo to Rome in May"
            error={errorOf("task")}
            onChange={({ currentTarget }) => set({ task: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event)
            }}
          />
          <div className={styles["templates"]} role="group" aria-label="Templates">
            {templates(isSimulated).map(({ name, schema = "", task }) => (
              <button key={name} type="button" onClick={() => set({ task, schema })}>
                {name}
              </button>
            ))}
          </div>
          <details className={styles["more"]} open={optional > 0}>
            <summary>Options</summary>
            <div className={styles["options"]}>
              <TextField
                label="Model"
                value={form.model}
                placeholder={info?.model ?? "the server's default"}
                hint="Leave it empty for the server's default."
                onChange={({ currentTarget }) => set({ model: currentTarget.value })}
              />
              <TextField
                label="Cost limit (USD)"
                inputMode="decimal"
                value={form.maxCostUsd}
                placeholder="0.50"
                error={errorOf("maxCostUsd")}
                onChange={({ currentTarget }) => set({ maxCostUsd: currentTarget.value })}
              />
              <TextField
                label="Profile"
                value={form.profileId}
                placeholder="Id of a browser profile"
                hint="A profile keeps cookies between runs."
                onChange={({ currentTarget }) => set({ profileId: currentTarget.value })}
              />
              <CheckField
                label="Record the browser"
                checked={form.isRecorded}
                onChange={({ currentTarget }) => set({ isRecorded: currentTarget.checked })}
              />
              <div className={styles["wide"]}>
                <TextArea
                  label="Schema of the result"
                  rows={6}
                  value={form.schema}
                  spellCheck={false}
                  placeholder={'{ "type": "object", "properties": { "price": { "type": "number" } } }'}
                  hint="A JSON Schema. Without one the result is text."
                  error={errorOf("schema")}
                  onChange={({ currentTarget }) => set({ schema: currentTarget.value })}
                />
              </div>
            </div>
          </details>
          {error !== undefined && !isWaiting ? (
            <p role="alert" className={styles["error"]}>
              {error}
            </p>
          ) : null}
          <div className={styles["go"]}>
            <Button type="submit" kind="primary" disabled={isWaiting}>
              <Play aria-hidden />
              Start the run
            </Button>
            <span>
              <kbd>Ctrl Enter</kbd>
            </span>
          </div>
        </form>
        <Section title="The same as code">
          <CodeTabs body={"body" in read ? read.body : { task: form.task.trim() || "Describe the task" }} />
        </Section>
      </div>
    </Page>
  )
}

export default StartScreen
