import type { Exchange, Message } from "@webagent/report/Trace"
import { duration } from "@webagent/cli/Text"
import { html } from "./Element.ts"
import { type Lane, pathOf } from "./Lanes.ts"

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const message = (title: string, of: Message | null): ReadonlyArray<Node> => {
  if (of === null) return []
  const headers = Object.entries(of.headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")
  const { body } = of
  return [
    html(
      "details",
      {},
      html("summary", {}, `${title}: headers (${Object.keys(of.headers).length})`),
      html("pre", { tabindex: 0, "aria-label": `${title}: headers` }, headers)
    ),
    ...(body === null || body.text === ""
      ? [html("p", { class: "faint" }, `${title}: no body`)]
      : [
          html("pre", { tabindex: 0, "aria-label": `${title}: body` }, pretty(body.text)),
          ...(body.cut ? [html("p", { class: "faint" }, `cut: ${body.bytes} bytes in all`)] : [])
        ])
  ]
}

const exchangeOf = (exchange: Exchange): ReadonlyArray<Node> => {
  const { attempt, at_ms, duration_ms, failure, headers_ms, kind, method, requestId, retried, status, url } = exchange
  const facts: ReadonlyArray<readonly [string, string | null]> = [
    ["answer", failure === null ? String(status) : `${status === null ? "none" : status}: ${failure}`],
    ["began", `${duration(at_ms)} after the trial did`],
    [
      "took",
      headers_ms === null
        ? duration(duration_ms)
        : `${duration(duration_ms)}, ${duration(headers_ms)} to the first byte`
    ],
    ["attempt", attempt === 1 ? null : `${attempt}, as the one before ended with ${retried ?? "nothing"}`],
    ["id", requestId]
  ]
  return [
    html("h6", {}, `${kind === "poll" ? "Poll" : "Request"}: ${method} ${pathOf(url)}`),
    html(
      "dl",
      {},
      ...facts.flatMap(([name, value]) => (value === null ? [] : [html("dt", {}, name), html("dd", {}, value)]))
    ),
    ...message("Request", exchange.request),
    ...message("Answer", exchange.response)
  ]
}

/** Shows the details of the selected lane next to a waterfall: one exchange at a time, the last one first. */
export const show = (panel: HTMLElement, lane: Lane): void => {
  if (lane.exchanges.length === 0) {
    panel.replaceChildren(
      html("h6", {}, [lane.verb, lane.what].filter((part) => part !== "").join(" ")),
      html(
        "pre",
        { tabindex: 0, "aria-label": "As it was recorded" },
        lane.records.map((record) => JSON.stringify(record, null, 2)).join("\n")
      )
    )
    return
  }
  const count = lane.exchanges.length
  const at = (index: number) => {
    const exchange = lane.exchanges[index]
    if (exchange === undefined) return
    const step = (label: string, next: number) => {
      const button = html("button", { type: "button", disabled: lane.exchanges[next] === undefined }, label)
      button.addEventListener("click", () => {
        at(next)
        panel.querySelector<HTMLElement>(label === "Before" ? ".steps button" : ".steps button:last-of-type")?.focus()
      })
      return button
    }
    panel.replaceChildren(
      ...(count > 1
        ? [
            html(
              "div",
              { class: "steps" },
              step("Before", index - 1),
              `${index + 1} of ${count}`,
              step("After", index + 1)
            )
          ]
        : []),
      ...exchangeOf(exchange)
    )
  }
  at(count - 1)
}
