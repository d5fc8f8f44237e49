import { fastest, spanFromText, type TimeMode } from "@webagent/control"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { type FormEvent, useState } from "react"
import { reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { useChange } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { TextField } from "../../ui/Field.tsx"
import { Section } from "../../ui/Page.tsx"
import { dateTime } from "../../ui/format.ts"
import { advanceTime, type ReadTime, readAgain, setTime } from "./simulation.state.ts"
import styles from "./Simulation.module.css"

const steps = ["1 second", "1 minute", "30 minutes", "1 day"] as const

const modes: ReadonlyArray<readonly [name: TimeMode["mode"], text: string, hint: string]> = [
  ["real", "Real", "A second is a second."],
  ["scaled", "Faster or slower", "Service time passes faster or slower than real time."],
  ["manual", "Manual", "Service time stands still until you advance it, so timeouts and retries happen when you want."]
]

const Move = () => {
  const [error, setError] = useState<string | undefined>(undefined)
  const [advance, isMoving] = useChange(advanceTime, (result) => {
    readAgain()
    if (AsyncResult.isFailure(result)) return setError(reason(result))
    return say(`Service time is ${dateTime(result.value.now_ms)}`)
  })
  const move = (text: string) => {
    const span = spanFromText(text.trim())
    if (Option.isNone(span) || Duration.toMillis(span.value) === 0) {
      return setError("Enter a time such as 200ms, 45 seconds or 30m.")
    }
    if (Duration.toDays(span.value) > 36_500) return setError("Advance at most 36500 days at a time.")
    setError(undefined)
    return advance({ payload: { by: span.value } })
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    move(String(new FormData(event.currentTarget).get("by")))
  }
  return (
    <div className={styles["move"]}>
      <div className={styles["buttons"]}>
        {steps.map((step) => (
          <Button key={step} disabled={isMoving} onClick={() => move(step)}>
            Advance {step}
          </Button>
        ))}
      </div>
      <form className={styles["inline"]} onSubmit={submit}>
        <TextField label="Advance by" name="by" placeholder="45 seconds" autoComplete="off" error={error} />
        <Button type="submit" disabled={isMoving}>
          Advance
        </Button>
      </form>
    </div>
  )
}

/** The pace of service time, and buttons that advance it. */
export const Clock = ({ time: { time } }: { readonly time: ReadTime }) => {
  const [error, setError] = useState<string | undefined>(undefined)
  const [send, isWaiting] = useChange(setTime, (result) => {
    if (AsyncResult.isFailure(result)) say(reason(result))
    readAgain()
  })
  const set = (mode: TimeMode) => send({ payload: mode })
  const choose = (mode: TimeMode["mode"]) => set(mode === "scaled" ? { mode, factor: 10 } : { mode })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const factor = Number(new FormData(event.currentTarget).get("factor"))
    if (!(factor > 0 && factor <= fastest)) return setError("Enter a number above 0 and at most 1000000.")
    setError(undefined)
    return set({ mode: "scaled", factor })
  }
  return (
    <Section title="Clock">
      <div className={styles["buttons"]} role="group" aria-label="Pace of service time">
        {modes.map(([mode, text]) => (
          <Button key={mode} disabled={isWaiting} aria-pressed={time.mode === mode} onClick={() => choose(mode)}>
            {text}
          </Button>
        ))}
      </div>
      <p className={styles["soft"]}>{modes.find(([mode]) => mode === time.mode)?.[2]}</p>
      {time.mode === "manual" ? <Move /> : null}
      {time.mode === "scaled" ? (
        <form className={styles["inline"]} onSubmit={submit}>
          <TextField
            key={time.factor}
            label="Speed compared with real time"
            name="factor"
            inputMode="decimal"
            defaultValue={time.factor}
            error={error}
          />
          <Button type="submit" disabled={isWaiting}>
            Set
          </Button>
        </form>
      ) : null}
    </Section>
  )
}
