import { assert } from "@effect/vitest"
import { Control, Server } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import { complaint, violations } from "./Conforming.ts"
import { type Operation, operations, pathWith } from "./Operation.ts"
import { request, talk } from "./RawConnection.ts"

/** An id that no server has. */
export const unknownId = "00000000-0000-4000-8000-00000000000f"

/** A body that is longer than a server takes. */
export const tooLong = `{"task":"${"x".repeat(1_048_576)}"}`

type Json = Readonly<Record<string, unknown>>

/** Asks a server for operations by their names, holds each response to the contract, and notes its status. */
export const walker = Effect.gen(function* () {
  const { address, apiKeys } = yield* Server
  const control = yield* Control
  const seen = new Set<string>()
  const ask = Effect.fnUntraced(function* (
    name: string,
    id: string | ReadonlyArray<string>,
    body?: unknown,
    key: string | undefined = apiKeys[0],
    query = ""
  ) {
    const operation = operations.find((operation) => operation.name === name)
    if (operation === undefined) return assert.fail(`no operation ${name}`)
    const { method } = operation
    const target = `${pathWith(operation, id)}${query}`
    const text = typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body)
    const headers = { "X-Service-API-Key": key ?? "", "Content-Type": "application/json" }
    const { answers } = yield* talk(address, request(method, target, headers, text), { methods: [method] })
    const [answer] = answers
    if (answer === undefined) return assert.fail(`${method} ${target} was not answered`)
    const exchange = { ...answer, method, target }
    const found = violations(exchange)
    assert.deepStrictEqual(found, [], complaint(exchange, found))
    seen.add(`${name} ${answer.status}`)
    const content: Json = answer.body.length === 0 ? {} : JSON.parse(new TextDecoder().decode(answer.body))
    return content
  })
  return { address, ask, control, seen }
})

/** The statuses that operations declare, as `walker` notes them, but for 429: a server without limits has none. */
export const declaredBy = (
  some: ReadonlyArray<Operation>,
  isUnreachable: (name: string, status: number) => boolean
): ReadonlyArray<string> =>
  some.flatMap(({ answers, name }) =>
    [...answers.keys()]
      .filter((status) => status !== 429 && !isUnreachable(name, status))
      .map((status) => `${name} ${status}`)
  )
