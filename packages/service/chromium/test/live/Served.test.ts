import { assert, it } from "@effect/vitest"
import { layerStreamingAgent } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { writeFileSync } from "node:fs"
import { person, served } from "../support/served.ts"
import { until } from "../support/live.ts"

/** A red picture of 16 by 8 pixels. */
const red = Buffer.from(
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgUFBcUFxsbGxsbGyAeICEhISAgICAhISEkJCQqKiokJCQhISQkKCgqKi4vLisrKisvLzIyMjw8OTlGRkhWVmf/xABMAAEBAAAAAAAAAAAAAAAAAAAABgEBAQAAAAAAAAAAAAAAAAAABgcQAQAAAAAAAAAAAAAAAAAAAAARAQAAAAAAAAAAAAAAAAAAAAD/wAARCAAIABADASIAAhEAAxEA/9oADAMBAAIRAxEAPwCLAFF/f//Z",
  "base64"
)

type Page = Effect.Success<typeof person>

/** Looks whether an expression of a page is true, and what it waits for is not there yet. */
const untilIn = ({ run }: Page, expression: string) =>
  until(Effect.orElseSucceed(Effect.map(run(`Boolean(${expression})`), Boolean), () => false))

const field = (body: string) => `document.title = "Shop"; document.body.innerHTML = ${JSON.stringify(body)}`

/** The colour in the middle of what a viewer sees: red, green and blue. */
const middle = `[...screen_.getContext("2d").getImageData(screen_.width / 2, screen_.height / 2, 1, 1).data].slice(0, 3)`

const opened = Effect.fnUntraced(function* (viewer: Page, url: string) {
  yield* viewer.send("Page.navigate", { url })
  yield* untilIn(viewer, `document.body?.dataset.state === "live" && !document.getElementById("screen").hidden`)
  // `screen` is the display of the machine
  yield* viewer.run(`window.screen_ = document.getElementById("screen")`)
})

/** A click on the middle of what a viewer sees, and a text, as a hand would do them. */
const clickAndType = Effect.fnUntraced(function* (viewer: Page, text: string) {
  const box = yield* viewer.run(
    `(({ left, top, width, height }) => [left + width / 2, top + height / 2])(screen_.getBoundingClientRect())`
  )
  const [x, y] = box as ReadonlyArray<number>
  const at = { x, y, button: "left", clickCount: 1 }
  yield* viewer.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at })
  yield* viewer.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at })
  for (const key of text) {
    const what = { key, text: key, windowsVirtualKeyCode: key.toUpperCase().codePointAt(0) }
    yield* viewer.send("Input.dispatchKeyEvent", { type: "keyDown", ...what })
    yield* viewer.send("Input.dispatchKeyEvent", { type: "keyUp", ...what })
  }
})

/** Shows a page as a phone does. An element must be within its width: the window grows with what is too wide for it. */
const fitsPhone = Effect.fnUntraced(function* (viewer: Page, selector: string) {
  const phone = { width: 390, height: 844, deviceScaleFactor: 2, mobile: true }
  yield* viewer.send("Emulation.setDeviceMetricsOverride", phone)
  yield* untilIn(viewer, `document.documentElement.clientWidth === ${phone.width}`)
  const right = yield* viewer.run(`document.querySelector("${selector}").getBoundingClientRect().right`)
  assert.isAtMost(Number(right), phone.width)
})

/** A picture of what a viewer sees, for people who set the variable. */
const keep = Effect.fnUntraced(function* ({ send }: Page, name: string) {
  const folder = process.env["WEBAGENT_PICTURES"]
  if (folder === undefined) return
  const { data } = yield* send("Page.captureScreenshot")
  writeFileSync(`${folder}/${name}.png`, Buffer.from(String(data), "base64"))
})

