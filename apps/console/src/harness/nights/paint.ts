import type { Drawn } from "./heat.ts"

/** Width and height of a cell in CSS pixels. */
export const cellSize = { width: 30, height: 24 } as const

type Look = Exclude<Drawn["look"], "none">

/** Ground and ink of each look, as the page's theme has them. */
export type Colors = Readonly<Record<Look, readonly [ground: string, ink: string]>>

const tokens: Readonly<Record<Look, readonly [ground: string, ink: string]>> = {
  ok: ["--ok-soft", "--ok"],
  bad: ["--bad", "--surface"],
  warn: ["--warn-soft", "--warn"],
  busy: ["--busy-soft", "--busy"],
  still: ["--still-soft", "--still"]
}

/** Reads the colors of the tokens, which a canvas can't use by name. */
export const colorsOf = (element: HTMLElement): Colors => {
  const probe = document.createElement("i")
  element.append(probe)
  const of = (token: string) => {
    probe.style.color = `var(${token})`
    return getComputedStyle(probe).color
  }
  const colors = Object.fromEntries(
    Object.entries(tokens).map(([look, [ground, ink]]) => [look, [of(ground), of(ink)] as const])
  ) as Colors
  probe.remove()
  return colors
}

/** Draws cells at a resolution. */
export interface Painter {
  /** Pixels of the screen in a CSS pixel. */
  readonly scale: number
  /** Draws a cell with its upper left corner at this place, in CSS pixels. */
  readonly draw: (context: CanvasRenderingContext2D, cell: Drawn, x: number, y: number) => void
}

/**
 * Draws cells as small pictures, which are made once for each look and text: drawing a picture is several times faster than
 * drawing a text.
 */
export const makePainter = (colors: Colors, scale: number, font: string): Painter => {
  const pictures = new Map<string, OffscreenCanvas>()
  const [width, height] = [cellSize.width * scale, cellSize.height * scale]
  const make = ({ look, text }: Drawn & { readonly look: Look }): OffscreenCanvas => {
    const picture = new OffscreenCanvas(width, height)
    const context = picture.getContext("2d")
    if (context === null) return picture
    const [ground, ink] = colors[look]
    context.scale(scale, scale)
    context.fillStyle = ground
    context.beginPath()
    context.roundRect(1, 1, cellSize.width - 2, cellSize.height - 2, 3)
    context.fill()
    context.fillStyle = ink
    context.font = `600 ${text.length > 3 ? 10 : text.length > 1 ? 11 : 12}px ${font}`
    context.textAlign = "center"
    context.textBaseline = "middle"
    context.fillText(text, cellSize.width / 2, cellSize.height / 2 + 1, cellSize.width - 4)
    return picture
  }
  return {
    scale,
    draw: (context, { look, text }, x, y) => {
      if (look === "none") return
      const key = `${look} ${text}`
      let picture = pictures.get(key)
      if (picture === undefined) pictures.set(key, (picture = make({ look, text })))
      context.drawImage(picture, x * scale, y * scale)
    }
  }
}
