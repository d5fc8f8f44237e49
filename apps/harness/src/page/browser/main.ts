import { harOf } from "./Har.ts"
import type { Trace } from "@webagent/report/Trace"
import { html } from "./Element.ts"
import * as Waterfall from "./Waterfall.ts"

const root = document.documentElement
root.classList.add("scripted")

const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector)

const press = (buttons: Iterable<HTMLElement>, isPressed: (button: HTMLElement) => boolean) => {
  for (const button of buttons) button.setAttribute("aria-pressed", String(isPressed(button)))
}

/** A page on disk may have no storage; then a choice lasts as long as the page. */
const remembered = (theme?: string): string | null => {
  try {
    if (theme !== undefined) localStorage.setItem("webagent-theme", theme)
    return localStorage.getItem("webagent-theme")
  } catch {
    return null
  }
}

const themes = all(".theme button")
const paint = (theme: string) => {
  if (theme === "auto") delete root.dataset["theme"]
  else root.dataset["theme"] = theme
  press(themes, (button) => button.dataset["theme"] === theme)
}
paint(remembered() ?? "auto")

const said = html("p", { class: "sr", role: "status" })
document.body.append(said)

const copy = async (button: HTMLElement, text: string) => {
  const label = [...button.childNodes]
  const isIcon = button.classList.contains("icon")
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = isIcon ? "✓" : "Copied"
    said.textContent = "Copied"
  } catch {
    const code = button.parentElement?.querySelector("code")
    if (code !== null && code !== undefined) getSelection()?.selectAllChildren(code)
    button.textContent = isIcon ? "✗" : "Press Ctrl+C"
    said.textContent = "Not copied"
  }
  setTimeout(() => button.replaceChildren(...label), 2000)
}

const save = (name: string, text: string) => {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  html("a", { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const unpack = async (id: string): Promise<Trace> => {
  const bytes = Uint8Array.from(
    atob(document.getElementById(id)?.textContent ?? ""),
    (character) => character.codePointAt(0) ?? 0
  )
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json()
}

const nameOf = ({ index, scenario, suite }: Trace) =>
  `${suite}-${scenario}-${index + 1}.har`.replaceAll(/[^\w.-]+/gu, "-")

const toggle = async (button: HTMLElement, id: string) => {
  const row = button.closest("tr")
  if (row === null) return
  const isOpen = button.getAttribute("aria-expanded") === "true"
  button.setAttribute("aria-expanded", String(!isOpen))
  const below = document.getElementById(`${id}-waterfall`)
  if (below !== null) {
    below.hidden = isOpen
    return
  }
  const place = html("div", { id: `${id}-waterfall` }, "Unpacking …")
  button.setAttribute("aria-controls", place.id)
  // not inside the table: that one is as wide as its text and scrolls
  row.closest(".scroll")?.after(place)
  try {
    const trace = await unpack(id)
    const replay = button.closest(".body")?.querySelector<HTMLElement>("[data-copy]")?.dataset["copy"]
    const creator = { name: "webagent-harness", version: root.dataset["version"] ?? "" }
    const download = () => save(nameOf(trace), JSON.stringify(harOf(trace, creator), null, 2))
    place.replaceChildren(Waterfall.render(trace, { download, replay }))
  } catch (error) {
    place.textContent = `This browser cannot unpack the trace: ${String(error)}`
  }
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("button") : null
  if (button === null) return
  const { close, copy: text, filter: verdict, open: wanted, theme, trace } = button.dataset
  if (wanted !== undefined) {
    show(wanted)
    const traces = document.getElementById(wanted)?.querySelectorAll<HTMLElement>("[data-trace]") ?? []
    const [first] = [...traces].toSorted((one, other) => failedFirst(one) - failedFirst(other))
    if (first?.getAttribute("aria-expanded") === "false") void toggle(first, first.dataset["trace"] ?? "")
  }
  if (close !== undefined) hide(close)
  if (text !== undefined) void copy(button, text)
  if (trace !== undefined) void toggle(button, trace)
  if (theme !== undefined) paint(remembered(theme) ?? theme)
  if (verdict !== undefined) {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"))
    narrow()
  }
})

const failedFirst = ({ dataset }: HTMLElement) => (dataset["failed"] === undefined ? 1 : 0)

const field = document.querySelector<HTMLInputElement>("#find")

const narrow = () => {
  const words = (field?.value ?? "").toLowerCase().split(/\s+/u)
  const wanted = [...all("[data-filter][aria-pressed=true]")].map(({ dataset }) => dataset["filter"] ?? "")
  let count = 0
  for (const suite of all(".suite")) {
    let shown = 0
    for (const scenario of suite.querySelectorAll<HTMLElement>(".scenario")) {
      const { name = "", tags = "" } = scenario.dataset
      const row = scenario.parentElement ?? scenario
      const fits =
        words.every((word) => name.includes(word)) &&
        (wanted.length === 0 || tags.split(",").some((one) => wanted.includes(one)))
      row.hidden = !fits
      if (fits) shown++
    }
    suite.hidden = shown === 0
    count += shown
  }
  const found = document.querySelector("#found")
  const isNarrowed = wanted.length > 0 || words.some((word) => word !== "")
  if (found !== null) found.textContent = isNarrowed ? `${count} of ${all(".scenario").length} shown` : ""
}
field?.addEventListener("input", narrow)

/** Opens a scenario, and brings it into view. */
const show = (id: string) => {
  const target = document.getElementById(id)
  if (!(target instanceof HTMLDetailsElement)) return
  if (target.parentElement !== null) target.parentElement.hidden = false
  target.open = true
  target.scrollIntoView({ block: "center" })
  target.querySelector("summary")?.focus()
}

const hide = (id: string) => {
  const target = document.getElementById(id)
  if (!(target instanceof HTMLDetailsElement)) return
  target.open = false
  target.querySelector("summary")?.focus()
}

// a scenario that failed shows the waterfall of its first failed trial at once
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open || !target.classList.contains("scenario")) return
    if (target.querySelector(".panel-head") === null) {
      const close = html("button", { type: "button" }, "Close")
      close.dataset["close"] = target.id
      const name = target.querySelector("h4")?.childNodes
      const title = [...(name ?? [])].find(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ""
      )
      target
        .querySelector(".body")
        ?.prepend(html("div", { class: "panel-head" }, html("b", {}, title?.textContent ?? ""), close))
    }
    const button = target.querySelector<HTMLElement>("[data-trace][data-failed][aria-expanded=false]")
    const isShown = target.querySelector("[data-trace][aria-expanded=true]") !== null
    if (button !== null && !isShown) void toggle(button, button.dataset["trace"] ?? "")
  },
  true
)

addEventListener("keydown", ({ key }) => {
  const opened = document.querySelector("details.scenario[open]")
  if (key === "Escape" && opened !== null) hide(opened.id)
})

/** A link to a scenario opens it. */
const follow = () => show(decodeURIComponent(location.hash.slice(1)))
addEventListener("hashchange", follow)
follow()
