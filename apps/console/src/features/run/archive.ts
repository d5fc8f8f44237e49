import type { ModelCall, RunDetails, RunStep } from "@webagent/admin"
import { strToU8, zipSync, type Zippable } from "fflate"
import { resultText } from "./values.ts"

/** Parts of an archive of a run. */
export interface ArchiveParts {
  readonly run: RunDetails
  /** The run as a document. */
  readonly markdown: string
  readonly steps: ReadonlyArray<RunStep>
  readonly calls: ReadonlyArray<ModelCall>
  /** JPEGs by the number of their step. */
  readonly pictures: ReadonlyMap<number, Uint8Array>
  readonly recording: { readonly name: string; readonly bytes: Uint8Array } | null
}

const json = (value: unknown) => strToU8(`${JSON.stringify(value, null, 2)}\n`)

/** Makes a ZIP file of a run. The same run makes the same bytes, because its files have the run's time. */
export const archiveOf = ({
  calls,
  markdown,
  pictures,
  recording,
  run,
  steps
}: ArchiveParts): Uint8Array<ArrayBuffer> => {
  const files: Zippable = {
    "run.md": strToU8(markdown),
    "run.json": json(run),
    "steps.json": json(steps),
    "model-calls.json": json(calls)
  }
  if (run.result !== null) {
    files[typeof run.result === "string" ? "result.txt" : "result.json"] = strToU8(resultText(run.result))
  }
  // they are compressed already
  for (const [number, jpeg] of pictures)
    files[`pictures/step-${String(number).padStart(4, "0")}.jpg`] = [jpeg, { level: 0 }]
  if (recording !== null) files[recording.name] = [recording.bytes, { level: 0 }]
  return zipSync(files, { mtime: new Date(run.finishedAt ?? run.createdAt) })
}

/** Largest recording in an archive, which is made in the memory of the page. */
export const largestRecording_bytes = 200_000_000

/** Pictures that are read at the same time. */
const atOnce = 4

const bytesOf = async (address: string): Promise<Uint8Array | undefined> => {
  try {
    const response = await fetch(address)
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined
  } catch {
    return undefined
  }
}

const recordingOf = async (address: string, isVideo: boolean): Promise<ArchiveParts["recording"]> => {
  const head = await fetch(address, { method: "HEAD" }).catch(() => undefined)
  const isSmall = Number(head?.headers.get("content-length") ?? Number.NaN) <= largestRecording_bytes
  const bytes = isSmall ? await bytesOf(address) : undefined
  return bytes === undefined ? null : { name: isVideo ? "recording.webm" : "recording.html", bytes }
}

interface Sources {
  readonly pictureOf: (number: number) => string
  readonly recording: { readonly address: string; readonly isVideo: boolean } | null
}

/** Reads the pictures and the recording of a run, and makes its archive. `missing` has the names of what wasn't there. */
export const readArchive = async (
  parts: Omit<ArchiveParts, "pictures" | "recording">,
  { pictureOf, recording }: Sources
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly missing: ReadonlyArray<string> }> => {
  const numbers = parts.steps.filter(({ picture }) => picture).map(({ number }) => number)
  const pictures = new Map<number, Uint8Array>()
  for (let from = 0; from < numbers.length; from += atOnce) {
    const some = numbers.slice(from, from + atOnce)
    const read = await Promise.all(some.map((number) => bytesOf(pictureOf(number))))
    for (const [index, bytes] of read.entries()) if (bytes !== undefined) pictures.set(some[index] ?? 0, bytes)
  }
  const video = recording === null ? null : await recordingOf(recording.address, recording.isVideo)
  return {
    bytes: archiveOf({ ...parts, pictures, recording: video }),
    missing: [
      ...numbers.filter((number) => !pictures.has(number)).map((number) => `the picture of step ${number}`),
      ...(recording !== null && video === null ? ["the recording"] : [])
    ]
  }
}
