/** The opcode of the frame that ends a WebSocket. */
const close = 8

/** Follows the frames that a WebSocket's server sends while their bytes are passed on as they are. */
export interface Frames {
  readonly follow: (bytes: Uint8Array) => void
  /** Whether a frame may follow here: the one before is complete. */
  readonly isBetween: () => boolean
  /** Whether the server has said that it ends the connection. */
  readonly isClosed: () => boolean
}

/** Begins with the first frame. */
export const make = (): Frames => {
  const head = new Uint8Array(10)
  const view = new DataView(head.buffer)
  let headLength = 0
  let left = 0
  let isClosed = false

  /** How long the payload is, as soon as the head of its frame is complete. What a server sends has no mask. */
  const payload = (): number | undefined => {
    if (headLength < 2) return undefined
    const length = view.getUint8(1) & 0x7f
    if (length < 126) return length
    if (length === 126) return headLength === 4 ? view.getUint16(2) : undefined
    return headLength === 10 ? Number(view.getBigUint64(2)) : undefined
  }

  return {
    follow: (bytes) => {
      let at = 0
      while (at < bytes.length) {
        if (left > 0) {
          const passed = Math.min(left, bytes.length - at)
          left -= passed
          at += passed
          continue
        }
        head[headLength++] = bytes[at++] ?? 0
        const length = payload()
        if (length === undefined) continue
        isClosed ||= (view.getUint8(0) & 0x0f) === close
        headLength = 0
        left = length
      }
    },
    isBetween: () => headLength === 0 && left === 0,
    isClosed: () => isClosed
  }
}

/** The frame with which a server ends a WebSocket, saying why; at most 123 bytes of reason. */
export const closing = (code: number, reason: string): Uint8Array => {
  const text = Buffer.from(reason)
  return Buffer.concat([Buffer.from([0x80 | close, text.length + 2, code >> 8, code & 0xff]), text])
}
