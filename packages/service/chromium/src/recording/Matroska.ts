import { closeSync, fstatSync, openSync, readSync } from "node:fs"

/**
 * A spool of JPEGs with their times, as Matroska: players of videos read it as it is, and one whose end is missing is
 * read up to there. Each frame is a cluster of its own, so it is written at once and its place follows from the last.
 * See RFC 9559 for the numbers.
 */

const element = (id: string, ...content: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(content)
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(body.length))
  size.writeUInt8(0x01)
  return Buffer.concat([Buffer.from(id, "hex"), size, body])
}

const number = (id: string, value: number): Buffer => {
  const body = Buffer.alloc(8)
  body.writeBigUInt64BE(BigInt(value))
  return element(id, body)
}

const text = (id: string, value: string): Buffer => element(id, Buffer.from(value))

const unknownSize = Buffer.from("01ffffffffffffff", "hex")

/** The beginning of a spool of pictures of this size, which later ones need not have. Times are in milliseconds. */
export const head = ({ height, width }: { readonly width: number; readonly height: number }): Buffer =>
  Buffer.concat([
    element(
      "1a45dfa3",
      number("4286", 1),
      number("42f7", 1),
      number("42f2", 4),
      number("42f3", 8),
      text("4282", "matroska"),
      number("4287", 4),
      number("4285", 2)
    ),
    Buffer.from("18538067", "hex"),
    unknownSize,
    element("1549a966", number("2ad7b1", 1_000_000), text("4d80", "webagent"), text("5741", "webagent")),
    element(
      "1654ae6b",
      element(
        "ae",
        number("d7", 1),
        number("73c5", 1),
        number("83", 1),
        number("9c", 0),
        text("86", "V_MJPEG"),
        element("e0", number("b0", width), number("ba", height))
      )
    )
  ])

/** The clusters of `frame` have everything at the same place. */
const at = { time: 12 + 9, size: 12 + 17 + 1, jpeg: 12 + 17 + 9 + 4 }

/** One picture, shown from this time on, counted from the beginning of the spool. */
export const frame = (at_ms: number, jpeg: Uint8Array): Buffer =>
  element("1f43b675", number("e7", at_ms), element("a3", Buffer.from("81000080", "hex"), jpeg))

/** A sentence about the whole, after the last frame: players of videos show it as the comment. */
export const comment = (sentence: string): Buffer =>
  element(
    "1254c367",
    element("7373", element("63c0"), element("67c8", text("45a3", "COMMENT"), text("4487", sentence)))
  )

/** The comment of a spool; undefined where it has none. */
export const commentOf = (path: string): string | undefined => {
  const file = openSync(path, "r")
  try {
    const { size } = fstatSync(file)
    const end = Buffer.alloc(Math.min(size, 1024))
    readSync(file, end, 0, end.length, size - end.length)
    const value = end.indexOf("434f4d4d454e544487", end.lastIndexOf("1254c367", undefined, "hex"), "hex")
    return value === -1 ? undefined : end.toString("utf8", value + 7 + 2 + 8)
  } finally {
    closeSync(file)
  }
}

/** The largest frame that is believed to be one. */
const largest_bytes = 64 * 1024 * 1024

/** Reads the frames of a spool, without its end where that is missing. */
export function* frames(path: string): Generator<{ readonly at_ms: number; readonly jpeg: Buffer }> {
  const file = openSync(path, "r")
  try {
    const first = Buffer.alloc(4096)
    const head = first.subarray(0, readSync(file, first, 0, first.length, 0))
    let position = head.indexOf("1f43b675", 0, "hex")
    if (position === -1) return
    const start = Buffer.alloc(at.jpeg)
    while (readSync(file, start, 0, start.length, position) === start.length) {
      const size = Number(start.readBigUInt64BE(at.size) & 0x00ff_ffff_ffff_ffffn) - 4
      if (start.readUInt32BE() !== 0x1f43b675 || size < 0 || size > largest_bytes) return
      const jpeg = Buffer.alloc(size)
      if (readSync(file, jpeg, 0, size, position + at.jpeg) !== size) return
      yield { at_ms: Number(start.readBigUInt64BE(at.time)), jpeg }
      position += at.jpeg + size
    }
  } finally {
    closeSync(file)
  }
}

/** Width and height of a JPEG: they are in its frame header. */
export const sizeOf = (jpeg: Buffer): { readonly width: number; readonly height: number } | undefined => {
  let position = 2
  while (position + 9 <= jpeg.length) {
    const marker = jpeg.readUInt16BE(position)
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)
    if (isFrame) return { width: jpeg.readUInt16BE(position + 7), height: jpeg.readUInt16BE(position + 5) }
    position += 2 + jpeg.readUInt16BE(position + 2)
  }
  return undefined
}
