import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Send, Zap } from "lucide-react"
import { useRef } from "react"
import { reason } from "../../state/client.ts"
import { runRow } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { go } from "../../state/place.ts"
import { useAtomValue, useChange } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { Link } from "../../ui/Link.tsx"
import { Status } from "../../ui/Status.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { sendMessage, sessionRuns } from "./run.state.ts"
import styles from "./RunScreen.module.css"

const SessionRun = ({ id, isThis }: { readonly id: string; readonly isThis: boolean }) => {
  const run = useAtomValue(runRow(id))
  if (run === undefined) return null
  return (
    <li>
      <Status of={run.status} />
      <Link to={`/runs/${id}`} aria-current={isThis ? "page" : undefined}>
        <Untrusted max={80}>{run.title ?? run.task}</Untrusted>
      </Link>
    </li>
  )
}

/** The runs of the session, when it has more than one. */
const Siblings = ({ id, sessionId }: { readonly id: string; readonly sessionId: string }) => {
  const ids = valueOf(useAtomValue(sessionRuns(sessionId))) ?? []
  if (ids.length < 2) return null
  return (
    <ol className={styles["siblings"]} aria-label="Runs of this session">
      {ids.map((one) => (
        <SessionRun key={one} id={one} isThis={one === id} />
      ))}
    </ol>
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
  const [send, isWaiting] = useChange(sendMessage, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    if (field.current !== null) field.current.value = ""
    return go(`/runs/${result.value.id}`)
  })
  const submit = (interrupt: boolean) => {
    const text = field.current?.value.trim() ?? ""
    if (text === "") return field.current?.focus()
    return send({ params: { run_id: id }, payload: { text, interrupt } })
  }
  return (
    <div className={styles["followUp"]}>
      <Siblings id={id} sessionId={sessionId} />
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit(false)
        }}
      >
        <input
          ref={field}
          aria-label="Follow-up"
          placeholder={
            isOver ? "Ask for something else in this session" : "Ask for something else when this run is done"
          }
        />
        <Button type="submit" disabled={isWaiting}>
          <Send aria-hidden />
          Follow up
        </Button>
        {isOver ? null : (
          <Button disabled={isWaiting} title="Cancels this run and starts the new one" onClick={() => submit(true)}>
            <Zap aria-hidden />
            Interrupt
          </Button>
        )}
      </form>
    </div>
  )
}
