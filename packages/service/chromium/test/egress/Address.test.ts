import { assert, describe, it } from "@effect/vitest"
import { notPublic } from "@webagent/engine"
import * as NetAddress from "effect/net/NetAddress"
import * as Schema from "effect/Schema"
import { parseAuthority, targetOf } from "../../src/egress/Address.ts"

const why = (host: string) => {
  const url = URL.parse(`http://${host}/`)
  const target = url === null ? undefined : targetOf(url)
  if (target === undefined || typeof target.host === "string") return assert.fail(`${host} is no address`)
  return notPublic(target.host)
}

const Octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const hex = (number: number, width = 1) => number.toString(16).padStart(width, "0")

/** How a browser lets one write the address with these octets. */
const spellings = ([a, b, c, d]: readonly [number, number, number, number]) => {
  const value = ((a * 256 + b) * 256 + c) * 256 + d
  return [
    `${a}.${b}.${c}.${d}`,
    `${value}`,
    `0x${hex(value)}`,
    `0${value.toString(8)}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.0${b.toString(8)}.${c}.0x${hex(d)}`,
    `${a}.${b}.${c}.${d}.`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
    `[0:0:0:0:0:FFFF:${hex(a * 256 + b)}:${hex(c * 256 + d)}]`,
    `[64:ff9b::${hex(a * 256 + b)}:${hex(c * 256 + d)}]`
  ]
}

describe("an address", () => {
  for (const host of [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "168.63.129.16",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.251",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::127.0.0.1]",
    "[::8.8.8.8]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::169.254.169.254]",
    "[64:ff9b:1::8.8.8.8]",
    "[100::1]",
    "[2001::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[2002:808:808::]",
    "[3fff::1]",
    "[5f00::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[febf::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[4000::1]"
  ]) {
    it(`${host} is not public`, () => assert.isString(why(host)))
  }

  for (const host of [
    "8.8.8.8",
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "223.255.255.255",
    "[2606:4700::1111]",
    "[2a00:1450:4001::1]",
    "[2001:4860:4860::8888]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::8.8.8.8]"
  ]) {
    it(`${host} is public`, () => assert.isUndefined(why(host)))
  }

  it.prop(
    "is classified the same in every spelling",
    [Octet, Octet, Octet, Octet],
    (address) => {
      const [first = "", ...others] = spellings(address)
      const plain = why(first)
      for (const other of others) assert.strictEqual(why(other), plain, other)
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "is private in any spelling if its network is private",
    [Octet, Octet, Octet],
    ([b, c, d]) => {
      for (const host of [10, 127].flatMap((a) => spellings([a, b, c, d]))) assert.isString(why(host), host)
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "is public in IPv6 only within 2000::/3",
    [Octet, Octet, Octet, Octet],
    ([a, b, c, d]) => {
      const address = NetAddress.ipFromStringUnsafe(`${hex(a)}${hex(b, 2)}:${hex(c)}${hex(d, 2)}:1::1`)
      if (notPublic(address) === undefined) assert.strictEqual(a >> 5, 1)
    },
    { arbitrary: { seed: 1 } }
  )
})

describe("host and port", () => {
  for (const [text, name, port] of [
    ["example.com:443", "example.com", 443],
    ["EXAMPLE.com.:80", "example.com", 80],
    ["bücher.example:443", "xn--bcher-kva.example", 443],
    ["0x7f.1:80", "127.0.0.1", 80],
    ["[::FFFF:127.0.0.1]:8080", "[::ffff:7f00:1]", 8080]
  ] as const) {
    it(`reads ${text} as ${name} and ${port}`, () => {
      const target = parseAuthority(text)
      assert.deepStrictEqual([target?.name, target?.port], [name, port])
    })
  }

  for (const text of [
    "",
    "example.com",
    ":80",
    "example.com:",
    "example.com:65536",
    "user@example.com:80",
    "example.com/:80",
    "example.com#:80",
    "example.com\\:80",
    "exam ple.com:80",
    "[fe80::1%25eth0]:80",
    "[fe80::1%eth0]:80",
    "256.0.0.1:80",
    "1.2.3.4.5:80",
    "a%00b:80"
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.isUndefined(parseAuthority(text)))
  }
})
