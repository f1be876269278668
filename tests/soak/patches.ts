import { lookFor, patches } from '../simulate/patches.ts';

/** Whether the simulator finds what it has to find: each patch makes one mistake that lost data elsewhere. */
export function findAllMistakes(): boolean {
  const answers = patches.map((patch) => {
    const answer = lookFor(patch);
    console.log(`${patch}: ${answer}`);
    return answer;
  });
  return answers.every((answer) => answer === 'found');
}
