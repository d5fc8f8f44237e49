import { assert, describe, it, layer } from "@effect/vitest"
import { Server, SimulatedService } from "@webagent/simulation"
import * as V3 from "@webagent/v3/account"
import * as V3Promise from "@webagent/v3/promise"
import { account as accountOfV3 } from "@webagent/v3/promise/account"
import { Browsers as V4Browsers } from "@webagent/v4"
import * as V4 from "@webagent/v4/account"
import * as V4Promise from "@webagent/v4/promise"
import { account as accountOfV4, ProfileNotFoundError } from "@webagent/v4/promise/account"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as clients from "./clients.ts"

const unknownId = "00000000-0000-4000-8000-000000000000"

const decoder = new TextDecoder()

const versions = { v3: V3, v4: V4 } as const

for (const http of ["fetch", "undici"] as const) {
  for (const version of ["v3", "v4"] as const) {
    const { Account, Profiles, Workspaces, layerAccount } = versions[version] as typeof V4
    const served = Layer.provideMerge(layerAccount, clients.layer(http))
    layer(served, { excludeTestServices: true })(`the account of ${version} over ${http}`, (it) => {
      it.effect("a profile is created once for a key, changed, listed and deleted", () =>
        Effect.gen(function* () {
          const profiles = yield* Profiles
          const created = yield* profiles.create({ name: "Ada", userId: "u-1" }, { idempotencyKey: "profile-1" })
          assert.deepStrictEqual([created.name, created.userId], ["Ada", "u-1"])
          const { id } = created
          assert.strictEqual((yield* profiles.update(id, { name: null })).name, null)
          assert.strictEqual((yield* profiles.get(id)).userId, "u-1")
          yield* profiles.create({ name: "Grace" })
          yield* profiles.create()
          const query = version === "v3" ? { page_size: 2 } : { pageSize: 2 }
          const all = yield* Stream.runCollect(profiles.list(query))
          assert.lengthOf(all, 3)
          assert.strictEqual(new Set(all.map((profile) => profile.id)).size, 3)
          assert.strictEqual((yield* profiles.listPage({ query: "gra" })).items[0]?.name, "Grace")
          for (const profile of all) yield* profiles.delete(profile.id)
          assert.strictEqual((yield* Effect.flip(profiles.get(id)))._tag, "ProfileNotFoundError")
        })
      )

      it.effect("files are uploaded, listed, downloaded and deleted, and their links carry no key", () =>
        Effect.gen(function* () {
          const workspaces = yield* Workspaces
          const { archived, id } = yield* workspaces.create({ name: "Prices" })
          assert.isFalse(archived)
          const bytes = new Uint8Array([0, 255, 10, 13])
          const uploaded = yield* workspaces.upload(
            id,
            [
              { name: "mugs.csv", content: "rød,4.20" },
              { name: "mug.bin", content: bytes },
              { name: "page.html", content: new Blob(["<p>"], { type: "text/html" }) }
            ],
            { prefix: "in" }
          )
          assert.deepStrictEqual(
            uploaded.map(({ name }) => name),
            ["mugs.csv", "mug.bin", "page.html"]
          )
          const paths = uploaded.map(({ path }) => path)
          const files = yield* Stream.runCollect(workspaces.files(id, { limit: 2 }))
          assert.sameMembers(
            files.map(({ path }) => path),
            paths
          )
          assert.deepStrictEqual(
            files.map(({ size }) => size).toSorted((a, b) => a - b),
            [3, 4, 9]
          )
          assert.strictEqual(decoder.decode(yield* workspaces.download(id, paths[0] ?? "")), "rød,4.20")
          assert.deepStrictEqual(yield* workspaces.download(id, paths[1] ?? ""), bytes)
          assert.strictEqual((yield* workspaces.size(id)).usedBytes, 16)
          const [linked] = (yield* workspaces.filesPage(id, { includeUrls: true })).files
          assert.match(linked?.url ?? "", /^http/u)
          const missing = yield* Effect.flip(workspaces.download(id, "in/mugs"))
          assert.deepInclude(missing, {
            _tag: "WorkspaceNotFoundError",
            message: 'There is no file "in/mugs"'
          })
          yield* workspaces.deleteFile(id, paths[0] ?? "")
          assert.lengthOf((yield* workspaces.filesPage(id)).files, 2)
          yield* workspaces.delete(id)
          const late = yield* Effect.flip(workspaces.upload(id, [{ name: "late.txt", content: "" }]))
          assert.strictEqual(late._tag, version === "v4" ? "ConflictError" : "WorkspaceNotFoundError")
          if (version === "v4") assert.isTrue((yield* workspaces.get(id)).archived)
        })
      )

      it.effect("an unknown workspace is no missing operation, and the usage is read", () =>
        Effect.gen(function* () {
          const workspaces = yield* Workspaces
          assert.strictEqual((yield* Effect.flip(workspaces.get(unknownId)))._tag, "WorkspaceNotFoundError")
          assert.strictEqual(
            (yield* Effect.flip(Stream.runDrain(workspaces.files(unknownId))))._tag,
            "WorkspaceNotFoundError"
          )
          const account = yield* Account
          assert.isNumber((yield* account.get()).usedTodayUsd)
        })
      )
    })
  }
}

