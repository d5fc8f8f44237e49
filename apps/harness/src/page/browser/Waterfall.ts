import type { Trace } from "@webagent/report/Trace"
import { duration } from "@webagent/cli/Text"
import * as Detail from "./Detail.ts"
import { html, svg } from "./Element.ts"
import * as Lanes from "./Lanes.ts"

const width = 1000
const height = 16

const classes: Readonly<Record<Lanes.Shape["as"], string>> = {
  answered: "w-ok",
  refused: "w-refused",
  failed: "w-bad",
  pause: "w-wait",
  retry: "w-retry",
  span: "w-span",
  "bad-span": "w-span bad",
  seen: "w-head",
  fault: "w-fault",
  waiting: "w-state s0",
  running: "w-state s1",
  good: "w-state s2",
  bad: "w-state s3",
  ended: "w-state s4"
}

type Scale = (at_ms: number) => number

const shape = ({ as, from_ms, note, to_ms }: Lanes.Shape, x: Scale): SVGElement => {
  const told = note === undefined ? [] : [svg("title", {}, `${note}, ${duration(to_ms - from_ms)}`)]
  const from = x(from_ms)
  const to = x(to_ms)
  if (as === "pause" || as === "retry") {
    return svg("line", { class: classes[as], x1: from, x2: to, y1: height / 2, y2: height / 2 }, ...told)
  }
  // what failed and what hit are also taller, so that colour is not all that tells them
  const tall = as === "failed" || as === "fault" || as === "bad-span"
  const y = tall ? 0 : as === "seen" ? 5 : 3
  const width = Math.max(3, to - from)
  return svg("rect", { class: classes[as], x: from, width, y, height: height - 2 * y }, ...told)
}

const key: ReadonlyArray<readonly [Lanes.Shape["as"], string]> = [
  ["answered", "answered"],
  ["refused", "refused (4xx)"],
  ["failed", "failed"],
  ["pause", "waiting to look again"],
  ["retry", "waiting to try again"],
  ["span", "span"],
  ["waiting", "waiting"],
  ["running", "running"],
  ["good", "ended well"],
  ["bad", "ended badly"],
  ["ended", "stopped"],
  ["fault", "fault"]
]

const keyOf = (lanes: ReadonlyArray<Lanes.Lane>) => {
  const used = new Set(lanes.flatMap(({ shapes }) => shapes.map(({ as }) => as)))
  return html(
    "ul",
    { class: "wf-key" },
    ...key
      .filter(([as]) => used.has(as))
      .map(([as, word]) =>
        html(
          "li",
          {},
          svg(
            "svg",
            { viewBox: "0 0 22 16", "aria-hidden": "true" },
            shape({ as, from_ms: 0, to_ms: 22 }, (at) => at)
          ),
          ` ${word}`
        )
      )
  )
}

/** Describes the time span of a lane as text, because otherwise only its position on the axis shows it. */
const spanOf = ({ shapes }: Lanes.Lane): string => {
  const from_ms = Math.min(...shapes.map((one) => one.from_ms))
  const to_ms = Math.max(...shapes.map((one) => one.to_ms))
  return shapes.length === 0 ? "" : ` from ${duration(from_ms)} to ${duration(to_ms)}`
}

const row = (lane: Lanes.Lane, x: Scale, marks: ReadonlyArray<number>): HTMLButtonElement =>
  html(
    "button",
    { type: "button", class: "wf-row", "aria-pressed": "false", title: `${lane.what} ${lane.status}` },
    html(
      "span",
      { class: "label" },
      ...(lane.depth === 0 ? [] : ["\u00A0".repeat(lane.depth * 2)]),
      ...(lane.verb === "" ? [] : [html("b", {}, lane.verb), " "]),
      html("span", { class: "what" }, lane.what),
      " ",
      html("span", { class: lane.isBad ? "status bad" : "status" }, lane.status),
      html("span", { class: "sr" }, spanOf(lane))
    ),
    svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      ...marks.map((mark) => svg("line", { class: "g", x1: x(mark), x2: x(mark), y1: -4, y2: height + 4 })),
      ...lane.shapes.map((one) => shape(one, x))
    )
  )

