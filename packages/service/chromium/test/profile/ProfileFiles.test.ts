import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { afterAll, beforeAll, describe } from "vitest"
import { domainsOf } from "../../src/profile/domains.ts"
import { BadProfile, pack, type ProfileContent, readFiles, unpack, writeFiles } from "../../src/profile/ProfileFiles.ts"

let root = ""
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "webagent-profile-"))
})
afterAll(() => rmSync(root, { recursive: true }))

/** A profile with these files. */
const profileOf = (name: string, files: Readonly<Record<string, string | Uint8Array>>) => {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, name, "Default", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return join(root, name)
}

const failure = async (attempt: Promise<unknown>) => {
  const error: unknown = await attempt.then(
    () => assert.fail("It was accepted"),
    (reason: unknown) => reason
  )
  assert.instanceOf(error, BadProfile)
  return error.message
}

const content: ProfileContent = {
  cookies: [{ name: "session", value: "s" }],
  files: [
    ["Local Storage/leveldb/000003.log", Buffer.from("value")],
    ["IndexedDB/https_a.example_0.indexeddb.leveldb/CURRENT", Buffer.alloc(0)]
  ]
}

/** A state as a hostile store could have it. */
const forged = (head: unknown, bytes = "") => zstdCompressSync(Buffer.from(`${JSON.stringify(head)}\n${bytes}`))

describe("a profile's files", () => {
  it("are the same after a round trip", async () => {
    const read = await unpack(await pack(content))
    assert.deepStrictEqual(read, content)
    const to = join(root, "round trip")
    await writeFiles(to, read.files, undefined)
    assert.sameDeepMembers([...(await readFiles(to))], [...content.files])
  })

  it("are limited to those that keep a person signed in", async () => {
    const profile = profileOf("kept", {
      History: "where it was",
      "Login Data": "password",
      Cookies: "cookie",
      "Local Storage/leveldb/000003.log": "value",
      "Local Storage/leveldb/LOCK": "",
      "Local Storage/leveldb/LOG": "text"
    })
    assert.deepStrictEqual(
      (await readFiles(profile)).map(([path]) => path),
      ["Local Storage/leveldb/000003.log"]
    )
    assert.deepStrictEqual(await readFiles(join(root, "missing")), [])
  })

  it("are never links, pipes, or files behind a link", async () => {
    const secret = join(root, "secret")
    writeFileSync(secret, "of the server")
    const profile = profileOf("hostile", { "Local Storage/leveldb/000003.log": "value" })
    const at = (path: string) => join(profile, "Default", path)
    symlinkSync(secret, at("Local Storage/leveldb/000004.log"))
    linkSync(secret, at("Local Storage/leveldb/000005.log"))
    symlinkSync("/etc", at("IndexedDB"))
    execFileSync("mkfifo", [at("Local Storage/leveldb/pipe")])
    assert.deepStrictEqual(
      (await readFiles(profile)).map(([path]) => path),
      ["Local Storage/leveldb/000003.log"]
    )
  })

  it("are refused if they are too many or too large", async () => {
    const profile = profileOf("large", { "IndexedDB/a": Buffer.alloc(1_000_000), "IndexedDB/b": "" })
    for (const most of [
      { bytes: 999_999, files: 2 },
      { bytes: 1_000_000, files: 1 }
    ]) {
      const message = `A profile has at most ${most.bytes / 1_000_000} MB of storage in ${most.files} files`
      assert.strictEqual(await failure(readFiles(profile, most)), message)
    }
    assert.lengthOf(await readFiles(profile, { bytes: 1_000_000, files: 2 }), 2)
  })

  it("can't leave the profile", async () => {
    for (const path of ["../x", "IndexedDB/../../x", "/etc/x", "History", "IndexedDB//x", "IndexedDB/a\0", 7]) {
      const state = forged({ format: 1, cookies: [], files: [[path, 0]] })
      assert.strictEqual(await failure(unpack(state)), "The profile's state is damaged", String(path))
      await failure(writeFiles(join(root, "escape"), [[String(path), Buffer.alloc(0)]], undefined))
    }
    assert.isFalse(existsSync(join(root, "x")))
  })

  it("are refused if their state is truncated, in another format, a bomb or garbage", async () => {
    const packed = Buffer.from(await pack(content))
    for (let cut = 1; cut < packed.length; cut += 3) await failure(unpack(packed.subarray(0, -cut)))
    for (const state of [
      new Uint8Array(0),
      Buffer.from("garbage"),
      forged({ format: 2, cookies: [], files: [] }),
      forged({ format: 1, cookies: "none", files: [] }),
      forged({ format: 1, cookies: [], files: [["IndexedDB/x", 9]] }, "short"),
      forged({ format: 1, cookies: [], files: [["IndexedDB/x", -1]] }),
      forged({ format: 1, cookies: [], files: [["IndexedDB/x", 1]] }, "longer"),
      zstdCompressSync(Buffer.alloc(130_000_000))
    ]) {
      assert.strictEqual(await failure(unpack(state)), "The profile's state is damaged")
    }
  })

  it("name the domains of cookies and storage, but no value", () => {
    const log = Buffer.from("\0META:https://local.example\0_https://local.example\0\x01token=https://value.example")
    const domains = domainsOf({
      cookies: [
        { domain: ".a.example", value: "secret" },
        { domain: "a.example", value: "secret" }
      ],
      files: [
        ["Local Storage/leveldb/000003.log", log],
        ["IndexedDB/https_db.example_0.indexeddb.leveldb/CURRENT", Buffer.alloc(0)],
        ["IndexedDB/http_127.0.0.1_8080.indexeddb.leveldb/000003.log", Buffer.alloc(0)]
      ]
    })
    assert.deepStrictEqual(domains, ["127.0.0.1", "a.example", "db.example", "local.example"])
  })
})

it("a profile keeps the bytes of its files", async () => {
  const bytes = readFileSync(import.meta.filename)
  const profile = profileOf("bytes", { "WebStorage/1/file": bytes })
  const read = await unpack(await pack({ cookies: [], files: await readFiles(profile) }))
  assert.isTrue(bytes.equals(read.files[0]?.[1] ?? assert.fail()))
})
