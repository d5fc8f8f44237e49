import { moment } from "@webagent/cli/Text"
import type { Onset } from "@webagent/report/Onset"
import type { Commit, Revisions, RunRevision, ServiceVersion } from "@webagent/report/Revision"

type Change = NonNullable<Onset["change"]>

/** A change of code, in words, and where it can be seen. */
export interface ChangeText {
  readonly text: string
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
  {
    name: "service",
    versionOf: ({ service }) => service && serviceText(service),
    isVague: () => false
  }
]

const listed = (all: ReadonlyArray<string>, separator = "and"): string =>
  all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} ${separator} ${all.at(-1)}`

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
  /** True if only the service changed, which the scenarios' owners need not have deployed. */
  readonly isServiceOnly: boolean
}

/** Names the code that changed when a problem began; undefined if none is known. */
export const suspects = (onset: Onset | undefined): Suspects | undefined => {
  const changed = onset?.change === undefined ? [] : versionsOf(onset.change).filter(({ state }) => state === "changed")
  if (changed.length === 0) return undefined
  const texts = changed.map(
    ({ is, name, was }) => `the ${name}${name === "suites" ? "'" : "'s"} change from ${was} to ${is}`
  )
  return { text: listed(texts), isServiceOnly: changed.every(({ name }) => name === "service") }
}

/** Returns what changed between two runs, in a sentence without a period. `since` names the first one. */
const changes = (change: Change, since: string): string => {
  const all = versionsOf(change)
  const of = (state: (typeof all)[number]["state"]) => all.filter((one) => one.state === state)
  const [changed, same, unknown] = [of("changed"), of("same"), of("unknown")]
  const sameText = listed(same.map(({ is, name }) => `${name} ${is}`))
  const unchanged = listed(
    same.map(({ is, name }) => `${name} (${is})`),
    "or"
  )
  return [
    ...(changed.length === 0
      ? []
      : [`${listed(changed.map(({ is, name, was }) => `${name} changed from ${was} to ${is}`))}${since}`]),
    ...(same.length === 0
      ? []
      : [changed.length === 0 ? `no change${since} in ${unchanged}` : `${sameText} did not change`]),
    ...(unknown.length === 0 ? [] : [`version of ${listed(unknown.map(({ name }) => name))} unknown`])
  ].join("; ")
}

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

const minute = (iso: string) => iso.slice(0, 16).replace("T", " ")

/**
 * Describes when a problem began and what changed then, to follow "began": `between 2026-11-20 02:00 and 2026-11-21 02:00
 * UTC: service changed from 1.4 to 1.5; suites 3f0c1a2 and harness 0.4.0 did not change`; undefined if no code is known.
 * `from` is its time, if that is known.
 */
export const text = (onset: Onset | undefined, from?: string): ChangeText | undefined => {
  const change = onset?.change
  if (change === undefined) return undefined
  const { bad, good } = change
  const url = urlOf(change)
  return {
    text:
      from === undefined
        ? `between ${minute(good.startedAt)} and ${minute(bad.startedAt)} UTC: ${changes(change, "")}`
        : `${moment(from)}: ${changes(change, ` since the night of ${good.startedAt.slice(0, 10)}`)}`,
    ...(url === undefined ? {} : { url })
  }
}
