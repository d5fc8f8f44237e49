import type { Mark } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { ThumbsDown, ThumbsUp, Undo2 } from "lucide-react"
import { useRef } from "react"
import { Console, reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { registry, useChange } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { Section } from "../../ui/Page.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { runPage } from "./run.state.ts"
import styles from "./RunScreen.module.css"

const setMark = Console.mutation("marks", "set")
const removeMark = Console.mutation("marks", "remove")

const verdicts = { right: "The result is right", wrong: "The result is wrong" } as const

/** The verdict of a person about a finished run, with a note. */
export const MarkForm = ({ id, mark }: { readonly id: string; readonly mark: Mark | null }) => {
  const note = useRef<HTMLInputElement>(null)
  const changed = (result: AsyncResult.AsyncResult<unknown, unknown>) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    return registry.refresh(runPage(id))
  }
  const [set, isSetting] = useChange(setMark, changed)
  const [remove, isRemoving] = useChange(removeMark, changed)
  const params = { run_id: id }
  const give = (verdict: Mark["verdict"]) =>
    set({ params, payload: { verdict, note: note.current?.value.trim() || null } })
  if (mark !== null) {
    return (
      <Section title="Verdict">
        <p>
          <b>{verdicts[mark.verdict]}</b>, marked by <Untrusted>{mark.by}</Untrusted> <Time at={mark.at} />
          {mark.note === null ? null : (
            <>
              : <Untrusted max={2000}>{mark.note}</Untrusted>
            </>
          )}
        </p>
        <div>
          <Button disabled={isRemoving} onClick={() => remove({ params })}>
            <Undo2 aria-hidden />
            Remove the verdict
          </Button>
        </div>
      </Section>
    )
  }
  return (
    <Section title="Is the result right?">
      <div className={styles["mark"]}>
        <input ref={note} aria-label="Note" placeholder="Note (optional)" maxLength={2000} />
        <Button disabled={isSetting} onClick={() => give("right")}>
          <ThumbsUp aria-hidden />
          Right
        </Button>
        <Button disabled={isSetting} onClick={() => give("wrong")}>
          <ThumbsDown aria-hidden />
          Wrong
        </Button>
      </div>
    </Section>
  )
}
