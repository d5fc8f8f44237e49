import type { Trees } from "./Trees.ts"

/** Places of elements, across shadow roots. Runs in the page. */
export const paths = ({ rootOf }: Trees) => {
  const parentOf = (element: Element): Element | null => {
    const root = element.getRootNode()
    return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
  }

  const pathInRoot = (element: Element, root: Document | ShadowRoot): string => {
    const steps: Array<string> = []
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const id = `#${CSS.escape(at.id)}`
      if (at.id !== "" && root.querySelectorAll(id).length === 1) return [id, ...steps].join(">")
      const { localName } = at
      const twins = Array.from(at.parentNode?.children ?? []).filter((one) => one.localName === localName)
      steps.unshift(`${CSS.escape(localName)}:nth-of-type(${twins.indexOf(at) + 1})`)
    }
    return steps.join(">")
  }

  const pathOf = (element: Element): string => {
    const root = element.getRootNode()
    if (root instanceof ShadowRoot) return `${pathOf(root.host)} >> ${pathInRoot(element, root)}`
    return root instanceof Document ? pathInRoot(element, root) : ""
  }

  const atPath = (path: string): Element | null => {
    let root: Document | ShadowRoot | undefined = document
    let element: Element | null = null
    for (const part of path.split(" >> ")) {
      element = (part === "" ? null : root?.querySelector(part)) ?? null
      if (element === null) return null
      root = rootOf(element)
    }
    return element
  }

  return { parentOf, pathOf, atPath }
}

export type Paths = ReturnType<typeof paths>
