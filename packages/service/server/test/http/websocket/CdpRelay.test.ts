import { assert, describe, it } from "@effect/vitest"
import * as Frames from "@webagent/cdp/Frames"
import type { CdpReceiver, CdpTransport } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import { duplexPair } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"
import { vi } from "vitest"
import { BytesWebSocket, relayMessages } from "../../../src/http/websocket/BytesWebSocket.ts"
import { relay } from "../../../src/http/websocket/CdpRelay.ts"

const head = (first: number, length: number, mask: number): Buffer => {
  if (length < 126) return Buffer.from([first, mask | length])
  if (length < 65_536) return Buffer.from([first, mask | 126, length >> 8, length & 0xff])
  const long = Buffer.alloc(10)
  long.set([first, mask | 127])
  long.writeBigUInt64BE(BigInt(length), 2)
  return long
}

/** A frame as a client sends it. */
const masked = (first: number, text: string, key = [0xa5, 0x00, 0x3c, 0xff]): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([
    head(first, bytes.length, 0x80),
    Buffer.from(key),
    bytes.map((byte, at) => byte ^ (key[at & 3] ?? 0))
  ])
}

/** A frame as a server sends it. */
const bare = (first: number, text: string): Buffer =>
  Buffer.concat([head(first, Buffer.byteLength(text), 0), Buffer.from(text)])

/** What frames hold, each with its first byte; all of them must be whole. */
const contents = (bytes: Buffer): ReadonlyArray<readonly [number, string]> => {
  const all: Array<readonly [number, string]> = []
  for (let at = 0; at < bytes.length;) {
    const second = bytes.readUInt8(at + 1)
    const short = second & 0x7f
    const size = short < 126 ? 0 : short === 126 ? 2 : 8
    const length = [short, size === 2 ? bytes.readUInt16BE(at + 2) : 0, 0][size >> 1] ?? 0
    const long = size === 8 ? Number(bytes.readBigUInt64BE(at + 2)) : length
    const key = at + 2 + size
    const start = key + (second < 0x80 ? 0 : 4)
    assert.isAtMost(start + long, bytes.length, "a frame is cut")
    const payload = Buffer.from(bytes.subarray(start, start + long))
    if (second >= 0x80) payload.forEach((byte, index) => (payload[index] = byte ^ bytes.readUInt8(key + (index & 3))))
    all.push([bytes.readUInt8(at), payload.toString("latin1")])
    at = start + long
  }
  return all
}

/** A client's wire over a browser that answers what has "no" in it, and takes everything else. */
const connect = () => {
  const [client, wire] = duplexPair()
  const heard: Array<string> = []
  const told: Array<Buffer> = []
  const frames = Frames.make()
  const receivers: Array<CdpReceiver> = []
  let takes = true
  const states: Array<string> = []
  const transport: CdpTransport = {
    send: (message) => {
      const text = Buffer.from(message).toString()
      if (text.includes("no")) receivers[0]?.onMessage(`{"refused":${JSON.stringify(text)}}`)
      else heard.push(text)
      return takes
    },
    receive: (receiver) => void receivers.push(receiver),
    pause: () => void states.push("paused"),
    resume: () => void states.push("resumed"),
    ended: Effect.never,
    frames: {
      passes: (message) => !Buffer.from(message).toString().includes("no"),
      pass: (bytes) => {
        for (const [first, text] of contents(Buffer.from(bytes))) {
          assert.strictEqual(first, 0x81)
          assert.notInclude(text, "no")
          heard.push(text)
        }
        return takes
      },
      areWhole: frames.isBetween
    }
  }
  // as a socket's, its writes do not wait for each other
  relayMessages(wire, relay(wire as Socket, transport))
  const socket = new BytesWebSocket(null as never, undefined, { autoPong: true })
  socket.setSocket(wire, Buffer.alloc(0), { maxPayload: 1024 * 1024 })
  socket.on("error", () => undefined)
  client.on("data", (bytes: Buffer) => told.push(bytes))
  return {
    client,
    heard,
    told,
    states,
    socket,
    wire,
    takes: (whether: boolean) => {
      takes = whether
      if (takes) receivers[0]?.onDrain()
    },
    /** Tells bytes as the browser does. */
    tell: (bytes: Uint8Array) => {
      frames.follow(bytes)
      receivers[0]?.onFrames?.(bytes)
    },
    say: async (bytes: Uint8Array) => {
      client.write(bytes)
      await turn()
    }
  }
}

const text = 0x81
const isReady = (at: number) => at % 50 === 0

