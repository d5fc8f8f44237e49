import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { FileList } from "../../src/Files.ts"
import { Profile, ProfileInput } from "../../src/Profile.ts"
import * as Wire from "../../src/Wire.ts"
import { UploadRequest, Workspace } from "../../src/Workspace.ts"
import { V3Extensions } from "../../src/v3/Extensions.ts"
import { ProfileListQuery, SessionMessagesQuery } from "../../src/v3/Queries.ts"
import { SessionStop } from "../../src/v3/SessionExtensions.ts"

const operation = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

describe("V3Extensions", () => {
  it("has every extension of Wire, and no described operation", () => {
    const listed = Object.values(V3Extensions).flatMap((group) => Object.values(group).map(operation))
    assert.sameMembers(listed, Object.values(Wire.v3Extensions).map(operation))
    assert.notIncludeMembers(listed, Object.values(Wire.v3Operations).map(operation))
  })

  it("allows two strategies of a stop, or none", () => {
    const decode = Schema.decodeUnknownExit(SessionStop)
    for (const body of [{}, { strategy: "task" }, { strategy: "session" }]) {
      assert.deepStrictEqual<unknown>(decode(body), Exit.succeed(body))
    }
    assert.isTrue(Exit.isFailure(decode({ strategy: "now" })))
  })

  it("limits pages and limits to whole numbers within bounds", () => {
    const decode = Schema.decodeUnknownExit(ProfileListQuery)
    assert.deepStrictEqual(decode({ page: "2", page_size: "100" }), Exit.succeed({ page: 2, page_size: 100 }))
    for (const wrong of [{ page: "0" }, { page_size: "0" }, { page_size: "101" }, { page: "1.5" }]) {
      assert.isTrue(Exit.isFailure(decode(wrong)), JSON.stringify(wrong))
    }
    assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(SessionMessagesQuery)({ limit: "101" })))
  })

  it("requires only the ids of records, and keeps unknown fields", () => {
    const id = "11111111-1111-4111-8111-111111111111"
    assert.deepStrictEqual<unknown>(
      Schema.decodeUnknownExit(Profile)({ id, name: 1, color: "red" }),
      Exit.succeed({ id, name: null, userId: null, lastUsedAt: null, cookieDomains: null, color: "red" })
    )
    assert.deepStrictEqual<unknown>(
      Schema.decodeUnknownExit(Workspace)({ id }),
      Exit.succeed({ id, name: null, archived: false })
    )
    assert.deepStrictEqual<unknown>(
      Schema.decodeUnknownExit(FileList)({ files: [{ path: "a.csv", size: 3 }] }),
      Exit.succeed({ files: [{ path: "a.csv", size: 3 }] })
    )
  })

  it("limits an upload to 1 to 100 files, and a profile's name to 255 characters", () => {
    const decode = Schema.decodeUnknownExit(UploadRequest)
    const file = { name: "a.csv", size: 3 }
    assert.deepStrictEqual<unknown>(
      decode({ files: [file] }),
      Exit.succeed({ files: [{ ...file, contentType: "application/octet-stream" }], allowOverrides: true })
    )
    assert.isTrue(Exit.isFailure(decode({ files: [] })))
    assert.isTrue(Exit.isFailure(decode({ files: Array.from({ length: 101 }, () => file) })))
    assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(ProfileInput)({ name: "x".repeat(256) })))
  })
})
