import mime from 'mime';

/** A file under its id; the name of a phone is foreign text. */
export function memberOf({ id, mime: type }: { readonly id: string; readonly mime: string }): string {
  const ending = mime.getExtension(type);
  return `files/${ending === null ? id : `${id}.${ending}`}`;
}
