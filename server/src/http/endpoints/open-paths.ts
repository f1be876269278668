import { pathSets, type Operation } from '@tailgate/sync-protocol';
import { isOpen, type AccessMode } from '../../wire/access.ts';

type Listed = Readonly<
  Record<string, Pick<Operation<unknown, unknown, unknown>, 'access' | 'method' | 'path' | 'sets'>>
>;

/** Every address without credentials, for the log line at start (contract §8). */
export function openPaths(mode: AccessMode, operations: Listed): string[] {
  return Object.values(operations).flatMap(({ access, method, path, sets }) =>
    isOpen(access, mode) ? sets.map((set) => `${method} ${pathSets[set]}${path}`) : [],
  );
}

/**
 * The same in a short form for one log line, without path set and method. `/auth/*` covers an area whose operations are
 * all open; otherwise the line contains the path itself.
 */
export function openAreas(mode: AccessMode, operations: Listed): string[] {
  const all = Object.values(operations);
  const areas = all
    .filter(({ access }) => isOpen(access, mode))
    .map(({ path }) => {
      const area = prefixesOf(path).find((start) =>
        all.every((other) => isOpen(other.access, mode) || !isWithin(start, other.path)),
      );
      const coversOthers = all.some((other) => other.path !== area && area !== undefined && isWithin(area, other.path));
      return area !== undefined && coversOthers ? `${area}/*` : path;
    });
  return [...new Set(areas)];
}

/** `/a/b/c` → `/a`, `/a/b`, `/a/b/c`. */
function prefixesOf(path: string): string[] {
  const parts = path.split('/').slice(1);
  return parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`);
}

const isWithin = (area: string, path: string): boolean => path === area || path.startsWith(`${area}/`);
