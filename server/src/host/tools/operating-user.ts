import { userInfo } from 'node:os';
import { PODCHGP } from '../files/master-files.ts';

/**
 * The operating system's user in the host's form of names; undefined where the process runs under a number without a
 * name.
 */
export function operatingUser(nameOf: () => string = () => userInfo().username): string | undefined {
  try {
    return hostUser(nameOf()) || undefined;
  } catch {
    // Node throws where the system's list of users lacks the number, as in a container.
    return undefined;
  }
}

/** Upper case, in the host's code page, and no longer than CHUSR: the trigger would drop a line that CHUSR refuses. */
function hostUser(name: string): string {
  return name
    .toUpperCase()
    .replaceAll(/[^\u0020-\u00ff]/g, '?')
    .slice(0, PODCHGP.host.CHUSR.length);
}
