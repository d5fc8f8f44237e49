import type { Numbering } from "./Numbering.ts"
import type { Trees } from "./Trees.ts"

/** A numbered element in a picture, in pixels. */
export interface Mark {
  readonly number: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** True for a canvas, whose points have no numbers. */
  readonly isCanvas: boolean
}

/** Reads what a picture of the page would show, and draws the numbers of elements onto it. Runs in the page, and changes nothing in it. */
export const marking = ({ all, isNumbered, mustResolve, rootOf }: Trees & Numbering) => {
  const attribute_most = 10_000
  const contents_most = 4_000_000
  const colors = ["#d6006c", "#0050d8", "#007a3d", "#a34700", "#6a00c2"]
  /** The distance between two points of a canvas that are labeled. */
  const grid = 100

  /** The elements with these numbers that are in sight. */
  const marksOf = (numbers: ReadonlyArray<number>): ReadonlyArray<Mark> =>
    numbers.filter(isNumbered).flatMap((number) => {
      const element = mustResolve(number)
      const { bottom, height, left, right, top, width } = element.getBoundingClientRect()
      const isInSight = width > 3 && height > 3 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
      return isInSight
        ? [{ number, x: left, y: top, width, height, isCanvas: element instanceof HTMLCanvasElement }]
        : []
    })

  /**
   * Finds out whether a password is filled in and whether there is a canvas. On request, it also returns all texts,
   * visible or not, or `null` if they are too long.
   */
  const contents = (
    hasTexts: boolean
  ): { readonly hasPassword: boolean; readonly draws: boolean; readonly texts: string | null } => {
    const texts: Array<string> = []
    const take = (root: Document | ShadowRoot) =>
      void texts.push((root instanceof Document ? root.documentElement?.textContent : root.textContent) ?? "")
    let hasPassword = false
    let draws = false
    if (hasTexts) take(document)
    for (const element of all(document)) {
      const isInput = element instanceof HTMLInputElement
      if (isInput && element.type === "password" && element.value !== "") hasPassword = true
      if (element instanceof HTMLCanvasElement && element.width * element.height > 0) draws = true
      if (!hasTexts) continue
      const inside = rootOf(element)
      if (inside !== undefined) take(inside)
      if (isInput || element instanceof HTMLTextAreaElement) texts.push(element.value)
      // styles can show them; longer ones are pictures
      for (const { value } of element.attributes) if (value.length <= attribute_most) texts.push(value)
    }
    const all_length = texts.reduce((sum, { length }) => sum + length, 0)
    return { hasPassword, draws, texts: all_length > contents_most ? null : texts.join("\n").toWellFormed() }
  }

  const label = (context: OffscreenCanvasRenderingContext2D, text: string, x: number, y: number, color: string) => {
    const width = context.measureText(text).width + 6
    const at = { x: Math.max(0, x), y: Math.max(0, y) }
    context.fillStyle = color
    context.fillRect(at.x, at.y, width, 16)
    context.fillStyle = "#fff"
    context.fillText(text, at.x + 3, at.y + 12)
  }

  const drawGrid = (context: OffscreenCanvasRenderingContext2D, { height, width, x, y }: Mark) => {
    context.font = "10px sans-serif"
    for (let across = Math.ceil(x / grid) * grid; across < x + width; across += grid) {
      for (let down = Math.ceil(y / grid) * grid; down < y + height; down += grid) {
        context.fillStyle = "#d6006c"
        context.fillRect(across - 1, down - 1, 3, 3)
        context.fillText(`${across},${down}`, across + 3, down - 3)
      }
    }
  }

  /** Returns the picture with a box and a number around each element, and with the coordinates of points of canvases. */
  const drawMarks = async (jpeg: string, marks: ReadonlyArray<Mark>): Promise<string> => {
    const bytes = Uint8Array.from(atob(jpeg), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }))
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    const context = canvas.getContext("2d")
    if (context === null) return jpeg
    context.drawImage(bitmap, 0, 0)
    context.lineWidth = 2
    for (const mark of marks) if (mark.isCanvas) drawGrid(context, mark)
    context.font = "bold 12px sans-serif"
    for (const { height, number, width, x, y } of marks) {
      const color = colors[number % colors.length] ?? "#000"
      context.strokeStyle = color
      context.strokeRect(x + 1, y + 1, width - 2, height - 2)
    }
    // over the boxes of other elements
    for (const { number, x, y } of marks) label(context, String(number), x, y, colors[number % colors.length] ?? "#000")
    const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.7 })
    const drawn = new Uint8Array(await blob.arrayBuffer())
    let text = ""
    for (let at = 0; at < drawn.length; at += 8192) text += String.fromCharCode(...drawn.subarray(at, at + 8192))
    return btoa(text)
  }

  return { contents, marksOf, drawMarks }
}

export type Marking = ReturnType<typeof marking>
