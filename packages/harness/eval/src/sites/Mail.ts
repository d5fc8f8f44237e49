import * as Draw from "./Draw.ts"
import { markup, page } from "./Html.ts"
import type { Episode, PageRequest, PageResponse, Site } from "./Site.ts"

interface Mail {
  readonly id: number
  readonly from: string
  readonly subject: string
  readonly text: string
}

const senders = ["Ada Park", "Ben Ito", "Carla Diaz", "Dev Rao", "Weekly Deals"]
const subjects = ["Invoice", "Lunch on Friday", "Project plan", "Train tickets", "Garden party", "New keyboard"]
const replies = ["See you at noon.", "Please send it again.", "I agree with the plan.", "Thank you, all is fine."]
const mailCount = 18

const mailsOf = (random: () => number): ReadonlyArray<Mail> =>
  Draw.shuffled(
    random,
    senders.flatMap((from) => subjects.map((subject) => ({ from, subject })))
  )
    .slice(0, mailCount)
    .map(({ from, subject }, at) => ({ id: at + 1, from, subject, text: `This mail is about: ${subject}.` }))

/** The state of one mailbox, and its pages. */
const open = (mails: ReadonlyArray<Mail>) => {
  const archived = new Set<number>()
  const sent: Array<{ readonly to: string; readonly subject: string; readonly text: string }> = []
  const inbox = () =>
    page(
      "Inbox",
      markup`<table><tr><th>From</th><th>Subject</th></tr>${mails
        .filter(({ id }) => !archived.has(id))
        .map(
          ({ from, id, subject }) => markup`<tr><td>${from}</td><td><a href="mail?id=${id}">${subject}</a></td></tr>`
        )}</table>`
    )
  const respond = ({ form, method, path, query }: PageRequest): PageResponse | undefined => {
    if (path === "/") return inbox()
    const mail = mails.find(({ id }) => String(id) === (query.get("id") ?? form.get("id")))
    if (mail === undefined) return undefined
    const { from, id, subject, text } = mail
    const hidden = markup`<input type="hidden" name="id" value="${id}">`
    switch (`${method} ${path}`) {
      case "GET /mail":
        return page(
          subject,
          markup`<nav><a href="./">Inbox</a></nav><p>From: ${from}</p><p>${text}</p>
            <form method="post" action="archive">${hidden}<button>Archive</button></form>
            <form action="reply">${hidden}<button>Reply</button></form>`
        )
      case "POST /archive":
        archived.add(id)
        return { redirect: "./" }
      case "GET /reply":
        return page(
          `Re: ${subject}`,
          markup`<p>To: ${from}</p><form method="post" action="send">${hidden}
            <label>Message <textarea name="text" rows="4"></textarea></label><button>Send</button></form>`
        )
      case "POST /send":
        sent.push({ to: from, subject, text: (form.get("text") ?? "").trim() })
        return { redirect: "./" }
      default:
        return undefined
    }
  }
  return { respond, actual: () => ({ archived: [...archived].toSorted((a, b) => a - b), sent }) }
}

const archive = (random: () => number): Episode => {
  const mails = mailsOf(random)
  const { from } = Draw.one(random, mails)
  return {
    instruction: (address) => `Open ${address} and archive every mail from ${from}, and no other mail.`,
    expected: { archived: mails.filter((mail) => mail.from === from).map(({ id }) => id), sent: [] },
    ...open(mails)
  }
}

const reply = (random: () => number): Episode => {
  const mails = mailsOf(random)
  const { from, subject } = Draw.one(random, mails)
  const text = Draw.one(random, replies)
  return {
    instruction: (address) =>
      `Open ${address} and reply to the mail from ${from} with the subject "${subject}". Write exactly: "${text}"`,
    expected: { archived: [], sent: [{ to: from, subject, text }] },
    ...open(mails)
  }
}

/** A mailbox. */
export const mail: Site = {
  name: "mail",
  summary: "archive the mails of one sender, and reply to a mail",
  tasks: [
    { name: "archive the mails of a sender", begin: archive },
    { name: "reply to a mail", begin: reply }
  ]
}
