import { exportElement } from "@webagent/harness-api"
import { type EmbeddedData, packedData } from "@webagent/harness-api/Embedded"
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import type { Bundle } from "./Screens.ts"

/** A text as gzip in base64. */
export const pack = (text: string): string => gzipSync(text).toString("base64")

/** JSON that stands in an element: no text in it can close the element, or end a line of a script. */
export const inert = (data: unknown): string =>
  JSON.stringify(data).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

/** A script element ends at the first closing tag in its text, even inside a string. */
const scriptText = (script: string) => script.replaceAll(/<(?=\/script|!--)/giu, "\\x3c")

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const opened = `<script type="application/json" id="${exportElement}">`

const documentOf = (data: string, bundle: Bundle | undefined): string => {
  const script = bundle && scriptText(bundle.script)
  const policy = [
    "default-src 'none'",
    ...(script === undefined || bundle === undefined
      ? []
      : [`script-src ${hashOf(script)}`, `style-src ${hashOf(bundle.style)}`]),
    "img-src data:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")
  return `<!doctype html>
<html lang="en" data-addresses="hash"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>webagent harness</title>
${bundle === undefined ? "" : `<style>${bundle.style}</style>`}</head><body>
${bundle === undefined ? unbuilt : '<div id="root"></div><noscript>This page needs JavaScript.</noscript>'}
${opened}${data}</script>
${script === undefined ? "" : `<script>${script}</script>\n`}</body></html>
`
}

/** The element of a page without screens; in data, no text has a tag. */
const unbuilt =
  '<div id="root">The screens are not built in this clone. Run npm run harness -- show-report to build them into this page.</div>'

/**
 * Renders the page of some data. Chromium blocks modules and requests on addresses of files, so it is one classic script with its
 * data. Without a bundle, the page has the data alone, and `complete` adds the screens.
 */
export const render = (data: EmbeddedData, bundle: Bundle | undefined): string =>
  documentOf(inert(packedData(data, pack)), bundle)

/** True if a page has its data alone. */
export const isUnbuilt = (page: string): boolean => page.includes(unbuilt)

/** Adds the screens to a page that has its data alone. */
export const complete = (page: string, bundle: Bundle): string => {
  const from = page.indexOf(opened) + opened.length
  return documentOf(page.slice(from, page.indexOf("</script>", from)), bundle)
}
