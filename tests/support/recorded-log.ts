import type { Log } from '../../server/src/runtime/log.ts';

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  fields: object;
  message: string;
}

/** A log that stores its lines, so that a test can check which lines were written. */
export function recordedLog(): Log & { lines: LogLine[] } {
  const lines: LogLine[] = [];
  const record = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  return { lines, debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
}
