import * as Draw from "./Draw.ts"
import { markup, options, page } from "./Html.ts"
import type { Episode, PageRequest, PageResponse, Site } from "./Site.ts"

interface Ticket {
  readonly id: number
  readonly customer: string
  readonly title: string
  readonly opened: string
  priority: string
  status: string
  assignee: string
}

const customers = ["Acme", "Globex", "Initech", "Umbrella"]
const titles = ["Login fails", "Wrong total", "Slow search", "Missing mail", "Broken link", "Printer error"]
const priorities = ["Low", "Normal", "High"]
const statuses = ["Open", "Waiting", "Closed"]
const assignees = ["Unassigned", "Ada Park", "Ben Ito", "Carla Diaz"]
const ticketCount = 16

const ticketsOf = (random: () => number): ReadonlyArray<Ticket> => {
  const days = Draw.shuffled(
    random,
    Array.from({ length: 28 }, (_, at) => at + 1)
  )
  const drawn = Array.from({ length: ticketCount }, (_, at) => ({
    id: 100 + at,
    customer: Draw.one(random, customers),
    title: Draw.one(random, titles),
    opened: `2026-03-${String(days[at]).padStart(2, "0")}`,
    priority: Draw.one(random, priorities),
    status: Draw.one(random, statuses),
    assignee: "Unassigned"
  }))
  // every task has a ticket that it is about
  return drawn.map((ticket, at) => (at < 2 ? { ...ticket, priority: "High", status: "Open" } : ticket))
}

/** The tickets that differ from how they were in the beginning. */
const changesOf = (before: ReadonlyArray<Ticket>, now: ReadonlyArray<Ticket>) =>
  now.flatMap(({ assignee, id, priority, status }, at) => {
    const was = before[at]
    return was?.assignee === assignee && was.priority === priority && was.status === status
      ? []
      : [{ id, priority, status, assignee }]
  })

/** The state of one ticket system, and its pages. */
const open = (before: ReadonlyArray<Ticket>) => {
  const tickets = before.map((ticket) => ({ ...ticket }))
  const list = (status: string) =>
    page(
      "Tickets",
      markup`<form action="./"><label>Status <select name="status">${options(["All", ...statuses], status)}</select></label><button>Filter</button></form>
        <table><tr><th>Ticket</th><th>Customer</th><th>Opened</th><th>Priority</th><th>Status</th><th>Assignee</th></tr>${tickets
          .filter((ticket) => status === "All" || ticket.status === status)
          .map(
            ({ assignee, customer, id, opened, priority, status, title }) =>
              markup`<tr><td><a href="ticket?id=${id}">${id} ${title}</a></td><td>${customer}</td><td>${opened}</td><td>${priority}</td><td>${status}</td><td>${assignee}</td></tr>`
          )}</table>`
    )
  const respond = ({ form, method, path, query }: PageRequest): PageResponse | undefined => {
    if (path === "/") return list(query.get("status") ?? "All")
    const ticket = tickets.find(({ id }) => String(id) === (query.get("id") ?? form.get("id")))
    if (ticket === undefined) return undefined
    if (method === "POST" && path === "/save") {
      const chosen = (name: "assignee" | "priority" | "status") => form.get(name) ?? ticket[name]
      Object.assign(ticket, { assignee: chosen("assignee"), priority: chosen("priority"), status: chosen("status") })
      return { redirect: "./" }
    }
    if (path !== "/ticket") return undefined
    const { assignee, customer, id, opened, priority, status, title } = ticket
    return page(
      `Ticket ${id}`,
      markup`<nav><a href="./">All tickets</a></nav><p>${title}, ${customer}, opened ${opened}</p>
        <form method="post" action="save"><input type="hidden" name="id" value="${id}">
          <label>Priority <select name="priority">${options(priorities, priority)}</select></label>
          <label>Status <select name="status">${options(statuses, status)}</select></label>
          <label>Assignee <select name="assignee">${options(assignees, assignee)}</select></label>
          <button>Save</button></form>`
    )
  }
  return { respond, actual: () => ({ changed: changesOf(before, tickets) }) }
}

const assign = (random: () => number): Episode => {
  const tickets = ticketsOf(random)
  const assignee = Draw.one(random, assignees.slice(1))
  const [oldest] = tickets
    .filter(({ priority, status }) => priority === "High" && status === "Open")
    .toSorted((a, b) => (a.opened < b.opened ? -1 : 1))
  return {
    instruction: (address) =>
      `Open ${address} and assign the oldest open ticket with priority High to ${assignee}. Change nothing else.`,
    expected: { changed: [{ id: oldest?.id, priority: "High", status: "Open", assignee }] },
    ...open(tickets)
  }
}

const close = (random: () => number): Episode => {
  const tickets = ticketsOf(random)
  const customer = tickets[0]?.customer ?? ""
  return {
    instruction: (address) =>
      `Open ${address} and close every open ticket of the customer ${customer}. Change nothing else.`,
    expected: {
      changed: tickets
        .filter((ticket) => ticket.customer === customer && ticket.status === "Open")
        .map(({ assignee, id, priority }) => ({ id, priority, status: "Closed", assignee }))
    },
    ...open(tickets)
  }
}

/** A ticket system with a filter. */
export const tickets: Site = {
  name: "tickets",
  summary: "assign one ticket by age and priority, and close those of a customer",
  tasks: [
    { name: "assign the oldest urgent ticket", begin: assign },
    { name: "close the open tickets of a customer", begin: close }
  ]
}
