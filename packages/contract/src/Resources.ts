// Resources that several versions share, for their clients.
export { Account, AccountExtensions } from "./Account.ts"
export { AllBrowserOperations } from "./AllBrowserOperations.ts"
export { Browser, BrowserCreate, UpdatedBrowser } from "./Browser.ts"
export { BrowserExtensions, BrowserList } from "./BrowserExtensions.ts"
export { DownloadExtensions } from "./Downloads.ts"
export { FileList, StoredFile } from "./Files.ts"
export { Profile, ProfileExtensions, ProfileInput, ProfileList } from "./Profile.ts"
export {
  UploadRequest,
  UploadResponse,
  Workspace,
  WorkspaceExtensions,
  WorkspaceInput,
  WorkspaceList,
  WorkspaceSize
} from "./Workspace.ts"
export type { BrowserListQuery } from "./Queries.ts"
