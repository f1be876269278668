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

/** What the tests look at; the Compose schema itself is checked by `dclint`. */
const composeFile = z.object({
  services: z.record(z.string(), service),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
export type ComposeFile = z.infer<typeof composeFile>;

/** `${NAME:-default}` with nothing in the environment. */
const fill = (text: string): string => text.replace(/\$\{\w+(?::-([^}]*))?\}/g, '$1');

export const filledCompose = (): string => fill(readText('docker-compose.yml'));

/** The file as Compose reads it: anchors merged first, variables filled as text after. */
export function readCompose(): ComposeFile {
  const reviver = (_: unknown, value: unknown): unknown => (typeof value === 'string' ? fill(value) : value);
  return composeFile.parse(parse(readText('docker-compose.yml'), reviver, { merge: true }));
}

/** Those of our own image. */
export const serversOf = (compose: ComposeFile): [string, Service][] =>
  Object.entries(compose.services).filter(([, { image }]) => image === 'tailgate-server');
