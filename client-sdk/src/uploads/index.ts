export type { FileKind, FileState, FileStore, KeptFile } from './file-store.ts';
export { MemoryFiles } from './file-store.ts';
export { openIndexedDbFiles } from './indexeddb-files.ts';
export type { PhotoOptions } from './photo.ts';
export type { NewFile, Uploads, UploadsOptions, UploadStatus } from './uploads.ts';
export { openUploads } from './uploads.ts';
