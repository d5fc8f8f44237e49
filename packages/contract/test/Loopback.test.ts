import { assert, describe, it } from "@effect/vitest"
import { isLoopback } from "../src/Loopback.ts"

describe("isLoopback", () => {
  for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "127.255.255.255", "127.1.2.3", "::1", "[::1]"]) {
    it(`recognizes ${host} as this machine`, () => assert.isTrue(isLoopback(host)))
  }

  for (const host of [
    "",
    "0.0.0.0",
    "::",
    "[::]",
    "127.0.0.256",
    "127.0.0",
    "127.0.0.1.example.com",
    "1127.0.0.1",
    "localhost.example.com",
    "example.com/localhost",
    "[::1",
    "::1]",
    "10.0.0.1"
  ]) {
    it(`refuses ${host || "an empty host"}`, () => assert.isFalse(isLoopback(host)))
  }
})
