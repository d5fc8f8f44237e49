const svgNames = "http://www.w3.org/2000/svg"

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

const set = (element: Element, attributes: Attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value))
  }
}

/** An element of HTML; text is never taken for markup. */
export const html = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name)
  set(element, attributes)
  element.append(...children)
  return element
}

/** An element of SVG. */
export const svg = (name: string, attributes: Attributes, ...children: ReadonlyArray<Node | string>): SVGElement => {
  const element = document.createElementNS(svgNames, name)
  set(element, attributes)
  element.append(...children)
  return element
}
