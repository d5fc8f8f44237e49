import { assert, describe, it, layer } from "@effect/vitest"
import { Server, SimulatedService } from "@webagent/simulation"
import { type BrowserCalls, Ledger, LedgerMemory, type Transport } from "@webagent/core"
import type { AccountCalls, ProfileCalls, WorkspaceCalls } from "@webagent/core/account"
import type { WebAgentOptions } from "@webagent/core/promise"
import * as V2 from "@webagent/v2/account"
import * as V2Promise from "@webagent/v2/promise"
import { account as accountOfV2 } from "@webagent/v2/promise/account"
import * as V3 from "@webagent/v3/account"
import * as V3Promise from "@webagent/v3/promise"
import { account as accountOfV3 } from "@webagent/v3/promise/account"
import * as V4 from "@webagent/v4/account"
import * as V4Promise from "@webagent/v4/promise"
import { account as accountOfV4, ProfileNotFoundError } from "@webagent/v4/promise/account"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as clients from "./clients.ts"

const unknownId = "00000000-0000-4000-8000-000000000000"

const decoder = new TextDecoder()

/** The services of a version's account. A `Query` selects profiles. */
interface Services<Account, Profiles, Workspaces, Query> {
  readonly Account: Context.Key<Account, AccountCalls>
  readonly Profiles: Context.Key<Profiles, ProfileCalls<Query>>
  readonly Workspaces: Context.Key<Workspaces, WorkspaceCalls>
  readonly layerAccount: Layer.Layer<Account | Profiles | Workspaces, never, Transport>
}

