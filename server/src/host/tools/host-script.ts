import { db2Script } from '../db2/ddl.ts';
import type { Dialect } from '../files/dialect.ts';
import { libraryDdl } from '../files/standin-schema.ts';

/** The statements that make a library’s files, in the form of the host’s own tools. */
export function hostScript(dialect: Dialect, library: string): string {
  return dialect === 'postgres' ? `${libraryDdl(library).join(';\n\n')};\n` : db2Script(dialect, library);
}
