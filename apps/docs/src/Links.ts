import { existsSync } from "node:fs"
import { posix } from "node:path"
import type { MarkdownRenderer } from "vitepress"
import { pageOf, root, source } from "./Site.ts"

/**
 * Turns links between files of the repository into links of the site: to a page if the file is one, otherwise to its
 * source, or into text if the source has no address. A link to a missing file fails the build.
 */
export const links = (md: MarkdownRenderer) => {
  md.core.ruler.push("repository-links", (state) => {
    const document: string | undefined = state.env.realPath ?? state.env.path
    if (document === undefined) return
    const folder = posix.dirname(posix.relative(root, document))
    for (const { children } of state.tokens) {
      let isText = false
      for (const token of children ?? []) {
        if (token.type === "link_close" && isText) {
          isText = false
          token.tag = "span"
        }
        const href = token.type === "link_open" ? (token.attrGet("href") ?? "") : ""
        if (href === "" || /^(?:[a-z]+:|\/|#)/u.test(href)) continue
        const [path = "", anchor] = href.split("#")
        const file = posix.normalize(posix.join(folder, decodeURI(path)))
        if (!existsSync(posix.join(root, file))) throw new Error(`${document} links to ${href}, which doesn't exist.`)
        const readme = posix.join(file, "README.md")
        const page = pageOf(existsSync(posix.join(root, readme)) ? readme : file)
        const hash = anchor === undefined ? "" : `#${anchor}`
        if (page !== undefined) token.attrSet("href", `/${page}${hash}`)
        else if (source !== undefined) token.attrSet("href", `${source}/${file}${hash}`)
        else {
          isText = true
          token.tag = "span"
          token.attrs = []
        }
      }
    }
  })
}
