import { createHash } from "node:crypto"

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** The style that VitePress inserts while it switches between light and dark. */
const switchStyle = "'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='"

/**
 * Adds a content security policy to a page, so that any static host serves a site that loads nothing from elsewhere and
 * runs only its own scripts. Code blocks have their colors in `style` attributes.
 */
export const withPolicy = (html: string): string => {
  const scripts = Array.from(html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]+?)<\/script>/gu), ([, text = ""]) =>
    hashOf(text)
  )
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...new Set(scripts)].join(" "),
    `style-src 'self' ${switchStyle}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'"
  ].join("; ")
  return html.replace("<head>", `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
}
