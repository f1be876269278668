import { samples } from './uploads.ts';

/** A form of an example. */
export interface Form {
  /** The fields as the example shows them. */
  readonly fields: object;
  readonly data: FormData;
}

/** Names of files with any bytes, and a text field. */
export function uploadOf(fields: { readonly files: readonly string[]; readonly mimetypes: string }): Form {
  const data = new FormData();
  for (const name of fields.files) data.append('files', new File([samples.png.slice(0, 32)], name));
  data.append('mimetypes', fields.mimetypes);
  return { fields, data };
}

/** The pack that a request has answered. */
export async function packOf(answer: Response): Promise<Form> {
  const data = new FormData();
  data.append('pack', await answer.blob(), 'evidence.zip');
  return { fields: { pack: 'evidence.zip' }, data };
}