it.live("a person watches a browser, takes control with the other link, and reads why it is gone", () =>
  Effect.gen(function* () {
    const { create, stop } = yield* served()
    const { controlUrl, id, liveUrl, page } = yield* create()
    const viewer = yield* person
    yield* page.run(field(`<input id="typed" autocomplete="off" style="position:fixed;inset:0;font:60px sans-serif">`))
    yield* opened(viewer, liveUrl)
    yield* untilIn(viewer, `document.getElementById("title").textContent === "Shop"`)
    assert.strictEqual(yield* viewer.run(`document.getElementById("state").textContent`), "Live")

    yield* page.run(`typed.style.background = "rgb(200, 30, 40)"`)
    yield* untilIn(viewer, `((c) => c[0] > 180 && c[1] < 60 && c[2] < 70)(${middle})`)
    yield* clickAndType(viewer, "no")
    yield* keep(viewer, "live")

    yield* opened(viewer, controlUrl)
    assert.strictEqual(yield* viewer.run(`document.getElementById("state").textContent`), "Click to take control")
    yield* clickAndType(viewer, "yes")
    yield* untilIn(page, `typed.value.includes("yes")`)
    yield* untilIn(viewer, `document.getElementById("state").textContent.startsWith("You have control")`)
    assert.strictEqual(yield* page.run("typed.value"), "yes")
    // as a paste does
    yield* viewer.send("Input.insertText", { text: " Ärger" })
    yield* untilIn(page, `typed.value === "yes Ärger"`)
    yield* keep(viewer, "control")

    yield* fitsPhone(viewer, "#screen")
    yield* keep(viewer, "phone")
    yield* viewer.send("Emulation.clearDeviceMetricsOverride")

    yield* stop(id)
    yield* untilIn(viewer, `document.getElementById("state").textContent === "The browser was stopped."`)
    yield* keep(viewer, "stopped")
    yield* viewer.send("Page.navigate", { url: liveUrl })
    yield* untilIn(viewer, `document.body?.dataset.state === "over" && document.querySelector("script") === null`)
    assert.strictEqual(yield* viewer.run(`document.getElementById("state").textContent`), "The browser was stopped.")
  }).pipe(Effect.scoped)
)

