import { assert, layer } from "@effect/vitest"
import { basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import { Server } from "@webagent/simulation"
import { METHODS } from "node:http"
import { complaint, violations } from "./Conforming.ts"
import * as ObservedServer from "./ObservedServer.ts"
import { operations, pathWith } from "./Operation.ts"
import { request, talk } from "./RawConnection.ts"

const versions = Object.values(basePath)

const paths = [
  ...operations.map((operation) => pathWith(operation, "00000000-0000-4000-8000-00000000000f")),
  "/",
  "/health",
  ...versions.flatMap((base) => [base, `${base}/`, `${base}/openapi.json`, `${base}/docs`]),
  "/api/v4/browsers/x/cdp",
  "/recordings/x",
  "/nope"
]

/** How a path can be written and still be that path, or be another that looks like it. */
const spellings: ReadonlyArray<(path: string) => string> = [
  (path) => `${path}?x=1&y[]=%ff`,
  (path) => `${path}/`,
  (path) => path.replaceAll("/", "//"),
  (path) => path.replace(/[a-z]/u, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.toUpperCase(),
  (path) => `http://localhost:81${path}`
]

layer(ObservedServer.layer, { excludeTestServices: true })("every method on every path", (it) => {
  for (const path of new Set(paths)) {
    it.effect(path, () =>
      Effect.gen(function* () {
        const { address } = yield* Server
        const before = yield* Effect.flatMap(ObservedServer.Observer, ({ held }) => held)
        const cases = [
          ...METHODS.map((method) => [method, path] as const),
          ...spellings.flatMap((spell) =>
            ["GET", "HEAD", "POST", "DELETE"].map((method) => [method, spell(path)] as const)
          )
        ]
        yield* Effect.forEach(
          cases,
          ([method, target]) =>
            Effect.gen(function* () {
              // without a key: what is there says so, what is not there says that
              const { answers, end } = yield* talk(address, request(method, target), { methods: [method] })
              const [answer] = answers
              if (answer === undefined) return assert.fail(`${method} ${target}: ${end}`)
              const exchange = { ...answer, method, target: target.replace(/^http:\/\/[^/]+/u, "") }
              const found = violations(exchange)
              assert.deepStrictEqual(found, [], complaint(exchange, found))
              if (exchange.target.startsWith("/api") && answer.status !== 404 && answer.status !== 405) {
                assert.include([200, 401], answer.status)
              }
            }),
          { concurrency: 16, discard: true }
        )
        const { settled } = yield* ObservedServer.Observer
        assert.deepInclude(yield* settled(before), { connections: 0 })
      })
    )
  }
})
