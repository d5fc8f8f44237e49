import type { ModelCall, RunStep } from "@webagent/admin"
import { type KeyboardEvent, useEffect, useRef } from "react"
import { letterKeys } from "../../state/preferences.ts"
import { registry } from "../../state/react.ts"
import { span, usd } from "../../ui/format.ts"
import { isShortcut } from "../../ui/keyboard.ts"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { stateOf, textOf } from "./timeline.ts"
import styles from "./Steps.module.css"

interface StepProps {
  readonly step: RunStep
  readonly isShown: boolean
  /** True for a step that runs: a run that is over may have stopped before its last step was done. */
  readonly isRunning: boolean
  /** Duration of the run's longest step. */
  readonly longest_ms: number
  readonly onShow: () => void
}

const Step = ({ isRunning, isShown, longest_ms, onShow, step }: StepProps) => (
  <li>
    <button type="button" className={styles["step"]} aria-current={isShown ? "step" : undefined} onClick={onShow}>
      <span className={styles["mark"]} data-state={step.durationMs !== null || isRunning ? stateOf(step) : "done"}>
        {step.number}
      </span>{" "}
      <span className={styles["what"]}>
        {step.tool === null ? null : (
          <b>
            <Untrusted max={30}>{step.tool}</Untrusted>
          </b>
        )}{" "}
        <Untrusted>{textOf(step)}</Untrusted>{" "}
        {step.failure === null ? (
          <small>
            <Untrusted max={140}>{step.address}</Untrusted>
          </small>
        ) : (
          <small className={styles["bad"]}>
            Failed: <Untrusted>{step.failure}</Untrusted>
          </small>
        )}
        {step.durationMs === null ? null : (
          <span className={styles["bar"]} style={{ width: `${Math.max(1, (100 * step.durationMs) / longest_ms)}%` }} />
        )}
      </span>{" "}
      <span className={styles["figures"]}>
        <span>{step.durationMs !== null ? span(step.durationMs) : isRunning ? "now" : "not finished"}</span>{" "}
        <span>{step.costUsd === null ? "" : usd(step.costUsd)}</span>
      </span>
    </button>
  </li>
)

export interface StepsProps {
  readonly steps: ReadonlyArray<RunStep>
  readonly shown: RunStep | undefined
  /** True if the run is over. */
  readonly isOver: boolean
  /** True if the newest step is to be scrolled into view. */
  readonly follows: boolean
  readonly onShow: (number: number) => void
}

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** The steps of a run as a timeline; the length of each bar is its share of the longest one. */
export const Steps = ({ follows, isOver, onShow, shown, steps: rows }: StepsProps) => {
  const list = useRef<HTMLOListElement>(null)
  const longest_ms = Math.max(1, ...rows.map(({ durationMs }) => durationMs ?? 0))
  useEffect(() => {
    if (follows && !isOver) list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [follows, isOver, rows.length])
  // a failed run opens at its failed step, and the timeline and the recording lead to theirs
  useEffect(() => {
    const [all, step] = [list.current, list.current?.querySelector<HTMLElement>("[aria-current]")]
    if (all === null || step === null || step === undefined || all.scrollHeight <= all.clientHeight) return
    const [box, at] = [all.getBoundingClientRect(), step.getBoundingClientRect()]
    all.scrollTop += Math.min(0, at.top - box.top) + Math.max(0, at.bottom - box.bottom)
  }, [shown?.number])
  const move = (by: number): boolean => {
    const index = rows.findIndex(({ number }) => number === shown?.number) + by
    const next = rows[index]
    if (next === undefined) return false
    onShow(next.number)
    list.current?.querySelectorAll("button")[index]?.focus()
    return true
  }
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.key.length === 1 && !registry.get(letterKeys))) return
    const by = steps[event.key]
    if (by !== undefined && move(by)) event.preventDefault()
  }
  const moveNow = useRef(move)
  useEffect(() => {
    moveNow.current = move
  })
  // j and k start the timeline from anywhere but a text field
  useEffect(() => {
    const start = (event: globalThis.KeyboardEvent) => {
      const isWithin = list.current?.contains(document.activeElement) ?? false
      if (!isWithin && isShortcut(event) && registry.get(letterKeys) && (event.key === "j" || event.key === "k"))
        moveNow.current(event.key === "j" ? 1 : -1)
    }
    window.addEventListener("keydown", start)
    return () => window.removeEventListener("keydown", start)
  }, [])
  return (
    <ol ref={list} className={styles["steps"]} aria-label="Steps" onKeyDown={press}>
      {rows.map((step) => (
        <Step
          key={step.number}
          step={step}
          longest_ms={longest_ms}
          isShown={step === shown}
          isRunning={!isOver}
          onShow={() => onShow(step.number)}
        />
      ))}
    </ol>
  )
}

/** Model calls that belong to a step, or to none. */
export const CallsTable = ({ calls }: { readonly calls: ReadonlyArray<ModelCall> }) => (
  <div className={styles["calls"]} tabIndex={0} role="region" aria-label="Model calls">
    <p>Prompts and responses aren&apos;t stored, because they contain the text of pages.</p>
    <table>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col">In</th>
          <th scope="col">Out</th>
          <th scope="col">Took</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call) => (
          <tr key={call.number}>
            <th scope="row">
              <Untrusted max={40}>{call.model ?? "–"}</Untrusted>
              {call.failure === null ? null : (
                <small className={styles["bad"]}>
                  <Untrusted>{call.failure}</Untrusted>
                </small>
              )}
            </th>
            <td>{call.inputTokens?.toLocaleString("en") ?? "–"}</td>
            <td>{call.outputTokens?.toLocaleString("en") ?? "–"}</td>
            <td>{call.durationMs === null ? "now" : span(call.durationMs)}</td>
            <td>{usd(call.costUsd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
