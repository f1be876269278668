import { db2Script } from './db2/ddl.ts';
import { libraryDdl } from './standin-schema.ts';

export const scriptDialects = ['db2i', 'db2', 'postgres'] as const;
export type ScriptDialect = (typeof scriptDialects)[number];

export function isScriptDialect(name: string): name is ScriptDialect {
  return scriptDialects.some((known) => known === name);
}

/** The statements that make a library’s files, as the host’s own tools read them. */
export function hostScript(dialect: ScriptDialect, library: string): string {
  return dialect === 'postgres' ? `${libraryDdl(library).join(';\n\n')};\n` : db2Script(dialect, library);
}
