import type { Onset } from "@webagent/report/Onset"
import type { Commit, Revisions, RunRevision, ServiceVersion } from "@webagent/report/Revision"

type Change = NonNullable<Onset["change"]>

/** When a problem began, which code changed then, and where that can be seen. */
export interface ChangeText {
  /** `between 2026-11-20 02:00 and 2026-11-21 02:00 UTC`. */
  readonly began: string
  /** `service from 1.4.2 to 1.5.0; suites 3f0c1a2 and harness 0.4.0 are the same`. */
  readonly changed: string
  /** Address of the comparison of two commits of the suites, if their forge is known. */
  readonly url?: string
}

const short = (commit: string) => commit.slice(0, 7)

const commitText = ({ commit, isChanged }: Commit): string =>
  `${short(commit)}${isChanged === true ? " with local changes" : ""}`

const serviceText = ({ commit, version }: ServiceVersion): string | undefined => {
  if (version === undefined) return commit && short(commit)
  return commit === undefined ? version : `${version} (${short(commit)})`
}

/** Names the tested code: `tested service 1.4.2, suites 3f0c1a2`; undefined if it isn't known. */
export const tested = ({ service, suites }: Revisions = {}): string | undefined => {
  const versions = { service: service && serviceText(service), suites: suites && commitText(suites) }
  const texts = Object.entries(versions).flatMap(([name, version]) =>
    version === undefined ? [] : `${name} ${version}`
  )
  return texts.length === 0 ? undefined : `tested ${texts.join(", ")}`
}

/** A part of the code, in the singular or plural of its verb, and its version in a run. */
const parts: ReadonlyArray<{
  readonly name: string
  readonly versionOf: (run: RunRevision) => string | undefined
  /** True if the version doesn't tell one state of the code from another. */
  readonly isVague: (run: RunRevision) => boolean
}> = [
  {
    name: "suites",
    versionOf: ({ suites }) => suites && commitText(suites),
    isVague: ({ suites }) => suites?.isChanged === true
  },
  {
    name: "harness",
    versionOf: ({ harness, tool }) => (harness === undefined ? tool : `${tool} (${commitText(harness)})`),
    isVague: ({ harness }) => harness?.isChanged === true
  },
  { name: "service", versionOf: ({ service }) => service && serviceText(service), isVague: () => false }
]

const listed = (all: ReadonlyArray<string>): string =>
  all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`

/** The versions of each part in two runs, and whether they differ. */
const versionsOf = ({ bad, good }: Change) =>
  parts.map(({ isVague, name, versionOf }) => {
    const [was, is] = [versionOf(good), versionOf(bad)]
    // the same commit with local changes may be anything
    const isUnknown = was === undefined || is === undefined || (was === is && isVague(bad))
    return { name, was, is, state: isUnknown ? "unknown" : was === is ? "same" : "changed" } as const
  })

/** The code that changed when a problem began. */
interface Suspects {
  /** Its changes: `the service's change from 1.4.2 to 1.5.0`. */
  readonly text: string
  /** The versions of the service if only it changed, which the scenarios' owners need not have deployed. */
  readonly service?: { readonly was: string | undefined; readonly is: string | undefined }
}

/** Names the code that changed when a problem began; undefined if none is known. */
export const suspects = (onset: Onset | undefined): Suspects | undefined => {
  const all = onset?.change === undefined ? [] : versionsOf(onset.change)
  const changed = all.filter(({ state }) => state === "changed")
  // the service is the last part
  const [first] = changed
  if (first === undefined) return undefined
  const texts = changed.map(
    ({ is, name, was }) => `the ${name}${name === "suites" ? "'" : "'s"} change from ${was} to ${is}`
  )
  const isOnly = first.name === "service" && all.every(({ state }) => state !== "unknown")
  return { text: listed(texts), ...(isOnly ? { service: first } : {}) }
}

/** Returns which code changed between two runs, to follow "changed". `since` follows the changes. */
const changes = (change: Change, since = ""): string => {
  const all = versionsOf(change)
  const of = (state: (typeof all)[number]["state"]) => all.filter((one) => one.state === state)
  const [changed, same, unknown] = [of("changed"), of("same"), of("unknown")]
  const news = changed.map(({ is, name, was }) => `${name} from ${was} to ${is}`)
  const verb = same.length === 1 && same[0]?.name !== "suites" ? "is" : "are"
  const sameText = `${listed(same.map(({ is, name }) => `${name} ${is}`))} ${verb} the same`
  return [
    ...(news.length === 0 ? [] : [`${listed(news)}${since}`]),
    ...(same.length === 0 ? [] : [news.length === 0 ? `no versions${since}: ${sameText}` : sameText]),
    ...(unknown.length === 0 ? [] : [`version of ${listed(unknown.map(({ name }) => name))} unknown`])
  ].join("; ")
}

/** Returns which code changed since an earlier night, with its date. */
export const changedSince = (change: Change): string =>
  changes(change, ` since the night of ${change.good.startedAt.slice(0, 10)}`)

// a history may come from anywhere
const isPlain = (url: string, ...commits: ReadonlyArray<string>) =>
  /^https?:\/\/[\w./~:-]+$/u.test(url) && commits.every((commit) => /^[\da-f]+$/u.test(commit))

/** The beginning of a commit's hash, which forges accept and phones have room for. */
const shortest = 12

const urlOf = ({ bad, good }: Change): string | undefined => {
  const [was, is] = [good.suites, bad.suites]
  const { repository } = is ?? {}
  if (was === undefined || is === undefined || repository === undefined) return undefined
  if (was.commit === is.commit || was.repository?.url !== repository.url) return undefined
  if (!isPlain(repository.url, was.commit, is.commit)) return undefined
  return `${repository.url}${repository.forge === "gitlab" ? "/-" : ""}/compare/${was.commit.slice(0, shortest)}...${is.commit.slice(0, shortest)}`
}

/** The minute of a time, in UTC: `2026-11-20 02:00`. */
export const minute = (iso: string) => iso.slice(0, 16).replace("T", " ")

/** Describes when a problem began, and which code changed then; undefined if no code is known. `began` is its time, if that is known. */
export const text = (onset: Onset | undefined, began?: string): ChangeText | undefined => {
  const change = onset?.change
  if (change === undefined) return undefined
  const { bad, good } = change
  const url = urlOf(change)
  return {
    began: began ?? `between ${minute(good.startedAt)} and ${minute(bad.startedAt)} UTC`,
    changed: began === undefined ? changes(change) : changedSince(change),
    ...(url === undefined ? {} : { url })
  }
}

/** Describes it in a line: `began between 2026-11-20 02:00 and 2026-11-21 02:00 UTC · changed: service from 1.4 to 1.5`. */
export const line = ({ began, changed }: ChangeText): string => `began ${began} · changed: ${changed}`
