export * as Account from "./Account.ts"
export type { AccountCalls } from "./Account.ts"
export * as Downloads from "./Downloads.ts"
export type { DownloadCalls, DownloadError } from "./Downloads.ts"
export type { FileContent, FileQuery } from "./FileLinks.ts"
export * as Optional from "./Optional.ts"
export * as Profiles from "./Profiles.ts"
export type { ProfileCalls, ProfileCreateError, ProfileError, ProfileListError } from "./Profiles.ts"
export * as Workspaces from "./Workspaces.ts"
export type {
  FileListError,
  FileUpload,
  UploadedFile,
  UploadError,
  UploadOptions,
  WorkspaceCalls,
  WorkspaceCreateError,
  WorkspaceError
} from "./Workspaces.ts"
