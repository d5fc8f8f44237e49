import type { Page } from "playwright-core"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"

/** The pixels of a picture: red, green and blue with 32 levels each, as one number. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly colors: Uint16Array
}

const levels = [10, 5, 0]

/** Decodes a PNG in a page: a browser does it, so no other program has to. */
export const decode = async (page: Page, png: Buffer): Promise<Pixels> => {
  const { data, height, width } = await page.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob())
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d")
    context?.drawImage(image, 0, 0)
    const bytes = context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray()
    const reader = new FileReader()
    reader.readAsDataURL(new Blob([bytes]))
    await new Promise((resolve) => reader.addEventListener("load", resolve))
    return { width: image.width, height: image.height, data: String(reader.result) }
  }, png.toString("base64"))
  const bytes = Buffer.from(data.slice(data.indexOf(",") + 1), "base64")
  const colors = Uint16Array.from({ length: width * height }, (_, at) =>
    levels.reduce((color, shift, channel) => color | (((bytes[4 * at + channel] ?? 0) >> 3) << shift), 0)
  )
  return { width, height, colors }
}

/** Packs pixels to a third of a PNG: sizes, the colors, and the places of pixels among them in two planes of bytes. */
export const pack = ({ colors, height, width }: Pixels): Buffer => {
  const palette = [...new Set(colors)]
  const places = new Map(palette.map((color, place) => [color, place]))
  const indices = Array.from(colors, (color) => places.get(color) ?? 0)
  return brotliCompressSync(
    Buffer.concat([
      Buffer.from(Uint16Array.of(width, height, palette.length, ...palette).buffer),
      Uint8Array.from(indices, (place) => place & 255),
      Uint8Array.from(indices, (place) => place >> 8)
    ]),
    { params: { [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_QUALITY]: 9 } }
  )
}

/** The pixels of a packed picture. */
export const unpack = (packed: Uint8Array): Pixels => {
  const bytes = brotliDecompressSync(packed)
  const [width, height, size] = [bytes.readUInt16LE(0), bytes.readUInt16LE(2), bytes.readUInt16LE(4)]
  const low = 6 + 2 * size
  const high = low + width * height
  const colors = Uint16Array.from({ length: width * height }, (_, at) => {
    const place = (bytes[low + at] ?? 0) | ((bytes[high + at] ?? 0) << 8)
    return bytes.readUInt16LE(6 + 2 * place)
  })
  return { width, height, colors }
}

/** One level of a channel is the same: processors round differently. */
const isSame = (one: number, other: number) =>
  levels.every((shift) => Math.abs(((one >> shift) & 31) - ((other >> shift) & 31)) <= 1)

/** The places of the pixels that differ; all of them if the pictures have other sizes. */
export const differences = (now: Pixels, before: Pixels): ReadonlyArray<number> => {
  const isOtherSize = now.width !== before.width || now.height !== before.height
  const found: Array<number> = []
  for (const [at, color] of now.colors.entries())
    if (isOtherSize || !isSame(color, before.colors[at] ?? 0)) found.push(at)
  return found
}

/** A PNG of pixels; those at the given places are red, and all others then pale. */
export const draw = async (page: Page, { colors, height, width }: Pixels, marked: ReadonlyArray<number> = []) => {
  const red = new Set(marked)
  const channelOf = (at: number, channel: number) => {
    if (red.has(at)) return channel === 0 ? 255 : 0
    const value = (((colors[at] ?? 0) >> (levels[channel] ?? 0)) & 31) << 3
    return red.size === 0 ? value : 200 + value / 5
  }
  const bytes = Uint8Array.from({ length: 4 * width * height }, (_, at) =>
    at % 4 === 3 ? 255 : channelOf(at >> 2, at % 4)
  )
  const url = await page.evaluate(
    async ({ base64, height, width }) => {
      const data = new Uint8ClampedArray(
        await (await fetch(`data:application/octet-stream;base64,${base64}`)).arrayBuffer()
      )
      const canvas = new OffscreenCanvas(width, height)
      canvas.getContext("2d")?.putImageData(new ImageData(data, width, height), 0, 0)
      const reader = new FileReader()
      reader.readAsDataURL(await canvas.convertToBlob({ type: "image/png" }))
      await new Promise((resolve) => reader.addEventListener("load", resolve))
      return String(reader.result)
    },
    { base64: Buffer.from(bytes).toString("base64"), height, width }
  )
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64")
}
