import type { Finding } from "@webagent/report/Finding"
import type { RunReport } from "@webagent/report/RunReport"
import { brief } from "./FindingText.ts"
import { notRun, note } from "./Notes.ts"
import * as RunText from "./RunText.ts"

declare const brand: unique symbol

/**
 * Text for people. You can print it, for example in a template, but comparing or cutting it is a type error, because the
 * words may change in any version. Compare the fields of the finding that it describes instead.
 */
export interface Sentence {
  readonly [brand]: "Sentence"
  readonly toString: () => string
}

/** The words for a finished run and its findings. */
export interface RunWords {
  /** The run without its status: `4 new failures: login refused`. */
  readonly title: Sentence
  /** The run with its status and the number of passed scenarios. */
  readonly summary: Sentence
  /** Describes a finding in one line, with its cause and its scenarios. */
  readonly lineOf: (finding: Finding) => Sentence
}

const sentence = (text: string) => text as unknown as Sentence

/** Returns the words for a finished run. */
export const of = (report: RunReport): RunWords => ({
  title: sentence(RunText.titleOf(report)),
  summary: sentence(RunText.lastLineOf(report)),
  lineOf: (finding) => sentence(note(finding) ?? notRun(finding) ?? brief(finding))
})