describe("relayed CDP frames", () => {
  const long = `{"long":"${"x".repeat(300)}"}`
  const huge = `{"huge":"${"y".repeat(70_000)}"}`
  const said = [
    masked(text, '{"id":1}'),
    masked(text, '{"no":2}'),
    masked(0x82, '{"id":3}', [1, 2, 3, 4]),
    masked(0x01, '{"parts"'),
    masked(0x89, "ping"),
    masked(0x00, ':"n'),
    masked(0x80, 'o"}'),
    masked(0x01, '{"part'),
    masked(0x80, '":4}', [0, 0, 0, 0]),
    masked(text, long, [9, 9, 9, 9]),
    masked(text, '{"id":5}')
  ]
  const heard = ['{"id":1}', '{"id":3}', '{"part":4}', long, '{"id":5}']
  const refused = (message: string) => [text, `{"refused":${JSON.stringify(message)}}`] as const
  const answers = [refused('{"no":2}'), [0x8a, "ping"] as const, refused('{"parts":"no"}')]

  it("are each checked, and passed on in order, however the client's bytes are split", async () => {
    const all = Buffer.concat(said)
    for (let at = 0; at <= all.length; at++) {
      const one = connect()
      for (const part of [all.subarray(0, at), all.subarray(at)]) if (part.length > 0) await one.say(Buffer.from(part))
      assert.deepStrictEqual(one.heard, heard, `cut at ${at}`)
      assert.deepStrictEqual(contents(Buffer.concat(one.told)), answers, `cut at ${at}`)
      one.socket.terminate()
    }
  })

  it("are each checked if every byte arrives alone, and if one is longer than a chunk", async () => {
    const one = connect()
    for (const byte of Buffer.concat(said)) await one.say(Buffer.from([byte]))
    assert.deepStrictEqual(one.heard, heard)
    const all = Buffer.concat([masked(text, huge), masked(text, huge.replace("y", "no")), masked(text, "{}")])
    for (let at = 0; at < all.length; at += 65_536) await one.say(Buffer.from(all.subarray(at, at + 65_536)))
    await turn()
    assert.deepStrictEqual(one.heard.slice(heard.length), [huge, "{}"])
    assert.strictEqual(contents(Buffer.concat(one.told)).length, answers.length + 1)
    one.socket.terminate()
  })

  it("reach a client unchanged, with the server's own messages between them, however they are split", async () => {
    const all = Buffer.concat([bare(text, "one"), bare(0x01, "tw"), bare(0x80, "o"), bare(text, long)])
    for (let at = 1; at < all.length; at++) {
      const one = connect()
      one.tell(all.subarray(0, at))
      await one.say(Buffer.concat([masked(0x89, "there?"), masked(text, '{"no":1}')]))
      one.tell(all.subarray(at))
      await turn()
      const got = contents(Buffer.concat(one.told))
      const isOwn = ([first, said]: readonly [number, string]) => first === 0x8a || said.startsWith('{"refused"')
      assert.deepStrictEqual(
        got.filter((frame) => !isOwn(frame)),
        contents(all),
        `cut at ${at}`
      )
      const messages = got.filter(([first]) => first < 0x88)
      const begun = messages.findIndex(([first]) => first === 0x01)
      assert.strictEqual(messages[begun + 1]?.[0], 0x80, `cut at ${at}`)
      assert.deepStrictEqual(got.filter(isOwn), [[0x8a, "there?"], refused('{"no":1}')], `cut at ${at}`)
      one.socket.terminate()
    }
  })

  it("end with a close code after an invalid frame, and after one that is too large", async () => {
    const cases = [
      ["no mask", bare(text, "{}"), 1002],
      ["reserved bits", masked(0xc1, "{}"), 1002],
      ["no opcode", masked(0x83, "{}"), 1002],
      ["a part of nothing", masked(0x80, "{}"), 1002],
      ["too large", Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0]), 1009]
    ] as const
    for (const [name, bytes, code] of cases) {
      for (const before of [[], [masked(text, '{"id":1}')]]) {
        const one = connect()
        await one.say(Buffer.concat([...before, bytes, masked(text, '{"id":2}')]))
        assert.deepStrictEqual(one.heard, before.length === 0 ? [] : ['{"id":1}'], name)
        const [last] = contents(Buffer.concat(one.told)).slice(-1)
        assert.deepStrictEqual(last, [0x88, String.fromCharCode(code >> 8, code & 0xff)], name)
        one.socket.terminate()
      }
    }
  })

  it("pass on a client's close frame", async () => {
    const one = connect()
    await one.say(Buffer.concat([masked(text, '{"id":1}'), masked(0x88, "\u0003\u00e8")]))
    assert.deepStrictEqual(one.heard, ['{"id":1}'])
    assert.strictEqual(contents(Buffer.concat(one.told))[0]?.[0], 0x88)
    one.socket.terminate()
  })

  it("wait for a browser with full buffers, and for a client that doesn't read", async () => {
    const one = connect()
    one.takes(false)
    await one.say(masked(text, '{"id":1}'))
    await one.say(masked(text, '{"id":2}'))
    assert.deepStrictEqual(one.heard, ['{"id":1}'])
    one.takes(true)
    await turn()
    assert.deepStrictEqual(one.heard, ['{"id":1}', '{"id":2}'])
    one.client.pause()
    for (let sent = 0; !one.wire.writableNeedDrain; sent++) {
      one.tell(bare(text, "x".repeat(60_000)))
      if (isReady(sent)) await turn()
    }
    assert.include(one.states, "paused")
    await one.say(masked(text, '{"id":3}'))
    assert.strictEqual(one.heard.length, 2)
    one.client.resume()
    await vi.waitFor(() => assert.deepStrictEqual(one.heard.slice(2), ['{"id":3}']), { timeout: 30_000 })
    assert.include(one.states, "resumed")
    one.socket.terminate()
  })

  it("wait for a silent client for at most a minute", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    try {
      for (const begun of [masked(text, long).subarray(0, 100), masked(0x01, "{"), Buffer.from([text])]) {
        const one = connect()
        await one.say(Buffer.from(begun))
        vi.advanceTimersByTime(30_000)
        assert.isFalse(one.told.some((bytes) => bytes[0] === 0x88))
        vi.advanceTimersByTime(30_000)
        await turn()
        const [last] = contents(Buffer.concat(one.told)).slice(-1)
        assert.deepStrictEqual(last, [0x88, "\u0003\u00f0The message was not finished"])
        one.socket.terminate()
      }
      const idle = connect()
      await idle.say(masked(text, '{"id":1}'))
      vi.advanceTimersByTime(120_000)
      await turn()
      assert.strictEqual(idle.socket.readyState, idle.socket.OPEN)
      idle.socket.terminate()
    } finally {
      vi.useRealTimers()
    }
  })
})
