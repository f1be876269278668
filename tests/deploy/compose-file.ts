import { parse } from 'yaml';
import { z } from 'zod';
import { readText } from '../house/source-file.ts';

const service = z.object({
  image: z.string(),
  user: z.string().optional(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  profiles: z.array(z.string()).default([]),
  mem_limit: z.string().optional(),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
});
export type Service = z.infer<typeof service>;

/** The parts that the tests read; `dclint` checks the Compose schema itself. */
const composeFile = z.object({
  services: z.record(z.string(), service),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
export type ComposeFile = z.infer<typeof composeFile>;

/** `${NAME:-default}` with nothing in the environment. */
const fill = (text: string): string => text.replace(/\$\{\w+(?::-([^}]*))?\}/g, '$1');

export const filledCompose = (): string => fill(readText('docker-compose.yml'));

/** The file as Compose reads it: anchors merged first, then variables replaced in the text. */
export function readCompose(): ComposeFile {
  const reviver = (_: unknown, value: unknown): unknown => (typeof value === 'string' ? fill(value) : value);
  return composeFile.parse(parse(readText('docker-compose.yml'), reviver, { merge: true }));
}

/** Services with the project's own image. */
export const serversOf = (compose: ComposeFile): [string, Service][] =>
  Object.entries(compose.services).filter(([, { image }]) => image === 'tailgate-server');
