/** The opcode of the frame that ends a WebSocket; those of control frames begin with it. */
const close = 8

/** Follows the frames of one side of a WebSocket while their bytes are passed on as they are. */
export interface Frames {
  /** Follows one frame, or what there is of it, from an index on. Returns where it ended. */
  readonly next: (bytes: Uint8Array, from: number) => number
  /** Follows all frames up to the one that ends the connection. Returns where that began. */
  readonly follow: (bytes: Uint8Array) => number
  /** True if another message may follow here, because the previous one is complete. */
  readonly isBetween: () => boolean
  /** True if this side has sent a close frame. */
  readonly isClosed: () => boolean
}

/** Begins with the first frame. */
export const make = (): Frames => {
  const head = new Uint8Array(10)
  const view = new DataView(head.buffer)
  let headLength = 0
  let left = 0
  let isWhole = true
  let isClosed = false

  /** Length of the payload, as soon as the head of its frame is complete up to the mask. */
  const payload = (): number | undefined => {
    if (headLength < 2) return undefined
    const length = view.getUint8(1) & 0x7f
    if (length < 126) return length
    if (length === 126) return headLength === 4 ? view.getUint16(2) : undefined
    return headLength === 10 ? Number(view.getBigUint64(2)) : undefined
  }

  const begin = (length: number) => {
    const opcode = view.getUint8(0) & 0x0f
    isClosed ||= opcode === close
    if (opcode < close) isWhole = view.getUint8(0) >= 0x80
    headLength = 0
    // a client's frame has a mask of 4 bytes
    left = length + (view.getUint8(1) < 0x80 ? 0 : 4)
  }

  const next = (bytes: Uint8Array, from: number): number => {
    let at = from
    while (at < bytes.length) {
      if (left === 0) {
        head[headLength++] = bytes[at++] ?? 0
        const length = payload()
        if (length !== undefined) begin(length)
        else continue
      }
      const passed = Math.min(left, bytes.length - at)
      left -= passed
      at += passed
      if (left === 0) break
    }
    return at
  }

  return {
    next,
    follow: (bytes) => {
      let at = 0
      while (at < bytes.length) {
        const end = next(bytes, at)
        if (isClosed) break
        at = end
      }
      return at
    },
    isBetween: () => headLength === 0 && left === 0 && isWhole,
    isClosed: () => isClosed
  }
}

/** The frame with which a server ends a WebSocket, saying why; at most 123 bytes of reason. */
export const closing = (code: number, reason: string): Uint8Array => {
  const text = Buffer.from(reason)
  return Buffer.concat([Buffer.from([0x80 | close, text.length + 2, code >> 8, code & 0xff]), text])
}
