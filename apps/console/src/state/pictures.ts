import * as Atom from "effect/reactivity/Atom"
import { registry } from "./react.ts"

/** A picture of a browser. */
interface Picture {
  readonly browserId: string
  readonly jpeg: Uint8Array<ArrayBuffer>
}

const decoder = new TextDecoder()

/** Reads a binary frame: the length of the id in a byte, the id, and a JPEG. */
export const pictureOf = (frame: Uint8Array<ArrayBuffer>): Picture => {
  const start = 1 + (frame[0] ?? 0)
  return { browserId: decoder.decode(frame.subarray(1, start)), jpeg: frame.slice(start) }
}

type Draw = (picture: ImageBitmap) => void

/** A canvas that shows a browser. */
interface Shown {
  readonly draw: Draw
  /** Width of the canvas in pixels of the screen. */
  readonly width: () => number
}

/** The canvas of each browser in view. Pictures don't pass through atoms, because they change nothing but a canvas. */
const canvases = new Map<string, Shown>()

/** Pictures that were decoded since the last draw, the newest of each browser. */
const decoded = new Map<string, ImageBitmap>()

/** Time between two draws: each one renders the page again, so pictures are drawn together. */
const together_ms = 250

let timer = 0

/** Ids of the browsers in view, whose pictures the server sends. */
export const picturesInView: Atom.Writable<ReadonlySet<string>> = Atom.make<ReadonlySet<string>>(
  new Set<string>()
).pipe(Atom.keepAlive)

/** Draws the pictures of a browser until the returned function is called. */
export const drawPictures = (browserId: string, shown: Shown): (() => void) => {
  const update = () => registry.set(picturesInView, new Set(canvases.keys()))
  canvases.set(browserId, shown)
  update()
  return () => {
    canvases.delete(browserId)
    update()
  }
}

const drawDecoded = () => {
  timer = 0
  for (const [id, picture] of decoded) {
    const shown = canvases.get(id)
    if (shown === undefined) picture.close()
    else shown.draw(picture)
  }
  decoded.clear()
}

/** Width and height of the browsers' pages, which decide how far a picture can be scaled down while it's decoded. */
const aspect = 0.625

/** Decodes a picture at about the width that it's shown in: most of the work of a wall is decoding. */
const decode = async (jpeg: Uint8Array<ArrayBuffer>, width: number): Promise<ImageBitmap> => {
  if (typeof ImageDecoder === "undefined") return createImageBitmap(new Blob([jpeg], { type: "image/jpeg" }))
  const decoder = new ImageDecoder({
    data: jpeg,
    type: "image/jpeg",
    desiredWidth: width,
    desiredHeight: Math.round(width * aspect)
  })
  try {
    const { image } = await decoder.decode()
    const picture = await createImageBitmap(image)
    image.close()
    return picture
  } finally {
    decoder.close()
  }
}

/** Draws a picture soon if its browser is in view. */
export const onPicture = async ({ browserId, jpeg }: Picture): Promise<void> => {
  const shown = canvases.get(browserId)
  if (shown === undefined) return
  try {
    const picture = await decode(jpeg, Math.max(1, Math.round(shown.width())))
    decoded.get(browserId)?.close()
    decoded.set(browserId, picture)
    if (timer === 0) timer = window.setTimeout(drawDecoded, together_ms)
  } catch {
    // an unreadable picture is replaced by the next one
  }
}
