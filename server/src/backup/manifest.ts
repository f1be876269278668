import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { StartError } from '../runtime/start-error.ts';

const manifestFile = z.object({
  Files: z.array(
    z.object({
      Path: z.string(),
      Size: z.number(),
      'Last-Modified': z.string(),
      'Checksum-Algorithm': z.string().optional(),
      Checksum: z.string().optional(),
    }),
  ),
  'Manifest-Checksum': z.string(),
});

export interface Manifest {
  readonly files: readonly ManifestFile[];
  /** The start of the backup. */
  readonly startedAt: Date;
}

interface ManifestFile {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal; undefined where the file has a checksum of another kind. */
  readonly sha256: string | undefined;
}

/** Reads the list of a backup's files. @throws StartError where it is damaged */
export async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, 'utf8');
  const { Files: files, 'Manifest-Checksum': checksum } = parse(text, path);
  const covered = text.slice(0, text.lastIndexOf('"Manifest-Checksum"'));
  if (createHash('sha256').update(covered).digest('hex') !== checksum)
    throw new StartError(`${path} is damaged: its own checksum differs`);
  const label = files.find(({ Path }) => Path === 'backup_label');
  const startedAt = new Date((label?.['Last-Modified'] ?? '').replace(/^(\S+) (\S+) GMT$/, '$1T$2Z'));
  if (Number.isNaN(startedAt.getTime())) throw new StartError(`${path} names no start of the backup`);
  return {
    startedAt,
    files: files.map((file) => ({
      path: file.Path,
      bytes: file.Size,
      sha256: file['Checksum-Algorithm'] === 'SHA256' ? file.Checksum : undefined,
    })),
  };
}

function parse(text: string, path: string): z.infer<typeof manifestFile> {
  try {
    return manifestFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new StartError(`${path} is damaged: it is no manifest of PostgreSQL`, { cause });
  }
}

/** The files whose size or checksum differs from the manifest, one phrase each. */
export async function findDamage({ files }: Manifest, data: string): Promise<string[]> {
  const damage: string[] = [];
  for (const file of files) {
    const fault = await faultOf(file, data);
    if (fault !== undefined) damage.push(`${file.path} ${fault}`);
  }
  return damage;
}

async function faultOf({ path, bytes, sha256 }: ManifestFile, data: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    await pipeline(createReadStream(join(data, path)), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        hash.update(chunk);
        size += chunk.length;
      }
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'is missing';
    throw error;
  }
  if (size !== bytes) return `has ${size} bytes and not ${bytes}`;
  return sha256 === undefined || hash.digest('hex') === sha256 ? undefined : 'has another checksum';
}