layer(Layer.provideMerge(V3.layerAccount, clients.layer()), { excludeTestServices: true })("v3 alone", (it) => {
  it.effect("lists browsers page by page, reads and stops them", () =>
    Effect.gen(function* () {
      const browsers = yield* V3.Browsers
      const created = yield* Effect.forEach([1, 2, 3], () => V4Browsers.use(({ create }) => create()))
      const active = yield* Stream.runCollect(browsers.list({ filterBy: "active", pageSize: 2 }))
      assert.sameMembers(
        active.map(({ id }) => id ?? ""),
        created.map(({ id }) => id)
      )
      for (const { id } of created) assert.strictEqual((yield* browsers.stop(id)).status, "stopped")
      assert.strictEqual((yield* browsers.get(created[0]?.id ?? "")).status, "stopped")
      assert.lengthOf((yield* browsers.listPage({ filterBy: "active" })).items, 0)
      assert.strictEqual((yield* Effect.flip(browsers.stop(unknownId)))._tag, "BrowserNotFoundError")
    })
  )

  it.effect("lists workspaces page by page", () =>
    Effect.gen(function* () {
      const workspaces = yield* V3.Workspaces
      for (const name of ["a", "b", "c"]) yield* workspaces.create({ name })
      const all = yield* Stream.runCollect(workspaces.list({ pageSize: 2 }))
      assert.includeMembers(
        all.map(({ name }) => name ?? ""),
        ["a", "b", "c"]
      )
      assert.lengthOf((yield* workspaces.listPage({ pageSize: 2 })).items, 2)
    })
  )
})

describe("the account for promises", () => {
  for (const [version, WebAgent, account] of [
    ["v3", V3Promise.WebAgent, accountOfV3],
    ["v4", V4Promise.WebAgent, accountOfV4 as unknown as typeof accountOfV3]
  ] as const) {
    it.live(`${version}: profiles, workspaces with files, and the usage`, () =>
      Effect.gen(function* () {
        const { address, apiKeys } = yield* Server
        yield* Effect.promise(async () => {
          await using agent = new WebAgent({ baseUrl: address, apiKey: apiKeys[0] })
          const { profiles, usage, workspaces } = account(agent as V3Promise.WebAgent)
          const { id } = await profiles.create({ name: "Ada" }, { idempotencyKey: "ada-1" })
          const names: Array<string | null | undefined> = []
          for await (const { name } of profiles.list()) names.push(name)
          assert.deepStrictEqual(names, ["Ada"])
          assert.strictEqual((await profiles.get(id).withResponse()).response.status, 200)
          await profiles.delete(id)
          const error = await profiles.get(id).catch((error: unknown) => error)
          assert.instanceOf(error, ProfileNotFoundError)
          const { id: workspace } = await workspaces.create()
          const [file] = await workspaces.upload(workspace, [{ name: "a.txt", content: "hello" }])
          assert.strictEqual(decoder.decode(await workspaces.download(workspace, file?.path ?? "")), "hello")
          for await (const { size } of workspaces.files(workspace, { prefix: "a" })) assert.strictEqual(size, 5)
          assert.isNumber((await usage()).usedTodayUsd)
          const options = { prefx: "in" } as object
          const misspelt = await workspaces.upload(workspace, [], options).catch((error: unknown) => error)
          assert.strictEqual((misspelt as Error).message, "prefx is not an option. Did you mean prefix?")
          const all = workspaces.files(workspace, { includeUrl: true } as object)[Symbol.asyncIterator]()
          const late = await all.next().catch((error: unknown) => error)
          assert.strictEqual((late as Error).message, "includeUrl is not an option. Did you mean includeUrls?")
        })
      }).pipe(Effect.provide(SimulatedService.layerTest))
    )
  }

  it.live("v3: browsers are listed, read and stopped", () =>
    Effect.gen(function* () {
      const { address: baseUrl, apiKeys } = yield* Server
      yield* Effect.promise(async () => {
        await using agent = new V3Promise.WebAgent({ baseUrl, apiKey: apiKeys[0] })
        await using creator = new V4Promise.WebAgent({ baseUrl, apiKey: apiKeys[0] })
        const { browsers } = accountOfV3(agent)
        const { id } = await creator.browsers.create()
        const ids: Array<string | undefined> = []
        for await (const browser of browsers.list({ filterBy: "active" })) ids.push(browser.id)
        assert.deepStrictEqual(ids, [id])
        assert.strictEqual((await browsers.stop(id)).status, "stopped")
        assert.strictEqual((await browsers.get(id)).status, "stopped")
        assert.strictEqual((await browsers.listPage({ filterBy: "active" })).totalItems, 0)
      })
    }).pipe(Effect.provide(SimulatedService.layerTest))
  )
})
