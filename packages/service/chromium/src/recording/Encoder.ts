import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { constants as os, setPriority } from "node:os"
import { delimiter, join } from "node:path"
import { frames, sizeOf } from "./Matroska.ts"

/** A spool did not become a video. */
class EncodeFailed extends Data.TaggedError("EncodeFailed")<{ readonly message: string }> {}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Path of ffmpeg on the `PATH`; null if it is not installed. */
export const find: Effect.Effect<string | null> = Effect.map(
  Effect.orElseSucceed(Config.String("PATH"), () => ""),
  (path) =>
    path
      .split(delimiter)
      .filter((folder) => folder !== "")
      .map((folder) => join(folder, "ffmpeg"))
      .find(isExecutable) ?? null
)

const even = (length: number): number => length + (length % 2)

/** Pictures of another size than the first are fitted into it. */
const filter = ({ height, width }: { readonly width: number; readonly height: number }): string => {
  const size = `${even(width)}:${even(height)}`
  return `scale=${size}:force_original_aspect_ratio=decrease,pad=${size}:-1:-1,format=yuv420p`
}

const common = ["-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "matroska"]

const vp8 = [
  "-c:v",
  "libvpx",
  "-deadline",
  "realtime",
  "-cpu-used",
  "8",
  "-crf",
  "20",
  "-b:v",
  "1500k",
  "-threads",
  "1"
]

/** Pictures come when the page changes, at times in milliseconds. */
const webm = ["-enc_time_base", "1:1000", ...vp8, "-f", "webm"]

/** Encodes a spool as WebM (VP8) with times as they are; one that is interrupted leaves no process. */
export const encode = (ffmpeg: string, spool: string, video: string): Effect.Effect<void, EncodeFailed> =>
  Effect.callback((resume) => {
    const [first] = frames(spool)
    const size = first === undefined ? undefined : sizeOf(first.jpeg)
    if (size === undefined) {
      return void resume(Effect.fail(new EncodeFailed({ message: `${spool} has no picture.` })))
    }
    const child = spawn(ffmpeg, [common, ["-i", spool, "-vf", filter(size)], webm, [video]].flat(), {
      stdio: ["ignore", "ignore", "pipe"]
    })
    const kill = () => void child.kill("SIGKILL")
    // an exit that does not wait for the scope leaves no encoder either
    process.once("exit", kill)
    child.once("exit", () => process.off("exit", kill))
    let output = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-2000)))
    child.once("spawn", () => {
      // browsers go first
      if (child.pid !== undefined) setPriority(child.pid, os.priority.PRIORITY_LOW)
    })
    child.once("error", ({ message }) => resume(Effect.fail(new EncodeFailed({ message: `${ffmpeg}: ${message}` }))))
    child.once("close", (code) =>
      resume(
        code === 0
          ? Effect.void
          : Effect.fail(new EncodeFailed({ message: `ffmpeg ended with ${code}: ${output.trim()}` }))
      )
    )
    return Effect.sync(kill)
  })
