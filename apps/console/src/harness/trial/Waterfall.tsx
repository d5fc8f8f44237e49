import * as Lanes from "@webagent/report/Lanes"
import type { Exchange, Message, Trace } from "@webagent/report/Trace"
import { type KeyboardEvent, useMemo, useState } from "react"
import { numberInQuery, setInQuery } from "../../state/place.ts"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import { byteSize, counted, span } from "../../ui/format.ts"
import { Facts } from "../../ui/Record.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./Waterfall.module.css"

/** Width of the drawing in units of its own. */
const width = 1000

const words: Readonly<Record<Lanes.Shape["as"], string>> = {
  answered: "answered",
  refused: "refused (4xx)",
  failed: "failed",
  pause: "waiting to poll again",
  retry: "waiting to try again",
  span: "span",
  "bad-span": "failed span",
  waiting: "waiting",
  running: "running",
  good: "succeeded",
  bad: "didn't succeed",
  ended: "stopped",
  seen: "seen by the server",
  fault: "fault"
}

interface Scale {
  readonly x: (at_ms: number) => number
}

/** Something on a lane. What failed is also taller, so that its color isn't all that tells it. */
const Shape = ({ of: { as, from_ms, note, to_ms }, x }: Scale & { readonly of: Lanes.Shape }) => {
  const isLine = as === "pause" || as === "retry"
  const y = as === "failed" || as === "fault" || as === "bad-span" ? 0 : as === "seen" ? 5 : 3
  const [from, to] = [x(from_ms), x(to_ms)]
  const title = note === undefined ? null : <title>{`${note}, ${span(to_ms - from_ms)}`}</title>
  return isLine ? (
    <line data-as={as} x1={from} x2={to} y1={8} y2={8}>
      {title}
    </line>
  ) : (
    <rect data-as={as} x={from} y={y} width={Math.max(3, to - from)} height={16 - 2 * y}>
      {title}
    </rect>
  )
}

const timesOf = ({ shapes }: Lanes.Lane): string => {
  if (shapes.length === 0) return ""
  const from_ms = Math.min(...shapes.map((one) => one.from_ms))
  const to_ms = Math.max(...shapes.map((one) => one.to_ms))
  return `from ${span(from_ms)} to ${span(to_ms)}`
}

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const Body = ({ of: message, title }: { readonly of: Message | null; readonly title: string }) => {
  if (message === null) return null
  const headers = Object.entries(message.headers)
  const { body } = message
  return (
    <>
      <details>
        <summary>{`${title}: ${counted(headers.length, "header")}`}</summary>
        <Code label={`${title}: headers`} text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} wraps />
      </details>
      {body === null || body.text === "" ? (
        <p>{title}: no body</p>
      ) : (
        <>
          <Code label={`${title}: body`} text={pretty(body.text)} wraps />
          {body.cut ? <p>Shortened: it has {byteSize(body.bytes)}.</p> : null}
        </>
      )}
    </>
  )
}

const ExchangeView = ({ isLive, of: exchange }: { readonly of: Exchange; readonly isLive: boolean }) => {
  const { attempt, at_ms, duration_ms, failure, headers_ms, kind, method, requestId, retried, status, url } = exchange
  return (
    <>
      <h3>
        {kind === "poll" ? "Poll" : "Request"}: {method} <Untrusted max={300}>{Lanes.pathOf(url)}</Untrusted>
      </h3>
      <Facts
        of={[
          [
            "Response",
            failure === Lanes.inFlight
              ? "not yet"
              : failure === null
                ? String(status)
                : `${status ?? "none"}: ${failure}`
          ],
          ["Began", `${span(at_ms)} into the trial`],
          ["Took", span(duration_ms)],
          ["First byte", headers_ms === null ? null : `after ${span(headers_ms)}`],
          ["Attempt", attempt === 1 ? null : `${attempt}, after ${retried ?? "no response"}`],
          ["Request ID", requestId]
        ]}
      />
      {isLive ? (
        <p>Headers and bodies appear here once the run finishes.</p>
      ) : (
        <>
          <Body of={exchange.request} title="Request" />
          <Body of={exchange.response} title="Response" />
        </>
      )}
    </>
  )
}

/** The chosen lane of a waterfall: one exchange at a time, the last one first. */
const Detail = ({ isLive, of: lane }: { readonly of: Lanes.Lane; readonly isLive: boolean }) => {
  const [chosen, choose] = useState(lane.exchanges.length - 1)
  const exchange = lane.exchanges[chosen]
  if (exchange === undefined) {
    return (
      <>
        <h3>
          <Untrusted max={200}>{`${lane.verb} ${lane.what}`.trim()}</Untrusted>
        </h3>
        <Code
          label="Raw record"
          text={lane.records.map((record) => JSON.stringify(record, null, 2)).join("\n")}
          wraps
        />
      </>
    )
  }
  return (
    <>
      {lane.exchanges.length < 2 ? null : (
        <div className={styles["steps"]}>
          <Button disabled={chosen === 0} onClick={() => choose(chosen - 1)}>
            Previous
          </Button>
          <span>
            {chosen + 1} of {lane.exchanges.length}
          </span>
          <Button disabled={chosen === lane.exchanges.length - 1} onClick={() => choose(chosen + 1)}>
            Next
          </Button>
        </div>
      )}
      <ExchangeView of={exchange} isLive={isLive} />
    </>
  )
}

