import { assert, describe, it } from "@effect/vitest"
import { isThisMachine } from "../../../src/cli/load/LoadOptions.ts"

describe("isThisMachine", () => {
  for (const address of [
    "http://127.0.0.1:8080",
    "http://127.8.9.10/api/v4",
    "http://localhost",
    "https://LOCALHOST:1",
    "http://[::1]:9",
    "http://2130706433/"
  ]) {
    it(`${address} is`, () => assert.isTrue(isThisMachine(address)))
  }
  for (const address of [
    "https://api.example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1@example.com",
    "http://10.0.0.1",
    "http://0.0.0.0",
    "http://[::2]",
    "nonsense"
  ]) {
    it(`${address} is not`, () => assert.isFalse(isThisMachine(address)))
  }
})
