import type { MarkdownRenderer } from "vitepress"
import { source } from "./Site.ts"

/** Reads `name=value` of the opening of a fence, such as ```` ```ts file=apps/examples/src/a.ts tab=Effect ````. */
const valueOf = (info: string, name: string) => new RegExp(`\\s${name}=(\\S+)`, "u").exec(info)?.[1]

/** Shows the file of a `file=` fence below its code, and consecutive fences with `tab=` as tabs. */
export const fences = (md: MarkdownRenderer) => {
  const draw = md.renderer.rules.fence
  let groups = 0
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (token === undefined || draw === undefined) return ""
    const file = valueOf(token.info, "file")
    // VitePress would take the rest for line numbers
    token.info = token.info.split(" ")[0] ?? ""
    const html = draw(tokens, index, options, env, self)
    if (file === undefined) return html
    const path = md.utils.escapeHtml(file)
    const caption =
      source === undefined
        ? `<span class="source-path">${path}</span>`
        : `<a class="source-path" href="${source}/${path}">${path}</a>`
    return `<div class="source-file">${html}${caption}</div>`
  }
  md.core.ruler.push("tabs", (state) => {
    const html = (content: string) => Object.assign(new state.Token("html_block", "", 0), { content })
    const output: typeof state.tokens = []
    for (let index = 0; index < state.tokens.length; index++) {
      const start = index
      const tabs: Array<string> = []
      for (let tab; (tab = valueOf(state.tokens[start + tabs.length]?.info ?? "", "tab")) !== undefined;) tabs.push(tab)
      if (tabs.length > 0) {
        const name = `tabs-${groups++}`
        const labels = tabs.map((tab, place) => {
          const id = `${name}-${place}`
          return `<input type="radio" name="${name}" id="${id}" data-tab="${tab}"${place === 0 ? " checked" : ""}><label for="${id}">${tab}</label>`
        })
        output.push(html(`<div class="vp-code-group"><div class="tabs">${labels.join("")}</div><div class="blocks">\n`))
        // each fence in a block of its own, so that its caption is hidden with it
        for (const [place, token] of state.tokens.slice(start, start + tabs.length).entries())
          output.push(html(`<div class="tab-block${place === 0 ? " active" : ""}">`), token, html("</div>\n"))
        output.push(html("</div></div>\n"))
        index += tabs.length - 1
      } else output.push(...state.tokens.slice(index, index + 1))
    }
    state.tokens = output
  })
}
