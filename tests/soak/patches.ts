import { findsMistake, patches } from '../simulate/patches.ts';

/** Whether the simulator finds what it has to find: each patch makes one mistake that lost data elsewhere. */
export function findAllMistakes(): boolean {
  return patches
    .map((patch) => {
      const isFound = findsMistake(patch);
      console.log(`${isFound ? 'found' : 'NOT FOUND'}: ${patch}`);
      return isFound;
    })
    .every(Boolean);
}
