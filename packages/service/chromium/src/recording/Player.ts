import { open } from "node:fs/promises"
import { commentOf, frames } from "./Matroska.ts"

/** The page's own script: its source goes into the page, so it uses nothing from around it. */
const play = () => {
  const pictures = [...document.querySelectorAll<HTMLScriptElement>("script[data-at]")]
  const times = pictures.map((picture) => Number(picture.dataset["at"]))
  const last_ms = times.at(-1) ?? 0
  const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E
  const image = find<HTMLImageElement>("picture")
  const button = find<HTMLButtonElement>("play")
  const slider = find<HTMLInputElement>("time")
  const speed = find<HTMLSelectElement>("speed")
  const clock = find("clock")
  let now_ms = 0
  let shown = -1
  let isPlaying = false
  let before_ms = 0

  const text = (ms: number) => {
    const seconds = Math.floor(ms / 1000)
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
  }
  const show = () => {
    // the last picture that is not later than now
    let low = 0
    let high = times.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((times[middle] ?? 0) <= now_ms) low = middle
      else high = middle - 1
    }
    const picture = pictures[low]
    if (low !== shown && picture !== undefined) image.src = `data:image/jpeg;base64,${picture.textContent}`
    shown = low
    slider.value = String(now_ms)
    slider.setAttribute("aria-valuetext", `${text(now_ms)} of ${text(last_ms)}`)
    clock.textContent = `${text(now_ms)} / ${text(last_ms)}`
  }
  const setPlaying = (value: boolean) => {
    isPlaying = value
    button.textContent = value ? "Pause" : "Play"
    if (!value) return
    if (now_ms >= last_ms) now_ms = 0
    requestAnimationFrame((time_ms) => {
      before_ms = time_ms
      step(time_ms)
    })
  }
  const step = (time_ms: number) => {
    if (!isPlaying) return
    now_ms = Math.min(last_ms, now_ms + Math.max(0, time_ms - before_ms) * Number(speed.value))
    before_ms = time_ms
    show()
    if (now_ms >= last_ms) setPlaying(false)
    else requestAnimationFrame(step)
  }
  button.addEventListener("click", () => setPlaying(!isPlaying))
  image.addEventListener("click", () => setPlaying(!isPlaying))
  slider.addEventListener("input", () => {
    now_ms = Number(slider.value)
    show()
  })
  slider.max = String(last_ms)
  if (pictures.length === 0) {
    document.body.dataset["empty"] = ""
    return
  }
  show()
}

const styles = `
:root{color-scheme:light dark;--back:#f4f4f5;--text:#18181b;--faint:#52525b}
@media(prefers-color-scheme:dark){:root{--back:#18181b;--text:#f4f4f5;--faint:#a1a1aa}}
*{box-sizing:border-box}
body{margin:0;height:100dvh;display:flex;flex-direction:column;background:var(--back);color:var(--text);font:15px/1.4 system-ui,sans-serif}
main{flex:1;min-height:0;display:grid;place-items:center;background:#27272a}
img{max-width:100%;max-height:100%;min-height:0;object-fit:contain;cursor:pointer}
.bar{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center;padding:10px 14px}
button,select{font:inherit;min-height:36px;padding:0 14px;border:1px solid var(--faint);border-radius:6px;background:transparent;color:inherit}
button{min-width:84px}
input{flex:1 1 160px;min-width:0;height:36px}
#clock{font-variant-numeric:tabular-nums;color:var(--faint)}
main p{display:none;color:#f4f4f5;padding:20px}
#comment{order:-1;margin:0;padding:10px 14px}
[data-empty] img,[data-empty] .bar{display:none}
[data-empty] p{display:block}
`

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<title>Recording of a browser</title>
<style>${styles}</style>
</head>
<body>
<main><img id="picture" alt="What the browser showed"><p>The browser was stopped before it showed anything.</p></main>
<div class="bar">
<button type="button" id="play">Play</button>
<input type="range" id="time" min="0" max="0" step="1" value="0" aria-label="Time">
<span id="clock">0:00 / 0:00</span>
<select id="speed" aria-label="Speed"><option value="0.5">0.5x</option><option value="1" selected>1x</option><option value="2">2x</option><option value="4">4x</option><option value="16">16x</option></select>
</div>
`

const tail = `<script>(${play.toString()})()</script>
</body>
</html>
`

/** Writes a page that plays a spool: one file without anything from elsewhere, for a machine without an encoder. */
export const write = async (spool: string | undefined, page: string): Promise<void> => {
  const file = await open(page, "w", 0o600)
  try {
    await file.write(head)
    for (const { at_ms, jpeg } of spool === undefined ? [] : frames(spool)) {
      await file.write(`<script type="image/jpeg" data-at="${at_ms}">${jpeg.toString("base64")}</script>\n`)
    }
    const comment = spool === undefined ? undefined : commentOf(spool)
    if (comment !== undefined) await file.write(`<p id="comment" role="note">${comment}</p>\n`)
    await file.write(tail)
  } finally {
    await file.close()
  }
}
