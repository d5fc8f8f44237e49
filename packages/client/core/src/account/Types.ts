// The types of an account with workspaces, as the versions' entries export them.

export type {
  Account as AccountUsage,
  FileList,
  Profile,
  ProfileInput,
  ProfileList,
  StoredFile,
  UploadRequest,
  UploadResponse,
  Workspace,
  WorkspaceInput,
  WorkspaceSize
} from "@webagent/contract/Resources"
export type { AccountCalls } from "./Account.ts"
export type { DownloadCalls, DownloadError } from "./Downloads.ts"
export type { FileContent, FileQuery } from "./FileLinks.ts"
export type { ProfileCalls, ProfileCreateError, ProfileError, ProfileListError } from "./Profiles.ts"
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
