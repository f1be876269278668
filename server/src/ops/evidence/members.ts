import mime from 'mime';

// The names of a pack's members.

/** A file under its id; the name of a phone is foreign text. */
export function memberOf({ id, mime: type }: { readonly id: string; readonly mime: string }): string {
  const ending = mime.getExtension(type);
  return `files/${ending === null ? id : `${id}.${ending}`}`;
}

export const members = {
  type: 'mimetype',
  pdf: 'evidence.pdf',
  json: 'pack.json',
  sums: 'SHA256SUMS',
  verify: 'VERIFY.txt',
} as const;
