declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>
  export default classes
}

declare module "*.css" {}

declare module "*.svg" {
  const address: string
  export default address
}

/** True in a page that is one file, which shows and changes nothing that needs a running program. */
declare const isFile: boolean
