export { fetchStack } from './fetch-stack.ts';
export type { FileAddress, FileInput, FileSource, OpenFile } from './file-source.ts';
export type { FileKind, FileState, FileStore, KeptFile } from './file-store.ts';
export { MemoryFiles } from './file-store.ts';
export { openIndexedDbFiles } from './indexeddb-files.ts';
export type { PhotoOptions, ResizePhoto } from './photo.ts';
export type { Sha256 } from './sha256.ts';
export type { NewFile, Uploads, UploadsOptions, UploadStatus } from './uploads.ts';
export { openUploads } from './uploads.ts';
