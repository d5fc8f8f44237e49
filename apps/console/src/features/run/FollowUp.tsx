import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Send, X, Zap } from "lucide-react"
import { useId, useRef, useState } from "react"
import { reason } from "../../state/client.ts"
import { runRow } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { go } from "../../state/place.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { cancelRuns } from "../../state/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Status } from "../../ui/Status.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { sendMessage, sessionParts, sessionRuns } from "./run.state.ts"
import styles from "./RunScreen.module.css"

interface SessionRunProps {
  readonly id: string
  readonly isThis: boolean
  /** Takes a follow-up out of the queue; undefined for a run that began. */
  readonly onRemove?: () => void
  /** True while the server doesn't respond, or while a follow-up is removed. */
  readonly isDisabled?: boolean
}

const SessionRun = ({ id, isDisabled = false, isThis, onRemove }: SessionRunProps) => {
  const run = useAtomValue(runRow(id))
  if (run === undefined) return null
  return (
    <li>
      <Status of={run.status} />
      <Link to={`/runs/${id}`} aria-current={isThis ? "page" : undefined}>
        <Untrusted max={80}>{run.title ?? run.task}</Untrusted>
      </Link>
      {onRemove === undefined ? null : (
        <Button
          kind="ghost"
          disabled={isDisabled}
          aria-label={`Remove the follow-up ${id}`}
          title="Remove"
          onClick={onRemove}
        >
          <X aria-hidden />
        </Button>
      )}
    </li>
  )
}

/** The other runs of the session, and its queue of follow-ups. */
const Session = ({ id, sessionId }: { readonly id: string; readonly sessionId: string }) => {
  const { begun, queue } = useAtomValue(sessionParts(sessionId))
  const waiting = queue.filter((one) => one !== id || begun.length > 0)
  const [remove, isDisabled] = useChange(cancelRuns, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    say(result.value.cancelled.length > 0 ? "Follow-up removed" : "It has already started. Cancel it on its own page.")
    return registry.refresh(sessionRuns(sessionId))
  })
  return (
    <>
      {begun.every((one) => one === id) ? null : (
        <ol className={styles["siblings"]} aria-label="Runs in this session">
          {begun.map((one) => (
            <SessionRun key={one} id={one} isThis={one === id} />
          ))}
        </ol>
      )}
      {waiting.length === 0 ? null : (
        <>
          <h2 className={styles["queue"]}>{counted(waiting.length, "follow-up")} in the queue</h2>
          <ol className={styles["siblings"]} aria-label="Queued follow-ups">
            {waiting.map((one) => (
              <SessionRun
                key={one}
                id={one}
                isThis={one === id}
                isDisabled={isDisabled}
                onRemove={() => remove({ payload: { ids: [one], onlyQueued: true } })}
              />
            ))}
          </ol>
        </>
      )}
    </>
  )
}

interface FollowUpProps {
  readonly id: string
  readonly sessionId: string
  readonly isOver: boolean
}

/** Asks the agent something else in the same browser: after its current run, or at once. */
export const FollowUp = ({ id, isOver, sessionId }: FollowUpProps) => {
  const field = useRef<HTMLInputElement>(null)
  const interrupts = useRef(false)
  const [error, setError] = useState<string | undefined>(undefined)
  const note = useId()
  const [send, isWaiting] = useChange(sendMessage, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    if (field.current !== null) field.current.value = ""
    registry.refresh(sessionRuns(sessionId))
    // while a run is running, the message waits in the queue that this page shows
    if (isOver || interrupts.current) return go(`/runs/${result.value.id}`)
    return say("The follow-up starts when this run is done")
  })
  const submit = (interrupt: boolean) => {
    const text = field.current?.value.trim() ?? ""
    if (text === "") {
      setError("Enter what the agent should do next.")
      return field.current?.focus()
    }
    setError(undefined)
    interrupts.current = interrupt
    return send({ params: { run_id: id }, payload: { text, interrupt } })
  }
  return (
    <div className={styles["followUp"]}>
      <Session id={id} sessionId={sessionId} />
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(false)
        }}
      >
        <input
          ref={field}
          aria-label="Follow-up"
          aria-invalid={error !== undefined}
          aria-describedby={note}
          onChange={() => setError(undefined)}
          placeholder={
            isOver ? "Ask for something else in this session" : "Ask for something else when this run is done"
          }
        />
        <Button type="submit" disabled={isWaiting}>
          <Send aria-hidden />
          Follow up
        </Button>
        {isOver ? null : (
          <Button disabled={isWaiting} aria-describedby={note} onClick={() => submit(true)}>
            <Zap aria-hidden />
            Interrupt
          </Button>
        )}
      </form>
      <p id={note} role={error === undefined ? undefined : "alert"} data-wrong={error !== undefined}>
        {error ?? (isOver ? "" : "Interrupt cancels this run and starts the new one immediately.")}
      </p>
    </div>
  )
}
