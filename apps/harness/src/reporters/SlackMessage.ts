import { counted, cut } from "@webagent/cli/Text"
import type { Notification } from "./Notification.ts"

const heads: Readonly<Record<Notification["event"], readonly [sign: string, words: string]>> = {
  failed: [":red_circle:", "Night failed"],
  reminder: [":red_circle:", "Night still fails"],
  passed: [":large_green_circle:", "Night passed again"]
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

// all that Slack's text can do begins with one of these
const escape = (text: string) => text.replaceAll(/[&<>]/gu, (character) => entities[character] ?? character)

const shown = 5
const longest = 300
/** Slack refuses a longer header. */
const longestHeader = 150

type Problem = Notification["problems"][number]

// elements of rich text are shown as they are, whatever is in them
const text = (value: string, isBold = false) => ({
  type: "text",
  text: value,
  ...(isBold ? { style: { bold: true } } : {})
})
const link = (url: string, value: string) => ({ type: "link", url, text: value })

/** Facts about a problem for its second line. */
const factsOf = ({ affected, change, owner }: Problem): ReadonlyArray<string> => [
  ...(owner === null ? [] : [`owner ${owner}`]),
  ...(affected === null ? [] : [`affected: ${affected}`]),
  ...(change === null ? [] : [change])
]

const headOf = ({ age, evidence, what }: Problem): string =>
  cut(` ${what}${age === null ? "" : ` (${age})`}: ${evidence}`, longest)

const problemBlock = (problem: Problem) => {
  const { compareUrl, next, title, url } = problem
  const facts = factsOf(problem)
  const links = [
    ...(compareUrl === null ? [] : [link(compareUrl, "compare")]),
    ...(url === null ? [] : [link(url, "report")])
  ]
  const more = [...(facts.length === 0 ? [] : [text(facts.join(" · "))]), ...links].flatMap((element, index) =>
    index === 0 ? [text("\n"), element] : [text(" · "), element]
  )
  return {
    type: "rich_text",
    elements: [
      {
        type: "rich_text_section",
        elements: [text(title, true), text(headOf(problem)), ...more, text(`\nnext: ${next}`)]
      }
    ]
  }
}

/**
 * Builds the message for an incoming webhook of Slack: blocks, and a text for clients and notifications that show none.
 */
export const render = (notification: Notification): string => {
  const { event, more, problems, report, target, title, url } = notification
  const [sign, words] = heads[event]
  const head = `${words} on ${target}`
  // the problems below say the rest
  const passed = problems.length === 0 ? [title] : []
  const hidden = more + Math.max(0, problems.length - shown)
  const others = hidden === 0 ? [] : [`and ${counted(hidden, "other problem")}`]
  const links = [
    ...(report === null ? [] : [["Report", report] as const]),
    ...(url === null ? [] : [["Job", url] as const])
  ]
  const listed = problems.slice(0, shown)
  const last = [...others.map((one) => text(one)), ...links.map(([name, address]) => link(address, name))].flatMap(
    (element, index) => (index === 0 ? [element] : [text(" · "), element])
  )
  return JSON.stringify({
    text: [
      `${sign} ${escape(head)}`,
      ...passed.map(escape),
      ...listed.map((problem) =>
        escape(`• ${[`${problem.title}${headOf(problem)}`, ...factsOf(problem), `next: ${problem.next}`].join(" · ")}`)
      ),
      ...others,
      ...links.map(([name, address]) => `<${escape(address)}|${name}>`)
    ].join("\n"),
    blocks: [
      { type: "header", text: { type: "plain_text", text: cut(`${sign} ${head}`, longestHeader), emoji: true } },
      ...passed.map((one) => ({
        type: "rich_text",
        elements: [{ type: "rich_text_section", elements: [text(one)] }]
      })),
      ...listed.map(problemBlock),
      ...(last.length === 0 ? [] : [{ type: "rich_text", elements: [{ type: "rich_text_section", elements: last }] }])
    ]
  })
}
