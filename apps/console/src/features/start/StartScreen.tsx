import type { ServerInfo } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Play } from "lucide-react"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { isSimulated, programOf, reason, serverInfo } from "../../state/client.ts"
import { go } from "../../state/place.ts"
import { registry, useAtom, useAtomValue, useChange } from "../../state/react.ts"
import { createRun, valueOf } from "../../state/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { CheckField, TextArea, TextField } from "../../ui/Field.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { CodeTabs } from "./CodeTabs.tsx"
import { bodyOf, emptyForm, type FormTexts, hasOptions, type Refusal, refusalOf } from "./form.ts"
import { FilesField } from "./FilesField.tsx"
import { ModelField } from "./ModelField.tsx"
import { MoreOptions } from "./MoreOptions.tsx"
import { ProfileField } from "./ProfileField.tsx"
import { bindingsOf, type SecretTexts, withoutValues } from "./secrets.ts"
import { SecretsField } from "./SecretsField.tsx"
import { draft, type UploadedFile, uploadFiles } from "./start.state.ts"
import styles from "./StartScreen.module.css"
import { Templates } from "./Templates.tsx"

/** The files that were uploaded for the run. */
const useFiles = () => {
  const [files, setFiles] = useState<ReadonlyArray<UploadedFile>>([])
  const [error, setError] = useState<string | undefined>(undefined)
  const [upload, isDisabled, isUploading] = useChange(uploadFiles, (result) => {
    if (AsyncResult.isFailure(result)) return setError(reason(result))
    return setFiles((before) => [...before, ...result.value])
  })
  const onAdd = (chosen: ReadonlyArray<File>) => {
    setError(undefined)
    upload(chosen)
  }
  const onRemove = (id: string) => setFiles((before) => before.filter((file) => file.id !== id))
  return { files, isDisabled, isUploading, error, onAdd, onRemove }
}

/** Returns a reference to a form whose first wrong field comes into view and gets the focus after each of these tries. */
const useWrongField = (tries: number) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const field = form.current?.querySelector<HTMLElement>("[aria-invalid=true]")
    field?.scrollIntoView({ block: "center" })
    field?.focus({ preventScroll: true })
  }, [tries])
  return form
}

const lead = "Describe a task in your own words. The agent carries it out in a browser."

/** The lead for a service that carries out no tasks. */
const SimulatedLead = () => (
  <>
    Describe a task in your own words. This service is simulated: it opens no browser, calls no model, and makes up the
    steps, the result and the cost. See <code>docs/simulated-service.md</code>.
  </>
)

/** The command that starts the server again with a model. It has the flags that the server was started with. */
const restartOf = (info: ServerInfo): string =>
  `WEBAGENT_MODEL_KEY=KEY ${info.command ?? `${programOf(info)} serve --browsers chromium`} --model anthropic:NAME`

/** Warns before a run that would fail at once. */
const NoModel = ({ info }: { readonly info: ServerInfo }) => (
  <div role="note" className={styles["warning"]}>
    <p>
      <b>This server has no model, so a run fails at once.</b> Restart it with a model and its key, for example:
    </p>
    <code>{restartOf(info)}</code>
  </div>
)

