import { assert, it } from "@effect/vitest"
import * as Frames from "../src/Frames.ts"

const head = (first: number, length: number): Buffer => {
  if (length < 126) return Buffer.from([first, length])
  if (length < 65_536) return Buffer.from([first, 126, length >> 8, length & 0xff])
  const long = Buffer.alloc(10)
  long.set([first, 127])
  long.writeBigUInt64BE(BigInt(length), 2)
  return long
}

const frame = (first: number, length: number) => Buffer.concat([head(first, length), Buffer.alloc(length, 0x88)])

it("Frames finds the end of each frame, however the bytes are split", () => {
  const lengths = [0, 1, 125, 126, 65_535, 65_536, 3]
  const all = Buffer.concat(lengths.map((length) => frame(0x81, length)))
  const ends = new Set<number>([0])
  for (let index = 0, at = 0; index < lengths.length; index++) ends.add((at += frame(0x81, lengths[index] ?? 0).length))
  for (const size of [1, 2, 3, 7, 1000, 65_536, all.length]) {
    const frames = Frames.make()
    for (let at = 0; at < all.length; at += size) {
      assert.strictEqual(frames.isBetween(), ends.has(at), `${at} by ${size}`)
      frames.follow(all.subarray(at, at + size))
    }
    assert.isTrue(frames.isBetween())
    assert.isFalse(frames.isClosed())
  }
})

it("Frames recognizes and makes the frame that closes the connection", () => {
  const frames = Frames.make()
  frames.follow(frame(0x89, 3))
  assert.isFalse(frames.isClosed())
  const closing = Buffer.from(Frames.closing(4001, "over"))
  assert.deepStrictEqual([...closing], [0x88, 6, 0x0f, 0xa1, ...Buffer.from("over")])
  frames.follow(closing)
  assert.isTrue(frames.isClosed() && frames.isBetween())
})
