import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, extname, join, resolve, sep } from "node:path"
import type { Episode, PageResponse, Site } from "./sites/Site.ts"

/** The pages of MiniWoB++ are nowhere to be found. */
export class NoMiniWoBError extends Data.TaggedError("NoMiniWoBError")<{
  /** The folder that was named; undefined if Python was asked. */
  readonly folder: string | undefined
}> {}

/** Of a package, the folder that has the pages and what they load: `core`, `common`, `miniwob`. */
const rootIn = (folder: string): string | undefined =>
  ["", "html", join("miniwob", "html"), ".."]
    .map((part) => join(folder, part))
    .find((root) => existsSync(join(root, "core", "core.js")) && existsSync(join(root, "miniwob", "click-test.html")))

/** Prints the file of a package without importing it, because that needs its dependencies. */
const askPython = "import importlib.util as i; s = i.find_spec('miniwob'); print(s.origin if s else '')"

const installed = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner
  const ask = (python: string) =>
    spawner.string(ChildProcess.make(python, ["-c", askPython], { stdin: "ignore" })).pipe(
      Effect.timeout("20 seconds"),
      Effect.map((text) => text.trim()),
      Effect.orElseSucceed(() => "")
    )
  const file = (yield* ask("python3")) || (yield* ask("python"))
  return file === "" ? undefined : dirname(file)
})

/**
 * Finds the pages of MiniWoB++: in a folder, or in the package `miniwob` of the user's Python.
 *
 * @param folder - The package, an unpacked wheel, or the folder `html` of either.
 */
export const find = Effect.fnUntraced(function* (folder: string | undefined) {
  const from = folder ?? (yield* installed)
  const root = from === undefined ? undefined : rootIn(from)
  return root === undefined ? yield* new NoMiniWoBError({ folder }) : resolve(root)
})

/** Lists the kinds of tasks. */
export const kindsOf = (root: string): ReadonlyArray<string> =>
  readdirSync(join(root, "miniwob"))
    .flatMap((name) => (name.endsWith(".html") ? [name.slice(0, -".html".length)] : []))
    .toSorted()

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".gif": "image/gif",
  ".html": "text/html; charset=utf-8",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png"
}

/** Pages that measure distances reward a perfect result with slightly less than 1. */
const enough = 0.8

/** Time of an episode in ms: the limit of the run ends it, not the page. */
const endless = 1e8

/**
 * Begins the episode when the page has loaded, and sends the task and the reward to the server. The task is the title, so
 * that it can be told from the page's other texts. The page's own display of rewards is none of the task.
 */
const script = (seed: number): string => `<style>#reward-display,#click-canvas{display:none!important}</style><script>
addEventListener("load", () => setTimeout(() => {
  const send = (path, value) => fetch("../" + path, { method: "POST", body: String(value), keepalive: true })
  const end = core.endEpisode
  core.endEpisode = (...given) => { end(...given); if (WOB_DONE_GLOBAL) send("reward", WOB_RAW_REWARD_GLOBAL) }
  core.EPISODE_MAX_TIME = ${endless}
  Math.seedrandom(${seed})
  core.startEpisodeReal()
  const asked = core.getUtterance()
  document.title = typeof asked === "string" ? asked : asked.utterance
  send("task", document.title)
}))
</script>`

const fileIn = (root: string, path: string): string | undefined => {
  const file = resolve(join(root, path))
  return file.startsWith(root + sep) && statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : undefined
}

/** An episode of MiniWoB++. */
export interface MiniWoBEpisode extends Episode {
  /** The task that the page shows; undefined until it was opened. */
  readonly asked: () => string | undefined
}

/** Begins an episode of a kind; the same seed gives the same task. */
export const begin = (root: string, kind: string, seed: number): MiniWoBEpisode => {
  const first = `/miniwob/${kind}.html`
  const seen: { asked?: string; reward?: number } = {}
  return {
    instruction: (address) =>
      `Open ${address}miniwob/${kind}.html. The title of the page is a short task, which the page also shows at its top. Carry out that task on the page; it is my instruction to you.`,
    expected: { solved: true },
    actual: () => ((seen.reward ?? -1) >= enough ? { solved: true } : { solved: false, reward: seen.reward ?? null }),
    asked: () => seen.asked,
    respond: ({ body, method, path }): PageResponse | undefined => {
      if (method === "POST" && path === "/task") seen.asked ??= body
      // what is done after the first reward belongs to another episode
      if (method === "POST" && path === "/reward") seen.reward ??= Number(body)
      if (method === "POST") return { type: "text/plain", body: "" }
      const file = fileIn(root, path)
      if (file === undefined) return undefined
      const type = types[extname(file)] ?? "application/octet-stream"
      if (path !== first) return { type, body: readFileSync(file) }
      const text = readFileSync(file, "utf8")
      return {
        type,
        body: text.includes("</body>") ? text.replace("</body>", `${script(seed)}</body>`) : text + script(seed)
      }
    }
  }
}

/** The site of MiniWoB++: one task for each kind. */
export const site = (root: string, kinds: ReadonlyArray<string>): Site => ({
  name: "miniwob",
  summary: "MiniWoB++: small pages with one task each, installed with pip install miniwob==1.1.0",
  tasks: kinds.map((kind) => ({
    name: kind,
    begin: (random) => begin(root, kind, Math.floor(random() * 2 ** 31))
  }))
})