it.live("a person watches the browser of a session's agent by each version's link", () =>
  Effect.gen(function* () {
    const colour = "rgb(30, 160, 60)"
    const typing = Promise.withResolvers<void>()
    const agent = layerStreamingAgent({
      model: "test",
      version: "test-1",
      perform: (_, attempt) =>
        Stream.concat(
          Stream.make({ _tag: "Started" as const }),
          Stream.fromEffectDrain(
            Effect.scoped(
              Effect.gen(function* () {
                yield* attempt.browser
                yield* attempt.step({ summary: "opens <b>", address: "about:blank", picture: red })
                yield* attempt.stepEnded("<i>closed</i>")
                yield* attempt.step({ summary: "waits", address: "about:blank", picture: null })
                yield* Effect.promise(() => typing.promise)
                yield* attempt.conceal
                yield* attempt.stepEnded(null)
                yield* Effect.never
              })
            )
          )
        )
    })
    const { ask, baseUrls, pageOfBrowser } = yield* served(undefined, agent)
    const { id = "", sessionId = "" } = yield* ask("POST", "/runs", { task: "look" })
    const viewer = yield* person
    const seen: Array<Effect.Success<ReturnType<typeof pageOfBrowser>>> = []
    for (const url of [
      `${baseUrls.v2}/sessions/${sessionId}`,
      `${baseUrls.v3}/sessions/${sessionId}`,
      `${baseUrls.v4}/runs/${id}`
    ]) {
      const read = Effect.promise(async () => {
        const found = (await (await fetch(url, { headers: { "x-service-api-key": "any" } })).json()) as {
          readonly liveUrl?: string | null
        }
        return found.liveUrl ?? ""
      })
      yield* until(Effect.map(read, (liveUrl) => liveUrl !== ""))
      const liveUrl = yield* read
      const page = yield* pageOfBrowser(liveUrl.split("/").at(-2) ?? "")
      yield* page.run(`document.body.style.background = "${colour}"`)
      yield* opened(viewer, liveUrl)
      yield* untilIn(viewer, `document.querySelectorAll("#steps li").length === 2`)
      const steps = `[...document.querySelectorAll("#steps li")].map(({ textContent, value }) => value + " " + textContent).join()`
      assert.strictEqual(yield* viewer.run(steps), "1 opens <b> Failed: <i>closed</i>,2 waits")
      yield* untilIn(viewer, `document.getElementById("steps").checkVisibility()`)
      yield* untilIn(
        viewer,
        `[...document.querySelectorAll("#steps img")].map((one) => one.naturalWidth).join() === "16"`
      )
      yield* keep(viewer, "steps")
      yield* untilIn(viewer, `"${colour}".match(/\\d+/g).every((part, at) => Math.abs(part - ${middle}[at]) < 20)`)
      seen.push(page)
    }
    // a picture from before the secret is still being decoded when the page hears of it
    yield* viewer.run(`{
      const { createImageBitmap } = window
      window.decoding = 0
      const released = new Promise((release) => (window.release = release))
      window.createImageBitmap = async (data) => {
        decoding++
        await released
        return createImageBitmap(data)
      }
    }`)
    const last = yield* viewer.run(`screen_.dataset.at`)
    yield* Effect.forEach(seen, (page) => page.run(`document.body.style.background = "rgb(20, 160, 60)"`))
    yield* untilIn(viewer, `decoding > 0`)
    // the agent is about to type a secret
    typing.resolve()
    yield* untilIn(viewer, `!document.querySelector("#steps li:last-child small").textContent.includes("Failed")`)
    yield* Effect.forEach(seen, (page) => page.run(`document.body.textContent = "hunter2"`))
    yield* untilIn(viewer, `document.body.hasAttribute("data-concealed") && !screen_.checkVisibility()`)
    yield* viewer.run(`release()`)
    yield* untilIn(viewer, `screen_.dataset.at !== "${last}"`)
    assert.strictEqual(
      yield* viewer.run(`document.getElementById("state").textContent`),
      "The agent typed a secret: only its steps' pictures are shown"
    )
    yield* untilIn(viewer, `document.querySelector("#steps img").checkVisibility()`)
    yield* fitsPhone(viewer, "#steps img")
    yield* keep(viewer, "concealed")
  }).pipe(Effect.scoped)
)

it.live("a person watches the recording of a browser", () =>
  Effect.gen(function* () {
    const { create, stop } = yield* served()
    const { id, liveUrl, page } = yield* create({ enableRecording: true })
    const viewer = yield* person
    yield* opened(viewer, liveUrl)
    for (const colour of ["rgb(200, 30, 40)", "rgb(30, 60, 200)"]) {
      yield* page.run(`document.body.style.background = "${colour}"`)
      yield* untilIn(viewer, `"${colour}".match(/\\d+/g).every((part, at) => Math.abs(part - ${middle}[at]) < 20)`)
    }
    const { recordingUrl } = yield* stop(id)
    assert.isString(recordingUrl)
    const response = yield* Effect.promise(() => fetch(recordingUrl ?? "", { headers: { range: "bytes=0-3" } }))
    assert.strictEqual(response.status, 206)
    const isVideo = response.headers.get("content-type") === "video/webm"
    yield* viewer.send("Page.navigate", { url: recordingUrl })
    if (isVideo) {
      yield* untilIn(viewer, `document.querySelector("video")?.duration > 0`)
      return
    }
    yield* untilIn(viewer, `document.getElementById("picture")?.naturalWidth > 0`)
    yield* viewer.run(`speed.value = 16; play.click()`)
    yield* untilIn(viewer, `play.textContent === "Play" && time.value === time.max`)
    yield* keep(viewer, "player")
  }).pipe(Effect.scoped)
)