/** Tests the account of a version; `inPairs` lists profiles two at a time, and `named` those with "gra" in their names. */
const testAccount = <A, P, W, Query>(
  version: "v3" | "v4",
  { Account, Profiles, Workspaces, layerAccount }: Services<A, P, W, Query>,
  {
    inPairs,
    named
  }: {
    readonly inPairs: (profiles: ProfileCalls<Query>) => ReturnType<ProfileCalls<Query>["list"]>
    readonly named: (profiles: ProfileCalls<Query>) => ReturnType<ProfileCalls<Query>["listPage"]>
  }
) => {
  for (const http of ["fetch", "undici"] as const) {
    const served = Layer.provideMerge(layerAccount, clients.layer(http))
    layer(served, { excludeTestServices: true })(`the account of ${version} over ${http}`, (it) => {
      it.effect("creates a profile once per key, and changes, lists and deletes it", () =>
        Effect.gen(function* () {
          const profiles = yield* Profiles
          const created = yield* profiles.create({ name: "Ada", userId: "u-1" }, { idempotencyKey: "profile-1" })
          assert.deepStrictEqual([created.name, created.userId], ["Ada", "u-1"])
          const { id } = created
          assert.strictEqual((yield* profiles.update(id, { name: null })).name, null)
          assert.strictEqual((yield* profiles.get(id)).userId, "u-1")
          yield* profiles.create({ name: "Grace" })
          yield* profiles.create()
          const all = yield* Stream.runCollect(inPairs(profiles))
          assert.lengthOf(all, 3)
          assert.strictEqual(new Set(all.map((profile) => profile.id)).size, 3)
          assert.strictEqual((yield* named(profiles)).items[0]?.name, "Grace")
          for (const profile of all) yield* profiles.delete(profile.id)
          assert.strictEqual((yield* Effect.flip(profiles.get(id)))._tag, "ProfileNotFoundError")
        })
      )

      it.effect("uploads, lists, downloads and deletes files, and their links carry no key", () =>
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

      it.effect("distinguishes an unknown workspace from a missing operation, and reads the usage", () =>
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

testAccount("v3", V3, {
  inPairs: (profiles) => profiles.list({ page_size: 2 }),
  named: (profiles) => profiles.listPage({ query: "gra" })
})
testAccount("v4", V4, {
  inPairs: (profiles) => profiles.list({ pageSize: 2 }),
  named: (profiles) => profiles.listPage({ query: "gra" })
})

const testBrowsers = <Self>(
  version: "v2" | "v3",
  Browsers: Context.Key<Self, BrowserCalls>,
  browsers: Layer.Layer<Self, never, Transport>
) => {
  const ledger = LedgerMemory.layer
  layer(Layer.provideMerge(browsers, Layer.provideMerge(clients.layer(), ledger)), { excludeTestServices: true })(
    `the browsers of ${version}`,
    (it) => {
      it.effect("are listed page by page, read and stopped", () =>
        Effect.gen(function* () {
          const browsers = yield* Browsers
          const created = yield* Effect.forEach([1, 2, 3], () => browsers.create())
          assert.match(created[0]?.cdpUrl ?? "", /^ws/u)
          const active = yield* Stream.runCollect(browsers.list({ filterBy: "active", pageSize: 2 }))
          assert.sameMembers(
            active.map(({ id }) => id ?? ""),
            created.map(({ id }) => id)
          )
          for (const { id } of created) assert.strictEqual((yield* browsers.stop(id)).status, "stopped")
          assert.strictEqual((yield* browsers.get(created[0]?.id ?? "")).status, "stopped")
          assert.lengthOf((yield* browsers.listPage({ filterBy: "active" })).items, 0)
          assert.strictEqual((yield* Effect.flip(browsers.get(unknownId)))._tag, "BrowserNotFoundError")
        })
      )

      it.effect("are created once per key, and are in the ledger until they're stopped", () =>
        Effect.gen(function* () {
          const browsers = yield* Browsers
          const { open } = yield* Ledger.Current
          const read = Effect.map(open, (items) => items.map(({ id, kind, path }) => [kind, id, path]))
          const options = { idempotencyKey: "browser-1" }
          const id = yield* browsers.use(
            { proxyCountryCode: null },
            ({ id }) =>
              Effect.gen(function* () {
                assert.strictEqual((yield* browsers.create({ proxyCountryCode: null }, options)).id, id)
                assert.deepStrictEqual(yield* read, [["browser", id, `/api/${version}/browsers`]])
                return id
              }),
            options
          )
          assert.deepStrictEqual(yield* read, [])
          assert.strictEqual((yield* browsers.get(id)).status, "stopped")
        })
      )
    }
  )
}

testBrowsers("v2", V2.Browsers, V2.Browsers.layer)
testBrowsers("v3", V3.Browsers, V3.Browsers.layer)

layer(Layer.provideMerge(V2.layerAccount, clients.layer()), { excludeTestServices: true })(
  "the account of v2",
  (it) => {
    it.effect("has profiles, downloads and the usage", () =>
      Effect.gen(function* () {
        const profiles = yield* V2.Profiles
        for (const name of ["Ada", "Grace", "Alan"]) yield* profiles.create({ name })
        const all = yield* Stream.runCollect(profiles.list({ pageSize: 2 }))
        assert.lengthOf(all, 3)
        assert.strictEqual((yield* profiles.listPage({ query: "gra" })).items[0]?.name, "Grace")
        for (const { id } of all) yield* profiles.delete(id)
        const { id } = yield* V2.Browsers.use((browsers) => browsers.create())
        const downloads = yield* V2.Downloads
        assert.lengthOf(yield* Stream.runCollect(downloads.list(id)), 0)
        assert.isNumber((yield* V2.Account.use((account) => account.get())).usedTodayUsd)
      })
    )
  }
)

layer(Layer.provideMerge(V3.layerAccount, clients.layer()), { excludeTestServices: true })("v3 alone", (it) => {
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

const opened = <Agent, Account>(agent: Agent, accountOf: (agent: Agent) => Account) => ({
  agent,
  account: accountOf(agent),
  again: () => accountOf(agent)
})

const openV2 = (options: WebAgentOptions) => opened(new V2Promise.WebAgent(options), accountOfV2)
const openV3 = (options: WebAgentOptions) => opened(new V3Promise.WebAgent(options), accountOfV3)
const openV4 = (options: WebAgentOptions) => opened(new V4Promise.WebAgent(options), accountOfV4)

describe("the account for promises", () => {
  for (const [version, open] of [
    ["v3", openV3],
    ["v4", openV4]
  ] as const) {
    it.live(`${version}: profiles, workspaces with files, and the usage`, () =>
      Effect.gen(function* () {
        const { address, apiKeys } = yield* Server
        yield* Effect.promise(async () => {
          const { account, agent } = open({ baseUrl: address, apiKey: apiKeys[0] })
          await using _ = agent
          const { profiles, usage, workspaces } = account
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

  for (const [version, open] of [
    ["v2", openV2],
    ["v3", openV3]
  ] as const) {
    it.live(`${version}: browsers are created, listed, and stopped with their block, by stop, or with the client`, () =>
      Effect.gen(function* () {
        const { address: baseUrl, apiKeys } = yield* Server
        yield* Effect.promise(async () => {
          const entries: Array<string> = []
          const { account, agent, again } = open({
            baseUrl,
            apiKey: apiKeys[0],
            ledger: (entry) => void entries.push(entry._tag)
          })
          await using _ = agent
          const { browsers, profiles } = account
          assert.strictEqual(again().browsers, browsers)
          const { id: profileId } = await profiles.create({ name: "Ada" })
          let first = ""
          {
            await using browser = await browsers.create({ profileId })
            first = browser.id
            assert.match(browser.cdpUrl, /^ws/u)
            const ids: Array<string | undefined> = []
            for await (const { id } of browsers.list({ filterBy: "active" })) ids.push(id)
            assert.deepStrictEqual(ids, [first])
          }
          assert.strictEqual((await browsers.get(first)).status, "stopped")
          const second = await browsers.create()
          assert.strictEqual((await browsers.stop(second.id)).status, "stopped")
          const third = await browsers.use({}, ({ id }) => id)
          assert.strictEqual((await browsers.get(third)).status, "stopped")
          const { id: left } = await browsers.create()
          await agent.close()
          const other = open({ baseUrl, apiKey: apiKeys[0] })
          await using _other = other.agent
          assert.strictEqual((await other.account.browsers.get(left)).status, "stopped")
          assert.strictEqual(entries.filter((tag) => tag === "opened").length, 4)
          assert.strictEqual(entries.filter((tag) => tag === "closed").length, 4)
        })
      }).pipe(Effect.provide(SimulatedService.layerTest))
    )
  }
})
