/** A secret of the form of a new run, as text. */
export interface SecretTexts {
  readonly alias: string
  readonly type: "inline" | "server"
  /** The value, or the name of a secret of the server. */
  readonly value: string
  /** The sites on which it may be typed, separated by commas. */
  readonly domains: string
}

/** A secret without texts. */
export const emptySecret: SecretTexts = { alias: "", type: "inline", value: "", domains: "" }

/** Text that stands for the value of a secret in code. */
export const valueInCode = "the value of the secret"

/** A secret of a run, as `POST /runs` takes it. */
interface Binding {
  readonly alias: string
  readonly source:
    | { readonly type: "inline"; readonly value: string }
    | { readonly type: "server"; readonly name: string }
  readonly allowedDomains: ReadonlyArray<string>
}

/** The first error of the secrets of a form. */
export interface SecretError {
  /** Place of the secret. */
  readonly index: number
  readonly field: "alias" | "value" | "domains"
  readonly reason: string
}

/** Reads the secrets of a form, or says which one is wrong. */
export const bindingsOf = (
  secrets: ReadonlyArray<SecretTexts>
): { readonly bindings: ReadonlyArray<Binding> } | SecretError => {
  const bindings: Array<Binding> = []
  for (const [index, { alias, domains, type, value }] of secrets.entries()) {
    const name = alias.trim()
    const allowedDomains = domains
      .split(/[\s,]+/u)
      .map((domain) => domain.toLowerCase())
      .filter((domain) => domain !== "")
    if (!/^[\w.-]{1,64}$/u.test(name)) {
      return {
        index,
        field: "alias",
        reason: "Give the secret a name of letters, digits, dots, dashes and underscores."
      }
    }
    if (bindings.some((binding) => binding.alias === name)) {
      return { index, field: "alias", reason: "Another secret has this name." }
    }
    if (value.length < 4 && type === "inline") {
      return { index, field: "value", reason: "Enter at least 4 characters." }
    }
    if (value.trim() === "") return { index, field: "value", reason: "Enter the name of the server's secret." }
    if (allowedDomains.length === 0) {
      return { index, field: "domains", reason: "Enter the sites on which the agent can type it." }
    }
    bindings.push({
      alias: name,
      source: type === "inline" ? { type, value } : { type, name: value.trim() },
      allowedDomains
    })
  }
  return { bindings }
}

/** The body of a create as code shows it: without the values of secrets. */
export const withoutValues = <A extends { readonly [field: string]: unknown }>(body: A): A => {
  const { secretBindings } = body
  if (!Array.isArray(secretBindings)) return body
  return {
    ...body,
    secretBindings: (secretBindings as ReadonlyArray<Binding>).map((binding) =>
      binding.source.type === "inline" ? { ...binding, source: { type: "inline", value: valueInCode } } : binding
    )
  }
}
