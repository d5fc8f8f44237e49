import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Play } from "lucide-react"
import { type FormEvent, useRef, useState } from "react"
import { reason, serverInfo } from "../../state/client.ts"
import { go } from "../../state/place.ts"
import { useAtomValue, useChange } from "../../state/react.ts"
import { createRun, valueOf } from "../../state/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { CheckField, TextArea, TextField } from "../../ui/Field.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { CodeTabs } from "./CodeTabs.tsx"
import { bodyOf, emptyForm, type FormTexts } from "./form.ts"
import { FilesField } from "./FilesField.tsx"
import { ModelField } from "./ModelField.tsx"
import { MoreOptions } from "./MoreOptions.tsx"
import { ProfileField } from "./ProfileField.tsx"
import { bindingsOf, type SecretTexts, withoutValues } from "./secrets.ts"
import { SecretsField } from "./SecretsField.tsx"
import { type UploadedFile, uploadFiles } from "./start.state.ts"
import styles from "./StartScreen.module.css"
import { Templates } from "./Templates.tsx"

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
  const [files, setFiles] = useState<ReadonlyArray<UploadedFile>>([])
  const [fileError, setFileError] = useState<string | undefined>(undefined)
  const [upload, isUploading] = useChange(uploadFiles, (result) => {
    if (AsyncResult.isFailure(result)) return setFileError(reason(result))
    return setFiles((before) => [...before, ...result.value])
  })
  const [secrets, setSecrets] = useState<ReadonlyArray<SecretTexts>>([])
  const bound = bindingsOf(secrets)
  const whole = bodyOf(
    form,
    files.map(({ id }) => id)
  )
  const read =
    "body" in whole && "bindings" in bound && bound.bindings.length > 0
      ? { body: { ...whole.body, secretBindings: bound.bindings } }
      : whole
  const secretError = isTried && "reason" in bound ? bound : undefined
  const errorOf = (field: keyof FormTexts) =>
    isTried && "field" in read && read.field === field ? read.reason : undefined
  const set = (change: Partial<FormTexts>) => setForm((before) => ({ ...before, ...change }))
  const task = useRef<HTMLTextAreaElement>(null)
  const choose = (template: FormTexts) => {
    setForm(template)
    // the next step is usually to change the task, or to start it
    task.current?.focus()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    setError(undefined)
    // Ctrl Enter works without the button
    if ("body" in read && "bindings" in bound && !isUploading) send({ payload: read.body })
  }
  const isSimulated = info?.browsers.startsWith("simulated") ?? true
  // a server without profiles or files refuses them
  const has = (feature: string) => info?.has.some((part) => part === feature) ?? false
  const { task: _task, ...options } = form
  const hasOptions =
    files.length + secrets.length > 0 || Object.values(options).some((value) => value !== "" && value !== false)
  const [isOpen, setOpen] = useState(false)
  return (
    <Page title="Start a run" lead="Describe a task in your own words. The agent carries it out in a browser.">
      <div className={styles["columns"]}>
        <form className={styles["form"]} onSubmit={submit} noValidate>
          <TextArea
            label="Task"
            rows={5}
            ref={task}
            autoFocus
            value={form.task}
            placeholder="Find the cheapest direct flight from Oslo to Rome in May"
            error={errorOf("task")}
            onChange={({ currentTarget }) => set({ task: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event)
              // so that g and its letter lead elsewhere
              if (event.key === "Escape") event.currentTarget.blur()
            }}
          />
          <Templates form={form} isSimulated={isSimulated} onChoose={choose} />
          <details
            className={styles["more"]}
            // options that are cleared by hand don't close under it
            open={hasOptions || isOpen}
            onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
          >
            <summary>Options</summary>
            <div className={styles["options"]}>
              <ModelField value={form.model} info={info} onChange={(model) => set({ model })} />
              <TextField
                label="Cost limit (USD)"
                inputMode="decimal"
                value={form.maxCostUsd}
                placeholder="0.50"
                error={errorOf("maxCostUsd")}
                onChange={({ currentTarget }) => set({ maxCostUsd: currentTarget.value })}
              />
              {has("profiles") ? (
                <ProfileField value={form.profileId} onChange={(profileId) => set({ profileId })} />
              ) : null}
              <CheckField
                label="Record the browser"
                checked={form.isRecorded}
                onChange={({ currentTarget }) => set({ isRecorded: currentTarget.checked })}
              />
              {has("files") ? (
                <FilesField
                  files={files}
                  isUploading={isUploading}
                  error={fileError}
                  onAdd={(chosen) => {
                    setFileError(undefined)
                    upload(chosen)
                  }}
                  onRemove={(id) => setFiles((before) => before.filter((file) => file.id !== id))}
                />
              ) : null}
              <MoreOptions form={form} errorOf={errorOf} set={set} />
              <SecretsField secrets={secrets} error={secretError} onChange={setSecrets} />
              <div className={styles["wide"]}>
                <TextArea
                  label="Output schema"
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
            <Button type="submit" kind="primary" disabled={isWaiting || isUploading}>
              <Play aria-hidden />
              Start the run
            </Button>
            <span>
              <kbd>Ctrl Enter</kbd>
            </span>
          </div>
        </form>
        <Section title="The same as code">
          <CodeTabs
            body={"body" in read ? withoutValues(read.body) : { task: form.task.trim() || "Describe the task" }}
          />
        </Section>
      </div>
    </Page>
  )
}

export default StartScreen
