// Resources that v3 and v4 share, for the clients of both.
export { Account, AccountExtensions } from "./Account.ts"
export { AllBrowserOperations } from "./AllBrowserOperations.ts"
export { UpdatedBrowser } from "./Browser.ts"
export { BrowserList } from "./BrowserExtensions.ts"
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
