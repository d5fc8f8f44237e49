import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig, type MarkdownEnv, type MarkdownRenderer } from "vitepress"
import { fences } from "./Fences.ts"
import { links } from "./Links.ts"
import { withPolicy } from "./Policy.ts"
import { writeReference } from "./Reference.ts"
import { nav, sidebar } from "./Sidebar.ts"
import { anchorOf, pageOf, root } from "./Site.ts"

/** Ranks a page in search: guides come first, then references, then the exports of packages. */
const weightOf = (page: string): number => {
  if (/\/reference\/api\/|\/assumptions/u.test(page)) return 0.2
  return /\/(?:reference|packages|apps|cli)\//u.test(page) ? 0.5 : 2
}

/** Renders a page for the search index, without the colors of its code, which take most of the time of a build. */
const renderForSearch = (text: string, env: MarkdownEnv, md: MarkdownRenderer): string => {
  const { highlight } = md.options
  md.options.highlight = null
  try {
    return md.render(text, env)
  } finally {
    md.options.highlight = highlight
  }
}

/** Writes the generated references and returns VitePress's configuration. */
export const config = () => {
  const reference = writeReference()
  return defineConfig({
    title: "webagent",
    description: "TypeScript clients, a local simulator, a test harness and a self-hosted server for web agents",
    lang: "en-US",
    base: process.env["WEBAGENT_DOCS_BASE"] ?? "/",
    // Markdown stays where it is, and is as readable in the repository as on the site.
    srcDir: root,
    srcExclude: [
      "*/**/node_modules/**",
      "{.changeset,.github,deploy,tools,packages/testing}/**",
      "{[A-Q],[S-Z]}*.md",
      "docs/decisions/**"
    ],
    outDir: process.env["WEBAGENT_DOCS_OUT"] ?? join(root, "apps/docs/dist"),
    cacheDir: join(root, "apps/docs/node_modules/.vitepress"),
    rewrites: (file) => pageOf(file) ?? file,
    transformHtml: withPolicy,
    markdown: {
      anchor: { slugify: anchorOf },
      config: (md) => {
        fences(md)
        links(md)
      },
      theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" }
    },
    vite: {
      publicDir: join(root, "apps/docs/public"),
      // the search index, which loads when a reader opens the search
      build: { chunkSizeWarningLimit: 3000 },
      // the pages are outside of this package, where no node_modules has vue
      resolve: {
        alias: ["vue", "vue/server-renderer"].map((name) => ({
          find: new RegExp(`^${name}$`, "u"),
          replacement: fileURLToPath(import.meta.resolve(name))
        }))
      }
    },
    themeConfig: {
      nav,
      sidebar: sidebar(reference),
      outline: { level: [2, 3] },
      externalLinkIcon: false,
      docFooter: { prev: "Previous", next: "Next" },
      search: {
        provider: "local",
        options: {
          detailedView: true,
          _render: renderForSearch,
          miniSearch: {
            searchOptions: {
              boostDocument: weightOf,
              // a status such as 429 isn't almost 409
              fuzzy: (term) => (/^\d+$/u.test(term) ? false : 0.2)
            }
          }
        }
      }
    }
  })
}
