import * as Draw from "./Draw.ts"
import { markup, options, page } from "./Html.ts"
import type { Episode, Site } from "./Site.ts"

const countries = ["Austria", "Brazil", "Canada", "Denmark", "Egypt", "France"]
const sizes = ["Small", "Medium", "Large"]
const tracks = ["Testing", "Security", "Design", "Data"]
const people = ["Ada Park", "Ben Ito", "Carla Diaz", "Dev Rao"]
const meals = ["Meat", "Fish", "Vegetarian"]

const wantedOf = (random: () => number) => {
  const name = Draw.one(random, people)
  return {
    name,
    email: `${name.split(" ")[0]?.toLowerCase() ?? ""}@mail.example`,
    phone: `555-0${Draw.whole(random, 100, 199)}`,
    arrival: `2027-05-${String(Draw.whole(random, 10, 28))}`,
    country: Draw.one(random, countries),
    size: Draw.one(random, sizes),
    meal: Draw.one(random, meals),
    tracks: Draw.shuffled(random, tracks).slice(0, 2).toSorted(),
    comment: `Room ${Draw.whole(random, 100, 999)} please.`
  }
}

type Registration = ReturnType<typeof wantedOf>

const formPage = (errors: ReadonlyArray<string>, sent: URLSearchParams) => {
  const value = (name: string) => sent.get(name) ?? ""
  const field = (label: string, name: string, type = "text") =>
    markup`<label>${label} <input name="${name}" type="${type}" value="${value(name)}"></label>`
  const choice = (type: string, name: string, label: string) =>
    sent.getAll(name).includes(label)
      ? markup`<label><input type="${type}" name="${name}" value="${label}" checked> ${label}</label>`
      : markup`<label><input type="${type}" name="${name}" value="${label}"> ${label}</label>`
  return page(
    "Conference registration",
    markup`${errors.map((error) => markup`<p class="error">${error}</p>`)}<form method="post" action="register">
      <fieldset><legend>Person</legend>${field("Full name", "name")}${field("E-mail", "email")}${field("Phone", "phone")}
        <label>Country <select name="country">${options(["", ...countries], value("country"))}</select></label></fieldset>
      <fieldset><legend>Stay</legend>${field("Arrival", "arrival", "date")}
        <label>Shirt size <select name="size">${options(["", ...sizes], value("size"))}</select></label></fieldset>
      <fieldset><legend>Meal</legend>${meals.map((meal) => choice("radio", "meal", meal))}</fieldset>
      <fieldset><legend>Tracks</legend>${tracks.map((track) => choice("checkbox", "tracks", track))}</fieldset>
      <fieldset><legend>Other</legend><label>Comment <textarea name="comment">${value("comment")}</textarea></label>
        <label><input type="checkbox" name="terms" value="yes"> I accept the terms</label></fieldset>
      <button>Register</button></form>`
  )
}

const register = (random: () => number): Episode => {
  const wanted = wantedOf(random)
  const registrations: Array<Registration> = []
  return {
    instruction: (address) =>
      [
        `Open ${address} and register ${wanted.name} for the conference, accepting the terms.`,
        `E-mail: ${wanted.email}. Phone: ${wanted.phone}. Country: ${wanted.country}. Arrival: ${wanted.arrival}.`,
        `Shirt size: ${wanted.size}. Meal: ${wanted.meal}. Tracks: ${wanted.tracks.join(" and ")}. Comment: "${wanted.comment}"`
      ].join(" "),
    expected: { registrations: [wanted] },
    actual: () => ({ registrations }),
    respond: ({ form, method, path }) => {
      if (method === "GET" && path === "/") return formPage([], form)
      if (method !== "POST" || path !== "/register") return undefined
      const text = (name: string) => (form.get(name) ?? "").trim()
      const fields = ["name", "email", "phone", "arrival", "country", "size", "meal", "comment"] as const
      const errors = [
        ...fields.filter((name) => text(name) === "").map((name) => `Fill in the field ${name}.`),
        ...(form.get("terms") === "yes" ? [] : ["Accept the terms."])
      ]
      if (errors.length > 0) return formPage(errors, form)
      const [name, email, phone, arrival, country, size, meal, comment] = fields.map(text)
      registrations.push({
        name: name ?? "",
        email: email ?? "",
        phone: phone ?? "",
        arrival: arrival ?? "",
        country: country ?? "",
        size: size ?? "",
        meal: meal ?? "",
        tracks: form.getAll("tracks").toSorted(),
        comment: comment ?? ""
      })
      return page("Registered", markup`<p>Thank you, ${name}.</p>`)
    }
  }
}

/** A long form with all kinds of fields, which the server validates. */
export const longForm: Site = {
  name: "long-form",
  summary: "fill in a form with text, date, select, radio and checkbox fields",
  tasks: [{ name: "register for a conference", begin: register }]
}
