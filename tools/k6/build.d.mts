/** k6 could not be had. `exitCode` is 4 without a fitting Go, else 1; the message is one sentence that says what to do. */
export declare class BuildK6Error extends Error {
  readonly exitCode: 1 | 4
}

/** Resolves to the path of a k6 that runs TypeScript, built first when its sources or the Go version changed. */
export declare function buildK6(options?: {
  /** Receives a line when a build starts, which takes about two minutes, and when it is done. */
  readonly log?: (line: string) => void
  /** Where binaries are kept, one folder per hash of the sources; `node_modules/.cache/webagent-k6` unless given. */
  readonly cache?: string
  /** Stops the build. */
  readonly signal?: AbortSignal
}): Promise<string>