const axis = (x: Scale, marks: ReadonlyArray<number>): HTMLElement => {
  // text of a stretched drawing would be stretched, too
  const labels = marks.map((mark) =>
    svg(
      "text",
      { x: `${x(mark) / 10}%`, y: 14, "text-anchor": mark === 0 ? "start" : x(mark) > 950 ? "end" : "middle" },
      duration(mark)
    )
  )
  return html(
    "div",
    { class: "wf-axis", "aria-hidden": "true" },
    html("span", {}, "after the trial's start"),
    svg("svg", {}, ...labels)
  )
}

/** Renders the agent's screenshots, step by step. Each one opens in a new tab. */
const pictures = ({ pictures = [] }: Trace): ReadonlyArray<HTMLElement> => {
  const figures = pictures.map(({ jpeg, number, runId, summary }) => {
    const bytes = Uint8Array.from(atob(jpeg), (one) => one.codePointAt(0) ?? 0)
    const src = URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" }))
    const alt = `What the agent saw at step ${number} of run ${runId}`
    return html(
      "figure",
      {},
      html("a", { href: src, target: "_blank" }, html("img", { src, alt })),
      html("figcaption", {}, html("b", {}, String(number)), ` ${summary}`)
    )
  })
  return figures.length === 0
    ? []
    : [
        html("h6", {}, "What the agent saw"),
        html("div", { class: "wf-saw", tabindex: 0, role: "group", "aria-label": "What the agent saw" }, ...figures)
      ]
}

/** Actions that a waterfall offers. */
export interface Actions {
  readonly download: () => void
  /** The command that replays it; nothing where that is not known. */
  readonly replay: string | undefined
}

/** A trial on one axis of time: what was sent, pauses, spans, and the server's journal; the chosen row is shown in full. */
export const render = (trace: Trace, { download, replay }: Actions): HTMLElement => {
  const lanes = Lanes.of(trace)
  const [from, to] = Lanes.extent(lanes, trace.duration_ms)
  const x: Scale = (at_ms) => Number((((at_ms - from) / (to - from)) * width).toFixed(1))
  const marks = Lanes.ticks(from, to)
  const panel = html("div", {
    class: "wf-detail",
    role: "region",
    "aria-live": "polite",
    "aria-label": "What was chosen in the waterfall"
  })
  const rows = html("div", { class: "wf-rows" })
  rows.append(axis(x, marks))
  const buttons: Array<HTMLButtonElement> = []
  const choose = (button: HTMLButtonElement, lane: Lanes.Lane) => {
    for (const other of buttons) other.setAttribute("aria-pressed", String(other === button))
    Detail.show(panel, lane)
  }
  let group = ""
  for (const lane of lanes) {
    if (lane.group !== group) rows.append(html("h6", {}, lane.group))
    group = lane.group
    const button = row(lane, x, marks)
    button.addEventListener("click", () => choose(button, lane))
    buttons.push(button)
    rows.append(button)
  }
  rows.addEventListener("keydown", (event) => {
    const at = buttons.findIndex((button) => button === document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key]
    if (at < 0 || to === undefined) return
    event.preventDefault()
    buttons[Math.max(0, Math.min(to, buttons.length - 1))]?.focus()
  })
  // what failed, else the last answer: a service says there why a run did
  const hurt = [
    lanes.findIndex((lane) => lane.isBad && lane.exchanges.length > 0),
    lanes.findIndex(({ shapes }) => shapes.some(({ as }) => as === "failed")),
    lanes.findLastIndex(({ exchanges }) => exchanges.length > 0)
  ]
  const first = hurt.find((at) => at >= 0) ?? 0
  const [button, lane] = [buttons[first], lanes[first]]
  if (button !== undefined && lane !== undefined) choose(button, lane)
  const har = html("button", { type: "button" }, "Download HAR")
  har.addEventListener("click", download)
  const missing = Object.entries(trace.dropped).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]))
  return html(
    "section",
    { class: "wf", "aria-label": `Waterfall of ${trace.scenario}, trial ${trace.index + 1}` },
    html(
      "div",
      { class: "wf-head" },
      html("h5", {}, `Trial ${trace.index + 1} · ${duration(trace.duration_ms)} · seed ${trace.seed}`),
      ...(missing.length === 0 ? [] : [html("span", { class: "faint small" }, `not kept: ${missing.join(", ")}`)]),
      ...(replay === undefined ? [] : [html("button", { type: "button", "data-copy": replay }, "Copy replay command")]),
      har
    ),
    ...pictures(trace),
    lanes.length === 0
      ? html("p", { class: "wf-detail faint" }, "Nothing was sent.")
      : html("div", { class: "wf-body" }, rows, panel),
    keyOf(lanes)
  )
}
