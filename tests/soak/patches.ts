import { lookFor, patches } from '../simulate/patches.ts';

/** Whether the simulator finds what it has to find: each patch makes one mistake that lost data elsewhere. */
export async function findAllMistakes(): Promise<boolean> {
  let isFound = true;
  for (const patch of patches) {
    const answer = await lookFor(patch);
    console.log(`${patch}: ${answer}`);
    isFound &&= answer === 'found';
  }
  return isFound;
}
