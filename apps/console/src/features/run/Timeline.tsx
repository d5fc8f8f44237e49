import type { ModelCall, Run, RunStep } from "@webagent/admin"
import * as Atom from "effect/reactivity/Atom"
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react"
import { useAtomValue } from "../../state/react.ts"
import { counted, second, span } from "../../ui/format.ts"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { shown as safe } from "../../ui/untrustedText.ts"
import { type PictureOf, StepPictures } from "./StepPictures.tsx"
import { type Range, rangeOf } from "./stepFilter.ts"
import { type Bar, stepAt, timelineOf } from "./timeline.ts"
import styles from "./Timeline.module.css"

interface TimelineProps {
  readonly run: Pick<Run, "createdAt" | "startedAt" | "finishedAt">
  readonly steps: ReadonlyArray<RunStep>
  readonly calls: ReadonlyArray<ModelCall>
  readonly chosen: RunStep | undefined
  /** Time that the recording shows; undefined without one. */
  readonly playhead_ms: number | undefined
  readonly pictureOf: PictureOf
  readonly onShow: (number: number) => void
  /** The part of it to which the list of steps is limited. */
  readonly range: Range | undefined
  readonly onRange: (range: Range | undefined) => void
}

const percent = (fraction: number) => `${(100 * Math.min(1, Math.max(0, fraction))).toFixed(3)}%`

const Bars = ({ current, of }: { readonly of: ReadonlyArray<Bar>; readonly current?: number | undefined }) => (
  <div className={styles["bars"]}>
    {of.map(({ left, number, state, width }) => (
      <span
        key={number}
        data-state={state}
        data-current={number === current}
        style={{ left: percent(left), width: percent(width) }}
      />
    ))}
  </div>
)

const moves: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }

/** The time of a run that is over, whose timeline doesn't grow. */
const over = Atom.make(0)

/** Smallest part of the strip that a drag selects; less is a click. */
const smallest = 0.01

/**
 * Steps above model calls on one axis of time. Pointing at a step shows the page before and after it, and dragging limits
 * the list of steps to a range.
 */
export const Timeline = (props: TimelineProps) => {
  const { calls, chosen, onRange, onShow, pictureOf, playhead_ms, range, run, steps } = props
  const drag = useRef<number | undefined>(undefined)
  const strip = useRef<HTMLDivElement>(null)
  const [pointed, point] = useState<{ readonly step: RunStep; readonly x: number } | undefined>(undefined)
  const { createdAt, finishedAt, startedAt } = run
  const now_ms = useAtomValue(finishedAt === null ? second : over)
  const timeline = useMemo(
    () => timelineOf({ createdAt, finishedAt, startedAt }, steps, calls, now_ms),
    [calls, createdAt, finishedAt, now_ms, startedAt, steps]
  )
  const length_ms = timeline.to_ms - timeline.from_ms
  const timeOf = (x: number) => timeline.from_ms + x * length_ms
  const placeOf = ({ clientX }: { readonly clientX: number }) => {
    const { left, width } = strip.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.min(1, Math.max(0, (clientX - left) / width))
  }
  const isDrag = (x: number) => drag.current !== undefined && Math.abs(x - drag.current) > smallest
  const move = (event: PointerEvent) => {
    const x = placeOf(event)
    const from = drag.current
    if (from !== undefined && isDrag(x)) {
      point(undefined)
      return onRange({ from_ms: timeOf(Math.min(from, x)), to_ms: timeOf(Math.max(from, x)) })
    }
    // a finger has no place to point from
    if (event.pointerType === "touch") return undefined
    const step = stepAt(steps, timeOf(x))
    return point(step === undefined ? undefined : { step, x })
  }
  const press = (event: PointerEvent) => {
    if (event.button !== 0 || event.pointerType === "touch") return
    drag.current = placeOf(event)
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const choose = (event: { readonly clientX: number }) => {
    const x = placeOf(event)
    const wasDrag = isDrag(x)
    drag.current = undefined
    const step = wasDrag ? undefined : stepAt(steps, timeOf(x))
    if (step !== undefined) onShow(step.number)
  }
  const type = (event: KeyboardEvent) => {
    if (event.key === "Escape") return onRange(undefined)
    const by = moves[event.key]
    if (by === undefined) return undefined
    event.preventDefault()
    const index = steps.findIndex(({ number }) => number === chosen?.number)
    const next = steps[Math.min(steps.length - 1, Math.max(0, index + by))]
    if (next === undefined) return undefined
    if (event.shiftKey) {
      const all = [range ?? rangeOf(chosen ?? next), rangeOf(next)]
      const [from_ms, to_ms] = [all.map((one) => one.from_ms), all.map((one) => one.to_ms)]
      onRange({ from_ms: Math.min(...from_ms), to_ms: Math.min(timeline.to_ms, Math.max(...to_ms)) })
    }
    return onShow(next.number)
  }
  return (
    <div className={styles["timeline"]}>
      <div className={styles["names"]} aria-hidden>
        <span>Steps</span>
        {calls.length === 0 ? null : <span>Model</span>}
      </div>
      <div
        ref={strip}
        className={styles["strip"]}
        role="slider"
        tabIndex={0}
        aria-label="Step on the timeline"
        aria-valuemin={steps[0]?.number ?? 0}
        aria-valuemax={steps.at(-1)?.number ?? 0}
        aria-valuenow={chosen?.number ?? 0}
        aria-valuetext={chosen === undefined ? "no step" : `Step ${chosen.number}: ${safe(chosen.summary, 80).text}`}
        aria-description="Shift with an arrow limits the list of steps to a range, and Esc lists all"
        onPointerDown={press}
        onPointerMove={move}
        onPointerCancel={() => (drag.current = undefined)}
        onPointerLeave={() => point(undefined)}
        onClick={choose}
        onKeyDown={type}
      >
        <Bars of={timeline.steps} current={chosen?.number} />
        {calls.length === 0 ? null : <Bars of={timeline.calls} />}
        {range === undefined ? null : (
          <i
            className={styles["range"]}
            style={{
              left: percent((range.from_ms - timeline.from_ms) / length_ms),
              right: percent((timeline.to_ms - range.to_ms) / length_ms)
            }}
          />
        )}
        {playhead_ms === undefined ? null : (
          <i className={styles["playhead"]} style={{ left: percent((playhead_ms - timeline.from_ms) / length_ms) }} />
        )}
      </div>
      <div className={styles["axis"]} aria-hidden>
        <span>0 s</span>
        {calls.length === 0 ? null : <span>{counted(calls.length, "model call")}</span>}
        <span>{span(length_ms)}</span>
      </div>
      {pointed === undefined ? null : (
        <div
          className={styles["preview"]}
          style={{ left: percent(pointed.x), transform: `translateX(-${percent(pointed.x)})` }}
          aria-hidden
        >
          <p>
            <b>Step {pointed.step.number}</b>{" "}
            {pointed.step.durationMs === null ? "running" : span(pointed.step.durationMs)}
          </p>
          <p>
            <Untrusted max={120}>{pointed.step.title ?? pointed.step.summary}</Untrusted>
          </p>
          <StepPictures step={pointed.step} steps={steps} pictureOf={pictureOf} isPreview />
        </div>
      )}
    </div>
  )
}