/** Starts a run, and shows the code that starts the same one. */
const StartScreen = () => {
  const [form, setForm] = useAtom(draft)
  const [tries, setTries] = useState(0)
  const [isOpen, setOpen] = useState(() => hasOptions(registry.get(draft)))
  const [refused, setRefused] = useState<Refusal | undefined>(undefined)
  const [send, isWaiting] = useChange(createRun, (result) => {
    if (AsyncResult.isSuccess(result)) {
      setForm(emptyForm)
      return go(`/runs/${result.value.id}`)
    }
    const next = refusalOf(result)
    setRefused(next)
    return next.field === undefined ? undefined : point(next.field)
  })
  const info = valueOf(useAtomValue(serverInfo))
  const uploads = useFiles()
  const { files, isUploading } = uploads
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
  const secretError = tries > 0 && "reason" in bound ? bound : undefined
  const wrong = "field" in read ? (tries > 0 ? read : undefined) : refused
  const errorOf = (field: keyof FormTexts) => (wrong?.field === field ? wrong.reason : undefined)
  const set = (change: Partial<FormTexts>) => {
    setForm({ ...registry.get(draft), ...change })
    setRefused(undefined)
  }
  const fields = useWrongField(tries)
  const point = (field: keyof FormTexts | undefined) => {
    if (field !== "task") setOpen(true)
    setTries((before) => before + 1)
  }
  const task = useRef<HTMLTextAreaElement>(null)
  const choose = (template: FormTexts) => {
    setForm(template)
    setRefused(undefined)
    setOpen((before) => before || hasOptions(template))
    // the next step is usually to change the task, or to start it
    task.current?.focus()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setRefused(undefined)
    if (!("body" in read && "bindings" in bound)) return point("field" in read ? read.field : undefined)
    // Ctrl Enter works without the button
    return isUploading ? undefined : send({ payload: read.body })
  }
  // a server without profiles or files refuses them
  const has = (feature: string) => info?.has.some((part) => part === feature) ?? false
  return (
    <Page title="Start a run" lead={isSimulated(info) ? <SimulatedLead /> : lead}>
      {info === undefined || isSimulated(info) || info.model !== null ? null : <NoModel info={info} />}
      <div className={styles["columns"]}>
        <form ref={fields} className={styles["form"]} onSubmit={submit} noValidate>
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
          <Templates form={form} isSimulated={info === undefined || isSimulated(info)} onChoose={choose} />
          <details
            className={styles["more"]}
            open={isOpen}
            onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
          >
            <summary>Options</summary>
            <div className={styles["options"]}>
              <ModelField
                value={form.model}
                info={info}
                error={errorOf("model")}
                onChange={(model) => set({ model })}
              />
              <TextField
                label="Cost limit (USD)"
                inputMode="decimal"
                value={form.maxCostUsd}
                placeholder="0.50"
                error={errorOf("maxCostUsd")}
                onChange={({ currentTarget }) => set({ maxCostUsd: currentTarget.value })}
              />
              {has("profiles") ? (
                <ProfileField
                  value={form.profileId}
                  error={errorOf("profileId")}
                  onChange={(profileId) => set({ profileId })}
                />
              ) : null}
              <CheckField
                label="Record the browser"
                checked={form.isRecorded}
                onChange={({ currentTarget }) => set({ isRecorded: currentTarget.checked })}
              />
              {has("files") ? <FilesField {...uploads} /> : null}
              <MoreOptions form={form} errorOf={errorOf} set={set} />
              <SecretsField secrets={secrets} error={secretError} onChange={setSecrets} />
              <div className={styles["wide"]}>
                <TextArea
                  label="Output schema"
                  rows={6}
                  value={form.schema}
                  spellCheck={false}
                  placeholder={'{ "type": "object", "properties": { "price": { "type": "number" } } }'}
                  hint="A JSON Schema. Without one, the result is text."
                  error={errorOf("schema")}
                  onChange={({ currentTarget }) => set({ schema: currentTarget.value })}
                />
              </div>
            </div>
          </details>
          <div className={styles["go"]}>
            <Button type="submit" kind="primary" disabled={isWaiting || isUploading}>
              <Play aria-hidden />
              Start the run
            </Button>
            <span>
              <kbd>Ctrl Enter</kbd>
            </span>
            <p role="alert" className={styles["error"]}>
              {refused?.field === undefined ? refused?.reason : null}
            </p>
          </div>
        </form>
        <Section title="The same run as code">
          <CodeTabs
            body={"body" in read ? withoutValues(read.body) : { task: form.task.trim() || "Describe the task" }}
          />
        </Section>
      </div>
    </Page>
  )
}

export default StartScreen
