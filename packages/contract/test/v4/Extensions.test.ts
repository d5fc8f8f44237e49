import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Wire from "../../src/Wire.ts"
import { V4Extensions } from "../../src/v4/Extensions.ts"
import { RunListQuery } from "../../src/v4/Queries.ts"
import { SessionInfo } from "../../src/v4/SessionExtensions.ts"
import { BrowserListQuery } from "../../src/Queries.ts"

const operation = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

describe("V4Extensions", () => {
  it("has every extension of Wire, and no described operation", () => {
    const listed = Object.values(V4Extensions).flatMap((group) => Object.values(group).map(operation))
    assert.sameMembers(listed, Object.values(Wire.v4Extensions).map(operation))
    assert.notIncludeMembers(listed, Object.values(Wire.v4Operations).map(operation))
  })

  it("limits limit to whole numbers from 1 to 100", () => {
    const decode = Schema.decodeUnknownExit(RunListQuery)
    assert.deepStrictEqual(decode({}), Exit.succeed({}))
    assert.deepStrictEqual(decode({ limit: "100", cursor: "c" }), Exit.succeed({ limit: 100, cursor: "c" }))
    for (const limit of ["0", "101", "1.5", "ten", "", "-1"]) assert.isTrue(Exit.isFailure(decode({ limit })), limit)
    assert.deepStrictEqual(Schema.encodeUnknownExit(RunListQuery)({ limit: 5 }), Exit.succeed({ limit: "5" }))
  })

  it("counts pages of browsers from 1", () => {
    const decode = Schema.decodeUnknownExit(BrowserListQuery)
    assert.deepStrictEqual(decode({ pageNumber: "3", pageSize: "20" }), Exit.succeed({ pageNumber: 3, pageSize: 20 }))
    for (const wrong of [{ pageNumber: "0" }, { pageSize: "101" }, { pageNumber: "1e999" }]) {
      assert.isTrue(Exit.isFailure(decode(wrong)), JSON.stringify(wrong))
    }
  })

  it("requires only the id of a session", () => {
    const decode = Schema.decodeUnknownExit(SessionInfo)
    assert.deepStrictEqual<unknown>(decode({ sessionId: "s", title: 1 }), Exit.succeed({ sessionId: "s" }))
    assert.isTrue(Exit.isFailure(decode({ task: "t" })))
  })
})
