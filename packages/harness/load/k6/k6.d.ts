/** k6 has a console, and nothing else of the DOM. */
declare const console: { readonly warn: (text: string) => void }
