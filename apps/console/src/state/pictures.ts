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

/** The canvas of each browser in view. Pictures don't pass through atoms, because they change nothing but a canvas. */
const canvases = new Map<string, Draw>()

/** Ids of the browsers in view, whose pictures the server sends. */
export const picturesInView: Atom.Writable<ReadonlySet<string>> = Atom.make<ReadonlySet<string>>(
  new Set<string>()
).pipe(Atom.keepAlive)

/** Draws the pictures of a browser until the returned function is called. */
export const drawPictures = (browserId: string, draw: Draw): (() => void) => {
  const update = () => registry.set(picturesInView, new Set(canvases.keys()))
  canvases.set(browserId, draw)
  update()
  return () => {
    canvases.delete(browserId)
    update()
  }
}

/** Draws a picture if its browser is in view. */
export const onPicture = async ({ browserId, jpeg }: Picture): Promise<void> => {
  if (!canvases.has(browserId)) return
  try {
    const picture = await createImageBitmap(new Blob([jpeg], { type: "image/jpeg" }))
    const draw = canvases.get(browserId)
    if (draw === undefined) picture.close()
    else draw(picture)
  } catch {
    // an unreadable picture is replaced by the next one
  }
}
