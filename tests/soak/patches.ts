import { detect, patches } from '../simulate/patches.ts';

/** Whether the simulator detects each patch. Each patch makes one mistake that has lost data in other systems. */
export async function findAllMistakes(): Promise<boolean> {
  let isFound = true;
  for (const patch of patches) {
    const answer = await detect(patch);
    console.log(`${patch}: ${answer}`);
    isFound &&= answer.startsWith('found by world');
  }
  return isFound;
}
