import type { FileList, StoredFile } from "@webagent/contract/Resources"
import { Elapsed } from "@webagent/polling"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { type CallOptions, Current, provide } from "../CallOptions.ts"
import * as Pages from "../Pages.ts"
import * as ThrownError from "../ThrownError.ts"
import { Timeout, TransportError, UnexpectedStatus } from "../TransportError.ts"

/** The content of a file. Text is sent as UTF-8. */
export type FileContent = Uint8Array<ArrayBuffer> | Blob | string

/** The query of a list of files. */
export interface FileQuery {
  /** The start of the paths. */
  readonly prefix?: string | undefined
  /** True gives each file a `url` that opens it without an API key for some minutes. */
  readonly includeUrls?: boolean | undefined
  /** The way in which links open files: `attachment`, the default, or `inline`. */
  readonly contentDisposition?: "attachment" | "inline" | undefined
  /** Number of files per page, from 1 to 100. */
  readonly limit?: number | undefined
  /** Continues after a page, with its `nextCursor`. */
  readonly cursor?: string
}

/** Stored files in one place, such as a workspace. */
export interface StoredFiles<E> {
  /**
   * Lists files in the order of their paths. Pages are read while you take files.
   *
   * @param id - The id of the workspace or browser.
   * @param options - `prefix` is the start of the paths. `limit` is the number of files per page, from 1 to 100.
   *   `includeUrls` adds links.
   * @returns A stream of files with their sizes in bytes. Each page is one request.
   * @throws `WorkspaceNotFoundError` or `BrowserNotFoundError` if there is none with this id.
   * @example
   * ```ts
   * import { Downloads } from "@webagent/v4/account"
   * import * as Stream from "effect/Stream"
   *
   * export const bytes = (browserId: string) =>
   *   Downloads.use((downloads) => Stream.runFold(downloads.list(browserId), () => 0, (sum, { size }) => sum + size))
   * ```
   */
  readonly list: (id: string, options?: FileQuery & Omit<CallOptions, "timeout">) => Stream.Stream<StoredFile, E>
  /**
   * Reads one page of `list`.
   *
   * @param id - The id of the workspace or browser.
   * @param options - The same as for `list`, and a `timeout`.
   * @returns The files of the page, with `nextCursor` and `hasMore`.
   * @throws `BadCursorError` if the cursor is another list's.
   * @example
   * ```ts
   * import { Downloads } from "@webagent/v4/account"
   *
   * export const links = (browserId: string) =>
   *   Downloads.use((downloads) => downloads.listPage(browserId, { includeUrls: true, limit: 10 }))
   * ```
   */
  readonly listPage: (id: string, options?: FileQuery & CallOptions) => Effect.Effect<FileList, E>
  /**
   * Downloads a file by its path.
   *
   * @param id - The id of the workspace or browser.
   * @param path - The path of the file.
   * @param options - Headers, a request id and the timeout of this call.
   * @returns The bytes of the file.
   * @throws `WorkspaceNotFoundError` or `BrowserNotFoundError` if there is no such file.
   * @example
   * ```ts
   * import { Downloads } from "@webagent/v4/account"
   *
   * export const report = (browserId: string) => Downloads.use((downloads) => downloads.get(browserId, "report.pdf"))
   * ```
   */
  readonly get: (
    id: string,
    path: string,
    options?: CallOptions
  ) => Effect.Effect<Uint8Array<ArrayBuffer>, E | TransportError>
}

/** Makes the reads of stored files over the operation that lists them. `missing` makes the error of an unknown path. */
export const stored = <E>(
  base: string,
  read: (id: string, input: { readonly query: FileQuery }, options?: CallOptions) => Effect.Effect<FileList, E>,
  missing: (detail: string) => E
): StoredFiles<E> => {
  const of = (id: string) =>
    Pages.make<FileQuery>()(
      (input, options) => read(id, input, options),
      ({ files }) => files,
      Pages.nextCursor
    )
  /** Finds a file by its path. By hand, because a stream would add Effect's operators to every account. */
  const find = (id: string, prefix: string, cursor?: string): Effect.Effect<StoredFile | undefined, E> => {
    const query: FileQuery = { prefix, includeUrls: true, ...(cursor === undefined ? {} : { cursor }) }
    return Effect.flatMap(read(id, { query }), (page) => {
      const file = page.files.find(({ path }) => path === prefix)
      const next = Pages.nextCursor(page, query)
      return file !== undefined || next === undefined ? Effect.succeed(file) : find(id, prefix, next.cursor)
    })
  }

  return {
    list: (id, options) => of(id).list(options),
    listPage: (id, options) => of(id).listPage(options),
    get: (id, path, options) =>
      Effect.flatMap(find(id, path), (file): Effect.Effect<Uint8Array<ArrayBuffer>, E | TransportError> => {
        const url = file?.url ?? undefined
        return url === undefined
          ? Effect.fail(missing(`There is no file ${JSON.stringify(path)}`))
          : send({ method: "GET", base, url, file: path })
      }).pipe(provide(options))
  }
}

/** A request to a signed link. */
interface LinkRequest {
  readonly method: "GET" | "PUT"
  /** The link, which may be relative to `base`. */
  readonly url: string
  readonly base: string
  /** The path of the file, for errors. The link itself is a secret. */
  readonly file: string
  readonly body?: Uint8Array<ArrayBuffer> | Blob
  readonly contentType?: string
}

/**
 * Sends a request to a signed link with `fetch`, once and without the API key, in 10 minutes or the `timeout` of the call.
 * Returns the body of the response.
 */
export const send = ({
  base,
  body,
  contentType,
  file,
  method,
  url
}: LinkRequest): Effect.Effect<Uint8Array<ArrayBuffer>, TransportError> =>
  Effect.gen(function* () {
    const { timeout = "10 minutes" } = yield* Current
    const { href, origin, pathname, search } = new URL(url, base)
    const failed = (reason: TransportError["reason"]) =>
      new TransportError({ method, origin, path: `/(signed link of ${file})`, attempts: 1, reason })
    const began_ms = yield* Elapsed.now_ms
    // a response may echo the link without its origin
    const secrets = [href, url, pathname + search, pathname]
    const redact = (text: string) =>
      secrets.reduce((redacted, secret) => (secret.length > 1 ? redacted.replaceAll(secret, "...") : redacted), text)
    const response = Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(href, {
          method,
          signal,
          ...(body === undefined ? {} : { body }),
          ...(contentType === undefined ? {} : { headers: { "content-type": contentType } })
        })
        return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
      },
      catch: (error) => error
    })
    const { bytes, status } = yield* response.pipe(
      Effect.catch((error) =>
        Effect.flatMap(Elapsed.now_ms, (now_ms) =>
          Effect.fail(failed(ThrownError.reasonOf(error, now_ms - began_ms, "headers", redact)))
        )
      ),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail(
            failed(new Timeout({ phase: "headers", limit: "total", after: Duration.fromInputUnsafe(timeout) }))
          )
      })
    )
    if (status >= 200 && status < 300) return bytes
    const text = new TextDecoder().decode(bytes.slice(0, 65_536))
    return yield* failed(new UnexpectedStatus({ status, body: redact(text) }))
  })
