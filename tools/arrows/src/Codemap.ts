import { posix } from "node:path"
import { type Rule } from "./arrows.ts"

/** The text of a page from a heading to the next one of any level. */
const under = (page: string, heading: string): string =>
  page.split(/^#+ /mu).find((part) => part.startsWith(heading)) ?? ""

const named = (folder: string): string => folder.split("/").at(-1) ?? folder

/** The places of a table's first column, each with the folder that the lines above the table say it is inside of. */
const places = (codemap: string): ReadonlyArray<{ readonly inside: string; readonly place: string }> => {
  let inside = ""
  return codemap.split("\n").flatMap((line) => {
    inside = /^Inside `([^`]+)`/u.exec(line)?.[1] ?? inside
    const [, first = ""] = line.startsWith("|") ? line.split("|") : []
    return Array.from(first.matchAll(/`([^`]+)`/gu), ([, place = ""]) => ({
      inside,
      place: place.replace(/\/$/u, "")
    }))
  })
}

/**
 * Lists what is wrong with the picture and the codemap of ARCHITECTURE.md, one line each: a missing package or folder,
 * or a place that doesn't exist.
 */
export const untrue = (
  page: string,
  rules: Readonly<Record<string, Rule>>,
  exists: (path: string) => boolean
): ReadonlyArray<string> => {
  const picture = under(page, "The picture")
  const rows = places(under(page, "Codemap"))
  const shown = new Set(rows.map(({ inside, place }) => posix.join(inside, place)))
  const described = new Set(rows.map(({ inside }) => inside))
  const folders = Object.entries(rules).flatMap(([folder, { folders = {} }]) =>
    described.has(`${folder}/src`)
      ? Object.keys(folders).flatMap((name) => (name === "." ? [] : [`${folder}/src/${name.split("/")[0]}`]))
      : []
  )
  return [
    ...Object.keys(rules)
      .filter((folder) => /^packages\/(?!testing\/)/u.test(folder))
      .filter((folder) => !new RegExp(`\\b${named(folder)}s?\\b`, "u").test(picture))
      .map((folder) => `ARCHITECTURE.md: the picture does not show ${named(folder)} of ${folder}. Add it.`),
    ...Array.from(new Set([...Object.keys(rules), ...folders]))
      .filter((folder) => !shown.has(folder))
      .map((folder) => `ARCHITECTURE.md: the codemap has no row for \`${folder}\`. Add one.`),
    ...Array.from(new Set([...shown, ...(picture.match(/\b(?:packages|apps|tools)\/[\w/-]*\w/gu) ?? [])]))
      .filter((place) => !exists(place))
      .map((place) => `ARCHITECTURE.md: there is no ${place}. Correct or remove it.`)
  ]
}
