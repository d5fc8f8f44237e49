import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"

/** Limits the time and the memory that a file may take, because anyone can make a small one that takes all there is. */
const patience_ms = 20_000
const memory_MB = 512

/** Limits the pages that are read, and the length of their text. */
const pages_most = 200
const chars_most = 4_000_000

/** The number of files whose text is kept. */
const kept_most = 8

/**
 * Reads a file with the package `unpdf`, in a process of its own. The memory of inflated streams isn't part of the heap,
 * so a thread watches the whole process and kills it at the limit.
 */
const source = `
const { Worker } = require("node:worker_threads")
const [library, pages, chars, memory, patience] = JSON.parse(process.argv[1])
const watch = ({ memory, patience }) => {
  const began = Date.now()
  setInterval(() => {
    if (process.memoryUsage.rss() > memory || Date.now() - began > patience) process.kill(process.pid, "SIGKILL")
  }, 10)
}
new Worker("(" + watch + ")(require('node:worker_threads').workerData)", {
  eval: true,
  workerData: { memory, patience }
}).once("online", async () => {
  try {
    const chunks = []
    for await (const chunk of process.stdin) chunks.push(chunk)
    const { getDocumentProxy } = await import(library)
    const pdf = await getDocumentProxy(new Uint8Array(Buffer.concat(chunks)), { verbosity: 0 })
    const texts = []
    let length = 0
    for (let number = 1; number <= Math.min(pdf.numPages, pages) && length < chars; number++) {
      const { items } = await (await pdf.getPage(number)).getTextContent()
      texts.push(items.map(({ hasEOL, str = "" }) => str + (hasEOL ? "\\n" : "")).join(""))
      length += texts.at(-1).length
    }
    process.stdout.write(JSON.stringify({ pages: pdf.numPages, texts }), () => process.kill(process.pid, "SIGKILL"))
  } catch {
    process.kill(process.pid, "SIGKILL")
  }
})
`

/** The text of a file, or a sentence that says why there is none. */
type Result = { readonly text: string } | string

const library = (): string | null => {
  try {
    return import.meta.resolve("unpdf")
  } catch {
    return null
  }
}

const unreadable = "The file is a PDF document that the agent can't read: it may be damaged, encrypted or too large."

const resultOf = (written: string): Result => {
  const read = parsed(written)
  if (read === null) return unreadable
  const text = read.texts.map((page, index) => `(page ${index + 1} of ${read.pages})\n${page.trim()}`).join("\n")
  return read.texts.every((page) => page.trim() === "")
    ? "The PDF document has no text, as scans have none. Look for the same content on a page."
    : { text }
}

const parsed = (written: string): { readonly pages: number; readonly texts: ReadonlyArray<string> } | null => {
  try {
    return JSON.parse(written)
  } catch {
    return null
  }
}

const read = (url: string, bytes: Uint8Array): Effect.Effect<Result> =>
  Effect.callback((resume) => {
    const limits = JSON.stringify([url, pages_most, chars_most, memory_MB * 1024 ** 2, patience_ms])
    const reader = spawn(process.execPath, ["-e", source, limits], { env: {}, stdio: ["pipe", "pipe", "ignore"] })
    let written = ""
    reader.stdout.setEncoding("utf8").on("data", (part: string) => {
      written += part
      if (written.length > 8 * chars_most) reader.kill("SIGKILL")
    })
    // the process may be gone before it has all bytes
    reader.stdin.on("error", () => undefined).end(bytes)
    reader.on("error", () => resume(Effect.succeed(unreadable)))
    reader.on("close", () => resume(Effect.succeed(resultOf(written))))
    return Effect.sync(() => void reader.kill("SIGKILL"))
  })

/** One file is read at a time, so that many of them don't need more memory. */
const oneAtATime = Semaphore.makeUnsafe(1)

/** The results of the files that were read last, by their digests. `read` reads a file part by part. */
const kept = new Map<string, Result>()

/** Returns the text of a PDF document, page by page, or a sentence that says why it can't be read. */
export const of = (bytes: Uint8Array): Effect.Effect<Result> =>
  Effect.suspend(() => {
    const url = library()
    if (url === null) {
      return Effect.succeed(
        "The file is a PDF document. To let the agent read it, install the package unpdf on the server."
      )
    }
    const digest = createHash("sha256").update(bytes).digest("hex")
    return oneAtATime.withPermits(1)(
      Effect.suspend(() => {
        const known = kept.get(digest)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.tap(read(url, bytes), (result) =>
          Effect.sync(() => {
            kept.set(digest, result)
            for (const oldest of Array.from(kept.keys()).slice(0, -kept_most)) kept.delete(oldest)
          })
        )
      })
    )
  })