/** The lane to show first: what failed, otherwise the last response. */
const firstOf = (lanes: ReadonlyArray<Lanes.Lane>): number => {
  const candidates = [
    lanes.findIndex(({ exchanges, isBad }) => isBad && exchanges.length > 0),
    lanes.findIndex(({ shapes }) => shapes.some(({ as }) => as === "failed")),
    lanes.findLastIndex(({ exchanges }) => exchanges.length > 0)
  ]
  return candidates.find((at) => at >= 0) ?? 0
}

const Key = ({ lanes }: { readonly lanes: ReadonlyArray<Lanes.Lane> }) => {
  const used = new Set(lanes.flatMap(({ shapes }) => shapes.map(({ as }) => as)))
  return (
    <ul className={styles["key"]} aria-label="Symbols">
      {[...used].map((as) => (
        <li key={as}>
          <svg viewBox="0 0 22 16" aria-hidden>
            <Shape of={{ as, from_ms: 0, to_ms: 22 }} x={(at) => at} />
          </svg>
          {words[as]}
        </li>
      ))}
    </ul>
  )
}

/** A trial on one axis of time: its requests and pauses, spans, and the server's journal. */
export const Waterfall = ({ isLive = false, trace }: { readonly trace: Trace; readonly isLive?: boolean }) => {
  const lanes = useMemo(() => Lanes.of(trace), [trace])
  // a trial that is watched gets rows in between, so an address can't name one of them
  const [chosen, choose] = useState(() => ((isLive ? undefined : numberInQuery("row")) ?? firstOf(lanes) + 1) - 1)
  const show = (index: number) => {
    choose(index)
    if (!isLive) setInQuery("row", String(index + 1))
  }
  const [from, to] = Lanes.extent(lanes, trace.duration_ms)
  const x = (at_ms: number) => Number((((at_ms - from) / (to - from)) * width).toFixed(1))
  const marks = Lanes.ticks(from, to)
  const lane = lanes[chosen] ?? lanes[firstOf(lanes)]
  if (lane === undefined) return <p>The trial sent no requests.</p>
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("button")]
    const at = buttons.findIndex((button) => button === document.activeElement)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key]
    if (at < 0 || next === undefined) return
    event.preventDefault()
    buttons[Math.max(0, Math.min(next, buttons.length - 1))]?.focus()
  }
  return (
    <>
      <div className={styles["body"]}>
        <div className={styles["rows"]} role="group" aria-label="Requests, spans and journal" onKeyDown={press}>
          <div className={styles["axis"]} aria-hidden>
            <span>after the start of the trial</span>
            <svg>
              {marks.map((mark) => (
                <text
                  key={mark}
                  x={`${x(mark) / 10}%`}
                  y={14}
                  textAnchor={x(mark) < 40 ? "start" : x(mark) > 950 ? "end" : "middle"}
                >
                  {span(mark)}
                </text>
              ))}
            </svg>
          </div>
          {lanes.map((one, index) => (
            <div key={index}>
              {one.group === lanes[index - 1]?.group ? null : <h3>{one.group}</h3>}
              <button type="button" className={styles["row"]} aria-pressed={one === lane} onClick={() => show(index)}>
                <span className={styles["label"]} style={{ paddingLeft: one.depth * 12 }}>
                  {one.verb === "" ? null : <b>{one.verb} </b>}
                  <Untrusted max={120}>{one.what}</Untrusted>{" "}
                  <span data-bad={one.isBad}>
                    <Untrusted max={60}>{one.status}</Untrusted>
                  </span>
                  <span className="unseen">{timesOf(one)}</span>
                </span>
                <svg viewBox={`0 0 ${width} 16`} preserveAspectRatio="none" aria-hidden>
                  {marks.map((mark) => (
                    <line key={mark} data-as="mark" x1={x(mark)} x2={x(mark)} y1={-6} y2={22} />
                  ))}
                  {one.shapes.map((shape, n) => (
                    <Shape key={n} of={shape} x={x} />
                  ))}
                </svg>
              </button>
            </div>
          ))}
        </div>
        <section className={styles["detail"]} aria-label="Details">
          <Detail key={chosen} of={lane} isLive={isLive} />
        </section>
      </div>
      <Key lanes={lanes} />
    </>
  )
}
